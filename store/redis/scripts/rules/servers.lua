-- Removes a dead server: its leases are returned, and items for its own components are deleted.
local function removeServer(gone, ownQueues)
  for _, token in ipairs(redis.call('SMEMBERS', P .. 'v:' .. gone)) do
    local lease = leaseOf(token)
    if lease then giveBack(lease, false) end
  end
  redis.call('DEL', P .. 'v:' .. gone)
  redis.call('SREM', P .. 'servers', gone)
  redis.call('HDEL', P .. 'knows', gone)
  redis.call('SREM', P .. 'spared', gone)
  redis.call('SREM', P .. 'cut', gone)
  local own = {}
  for _, name in ipairs(ownQueues) do
    local queue = name .. '@' .. gone
    own[queue] = true
    for _, id in ipairs(redis.call('ZRANGE', P .. 'since:' .. queue, 0, -1)) do
      local item = itemOf(id)
      if item then
        unwait(item)
        remove(item)
      else
        redis.call('ZREM', P .. 'since:' .. queue, id)
      end
    end
  end
  for _, id in ipairs(redis.call('ZRANGE', P .. 'news', 0, -1)) do
    local item = itemOf(id)
    if item and own[item.queue] then remove(item) end
  end
end
