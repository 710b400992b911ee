local P = KEYS[1] .. 'w:'
-- include rules/arguments.lua

-- What the ledger is told with each call: milliseconds of its clock ('' is that of Redis), and its settings.
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
