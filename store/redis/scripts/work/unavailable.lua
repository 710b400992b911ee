-- include rules/ledger.lua
-- include rules/also-when-full.lua

-- A server repeats this report with each offer. After this time without a report, it is asked again.
local UNABLE_SECONDS = 600

local queue, why = arg(), arg()
local unable = P .. 'unable:' .. queue
-- Another server may be able to serve the queue. Items are lost only when all servers have reported it and one has given a reason.
redis.call('HSET', unable, server, why)
redis.call('EXPIRE', unable, UNABLE_SECONDS)
local isOwn = string.sub(queue, -#server - 1) == '@' .. server
for _, other in ipairs(isOwn and {} or redis.call('SMEMBERS', P .. 'servers')) do
  local says = redis.call('HGET', unable, other)
  if not says then return { told() } end
  if why == '' then why = says end
end
if why == '' then return { told() } end
for _, id in ipairs(redis.call('ZRANGE', P .. 'since:' .. queue, 0, -1)) do
  local item = itemOf(id)
  if item then
    unwait(item)
    tell(item, 'lost', '', why)
  end
end
return { told() }
