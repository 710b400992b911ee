-- include rules/ledger.lua
-- include rules/servers.lua
-- include rules/also-when-full.lua

local ms, lostMs, returnMs, node, knows = number(), number(), number(), arg(), arg()
local holder = redis.call('GET', P .. 'node:' .. node)
if holder and holder ~= server then return { told(), {}, 0, holder, 0, 0, {} } end
redis.call('SET', P .. 'node:' .. node, server, 'PX', ms)
redis.call('SET', P .. 'server:' .. server, node, 'PX', ms)
local wasAbsent = redis.call('SADD', P .. 'servers', server)
redis.call('HSET', P .. 'knows', server, knows)
-- If no server reported for so long, Redis was away. Then all other servers get their full time again, or after a long absence the time
-- that they need to connect again. After a short absence each server gets it only once: otherwise one slow server that is alone would
-- never find that the others are dead.
local silentMs = at - tonumber(redis.call('GET', P .. 'heardOf') or at)
local wasAway, isLong = silentMs > ms / 2, silentMs > lostMs
local spareMs = isLong and math.max(ms, returnMs) or ms
redis.call('SET', P .. 'heardOf', text(at))
redis.call('SREM', P .. 'spared', server)
redis.call('SREM', P .. 'cut', server)
local dead, rank, ownQueues = {}, 0, args(number())
for _, other in ipairs(redis.call('SMEMBERS', P .. 'servers')) do
  local key = P .. 'server:' .. other
  local isCut = redis.call('SISMEMBER', P .. 'cut', other) == 1
  if other ~= server and wasAway and not isCut and (redis.call('SADD', P .. 'spared', other) == 1 or isLong) then
    redis.call('SET', key, redis.call('GET', key) or '', 'PX', spareMs)
    -- Its leases must not expire before it reports or is dead: that would count as attempts.
    redis.call('SET', P .. 'granted', text(spareMs))
  elseif redis.call('EXISTS', key) == 0 then
    dead[#dead + 1] = other
    removeServer(other, ownQueues)
  end
  if other < server then rank = rank + 1 end
end
-- Older servers do not count their changes.
local changes = all('"changes":1') and redis.pcall('HGETALL', KEYS[1] .. 'changes') or {}
if #changes == 0 then changes = {} end
return { told(), dead, redis.call('SCARD', P .. 'servers'), '', wasAbsent, rank, changes }
