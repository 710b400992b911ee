-- include rules/ledger.lua
-- include rules/also-when-full.lua

local token, whole, answer = arg(), arg() == '1', arg()
local lease = leaseOf(token)
if not lease then return { told(), 1 } end
leaveServer(lease)
if answer ~= '' then
  local first = get(lease.key, 'answer')
  if first and first ~= answer then return { told(), 0 } end
  redis.call('HSET', lease.key, 'answer', answer)
end
if whole then
  lease.silent = math.huge
else
  lease.lease, lease.silent = at + leaseMs, at + silenceMs
end
keepClocks(lease)
return { told(), 1 }
