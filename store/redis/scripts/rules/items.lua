-- Items of work: how they are stored and queued.
local offered, news = {}, {}

-- Numbers for an order. Several are reserved at a time, because gaps do no harm.
local NUMBERS_AT_A_TIME = 8
local lastGiven, lastTaken = 0, -1
local function nextNumber()
  lastGiven = lastGiven + 1
  if lastGiven > lastTaken then
    lastTaken = redis.call('INCRBY', P .. 'numbers', NUMBERS_AT_A_TIME)
    lastGiven = lastTaken - NUMBERS_AT_A_TIME + 1
  end
  return lastGiven
end
local function get(key, field) return redis.call('HGET', key, field) end

-- Fields of an item or lease. Returns nil if the key has another type or one of the first `needed` fields is missing. The caller then
-- removes its references to it.
local function fieldsOf(key, needed, ...)
  local fields = redis.pcall('HMGET', key, ...)
  if fields.err then redis.call('UNLINK', key) end
  for i = 1, needed do
    if not fields[i] then return nil end
  end
  return fields
end

local function itemOf(id)
  local key = P .. 'i:' .. id
  local fields = fieldsOf(key, 6, 's', 'q', 'p', 'a', 'n', 'j', 'l', 'k', 'o', 'what', 'alone', 'u', 'w')
  if not fields then return nil end
  return {
    id = id, key = key, state = fields[1], queue = fields[2], priority = fields[3], actor = fields[4],
    attempt = tonumber(fields[5]), json = fields[6], token = fields[7] or '', releases = tonumber(fields[8] or '0'),
    orphan = fields[9] == '1', what = fields[10], alone = fields[11] == '1', user = fields[12] or '', weight = tonumber(fields[13] or '1')
  }
end

local function lineOf(item) return P .. 'line:' .. item.queue .. ':' .. item.priority .. ':' .. item.actor end
local function waitingIn(queue) return redis.call('ZCARD', P .. 'since:' .. queue) end
local function heldIn(queue) return tonumber(redis.call('HGET', P .. 'held', queue) or '0') end

-- include rules/shares.lua

-- Fields with 0 are removed by work/queues.
local function deepen(item, by)
  local field = item.queue .. ':' .. item.priority
  local depth = redis.call('HINCRBY', P .. 'depth', field, by)
  if depth < 0 then redis.call('HDEL', P .. 'depth', field) end
  return depth
end

-- The caller stores the state of the item.
local function enqueue(item)
  openShares()
  local turn = nextNumber()
  redis.call('ZADD', lineOf(item), turn, item.id)
  redis.call('ZADD', P .. 'since:' .. item.queue, at, item.id)
  -- An empty queue may be missing in the list of queues.
  if deepen(item, 1) == 1 then redis.call('SADD', P .. 'queues', item.queue) end
  offered[item.queue] = true
  startWaiting(item, turn)
end

local function wait(item, releases)
  redis.call('HSET', item.key, 's', 'waiting', 'k', releases)
  redis.call('HDEL', item.key, 'l', 'o', 'what', 'why')
  enqueue(item)
end

local function unwait(item)
  openShares()
  redis.call('ZREM', lineOf(item), item.id)
  if redis.call('EXISTS', lineOf(item)) == 0 then
    redis.call('ZREM', jobsKey(item.queue, item.priority, item.user), item.actor)
  end
  redis.call('ZREM', P .. 'since:' .. item.queue, item.id)
  deepen(item, -1)
  stopWaiting(item)
end

-- `isGone`: the key of the item is already deleted.
local function remove(item, isGone)
  if not isGone then redis.call('DEL', item.key) end
  redis.call('SREM', P .. 'of:' .. item.actor, item.id)
  if item.state == nil or item.state == 'told' then redis.call('ZREM', P .. 'news', item.id) end
end
