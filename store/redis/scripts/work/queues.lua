-- include rules/ledger.lua

local found = {}
for _, queue in ipairs(redis.call('SMEMBERS', P .. 'queues')) do
  local figures = figuresOf(queue)
  if figures[2] + figures[3] > 0 then
    local oldest = redis.call('ZRANGE', P .. 'since:' .. queue, 0, 0, 'WITHSCORES')[2]
    figures[4] = oldest and text(at - tonumber(oldest)) or '0'
    found[#found + 1] = figures
  else
    redis.call('SREM', P .. 'queues', queue)
    redis.call('HDEL', P .. 'held', queue)
    local levels = {}
    for priority = 0, HIGHEST_PRIORITY do levels[priority + 1] = queue .. ':' .. priority end
    redis.call('HDEL', P .. 'depth', unpack(levels))
  end
end
return { told(), found }
