-- include rules/ledger.lua
-- include rules/servers.lua
-- include rules/also-when-full.lua

local node = redis.call('GET', P .. 'server:' .. server)
if node and redis.call('GET', P .. 'node:' .. node) == server then redis.call('DEL', P .. 'node:' .. node) end
redis.call('DEL', P .. 'server:' .. server)
-- The server has answered all claims before it stopped, so workers elsewhere have received their leases.
for _, token in ipairs(redis.call('SMEMBERS', P .. 'v:' .. server)) do
  local lease = leaseOf(token)
  if lease then leaveServer(lease) end
end
removeServer(server, args(number()))
return { told() }
