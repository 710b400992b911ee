-- include rules/ledger.lua

local queues = {}
for _, queue in ipairs(redis.call('SMEMBERS', P .. 'queues')) do
  if waitingIn(queue) > 0 then queues[#queues + 1] = queue end
end
local found = {}
for _ = 1, number() do
  local actor = arg()
  local leases, ahead = {}, {}
  for _, id in ipairs(redis.call('SMEMBERS', P .. 'of:' .. actor)) do
    local item = itemOf(id)
    local lease = item and item.state == 'held' and leaseOf(item.token)
    if lease then leases[#leases + 1] = shown(lease) end
  end
  for _, queue in ipairs(queues) do
    local before = 0
    for priority = HIGHEST_PRIORITY, 0, -1 do
      local rank = redis.call('ZRANK', P .. 'turns:' .. queue .. ':' .. priority, actor)
      if rank then
        ahead[#ahead + 1] = { queue, before + rank }
        break
      end
      before = before + tonumber(redis.call('HGET', P .. 'depth', queue .. ':' .. priority) or '0')
    end
  end
  found[#found + 1] = { leases, ahead }
end
return { told(), found }
