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
-- When nobody could say anything for so long, it was Redis that was away: all others get their time again, or what one may need
-- to find a Redis to which it has lost its connection. Of times in which no connection can be lost that goes but once: a server
-- that is late with each word, and alone, would else never find that the others are dead.
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
    -- What it holds must not run out before it is heard of or is dead: that would cost an attempt.
    redis.call('SET', P .. 'granted', text(spareMs))
  elseif redis.call('EXISTS', key) == 0 then
    dead[#dead + 1] = other
    removeServer(other, ownQueues)
  end
  if other < server then rank = rank + 1 end
end
-- Older servers change things without a word.
local changes = all('"changes":1') and redis.pcall('HGETALL', KEYS[1] .. 'changes') or {}
if #changes == 0 then changes = {} end
return { told(), dead, redis.call('SCARD', P .. 'servers'), '', wasAbsent, rank, changes }
