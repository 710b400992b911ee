-- include rules/ledger.lua
-- include rules/also-when-full.lua

local token, worker, done, total = arg(), arg(), number(), number()
local lease = leaseHeldBy(token, worker)
if not lease then return { told(), 'lost' } end
local moved = done > lease.done
lease.lease = at + leaseMs
if moved then lease.silent = at + silenceMs end
lease.done, lease.total = math.max(lease.done, done), math.max(lease.total, total)
-- The answer to this heartbeat tells the component to stop. Its time to do so starts now.
if lease.kill then lease.kill = math.min(lease.kill, at + graceMs) end
keepClocks(lease)
if not lease.begun then redis.call('HSET', lease.key, 'begun', '1') end
for _, other in ipairs(besides(lease)) do
  -- Only leases of the same claim: the worker may not have received the answer to another claim.
  if other.at == lease.at then leaveServer(other) end
  other.lease = at + leaseMs
  if moved and other.begun then other.silent = at + silenceMs end
  keepClocks(other)
end
return { told(), lease.cancelled and 'cancelled' or 'on' }
