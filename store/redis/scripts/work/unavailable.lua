-- include rules/ledger.lua
-- include rules/also-when-full.lua

-- A server that cannot serve a queue says so again with each offer; after so long it is asked anew.
local UNABLE_SECONDS = 600

local queue, why = arg(), arg()
local unable = P .. 'unable:' .. queue
-- What one server cannot serve another may: only when all of them have said so, and one has said why, is it lost.
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
