local P = KEYS[1] .. 'w:'
-- include rules/arguments.lua

-- The first arguments of each script: the time in milliseconds ('' is the clock of Redis) and the settings of the ledger.
local at = arg()
if at == '' then
  local time = redis.call('TIME')
  at = time[1] * 1000 + math.floor(time[2] / 1000)
else
  at = tonumber(at)
end
local server, leaseMs, silenceMs, wholeMs, graceMs = arg(), number(), number(), number(), number()

-- include rules/items.lua
-- include rules/leases.lua
-- include rules/changes.lua
-- include rules/told.lua
