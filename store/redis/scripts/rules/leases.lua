-- Leases: how they are stored, returned and ended.
-- `item`: the item of the lease, if it was already read.
local function leaseOf(token, item)
  local key = P .. 'l:' .. token
  local f = fieldsOf(key, 6, 'i', 'w', 'at', 'lease', 'silent', 'whole', 'v', 'done', 'total', 'cancelled', 'kill', 'turn', 'last', 'far', 'begun', 'answer')
  if not f or not (item and item.id == f[1] or itemOf(f[1])) then
    redis.call('UNLINK', key)
    redis.call('ZREM', P .. 'due', token)
    if f then redis.call('ZREM', P .. 'w:' .. f[2], token) end
    return nil
  end
  return {
    token = token, key = key, id = f[1], worker = f[2], at = tonumber(f[3]), lease = tonumber(f[4]), silent = tonumber(f[5]),
    whole = tonumber(f[6]), server = f[7] or '', done = tonumber(f[8] or '0'), total = tonumber(f[9] or '0'),
    cancelled = f[10] == '1', kill = f[11] and tonumber(f[11]), turn = f[12] == '1', last = f[13] == '1',
    far = f[14] == '1', begun = f[15] == '1', answer = f[16] or nil
  }
end

-- A number as text without loss. A clock that never ends is 'inf'.
local function text(n)
  if n == math.huge then return 'inf' end
  return string.format('%.17g', n)
end

local function storeClocks(lease, ...)
  redis.call('HSET', lease.key, 'lease', text(lease.lease), 'silent', text(lease.silent), 'whole', text(lease.whole),
    'done', text(lease.done), 'total', text(lease.total), ...)
end

-- The earliest of its deadlines.
local function dueOf(lease) return math.min(lease.lease, lease.silent, lease.whole, lease.kill or math.huge) end

local function keepClocks(lease)
  storeClocks(lease)
  if lease.kill then redis.call('HSET', lease.key, 'kill', text(lease.kill)) end
  redis.call('ZADD', P .. 'due', text(dueOf(lease)), lease.token)
end

-- A lease as it is returned to the server.
local function shown(lease, json)
  return {
    lease.token, json or get(P .. 'i:' .. lease.id, 'j'), lease.worker, text(lease.at), text(lease.lease), text(lease.silent), text(lease.whole),
    text(lease.done), text(lease.total), lease.cancelled and '1' or '0', lease.kill and text(lease.kill) or '',
    lease.turn and '1' or '0', lease.last and '1' or '0', lease.begun and '1' or '0', text(at)
  }
end

local function freeQueue(item)
  openShares()
  addHeld(item, -1)
  if redis.call('HINCRBY', P .. 'held', item.queue, -1) < 0 then redis.call('HDEL', P .. 'held', item.queue) end
end

-- `isOver`: the item is deleted, too.
local function free(lease, item, isOver)
  freeQueue(item)
  if isOver then redis.call('DEL', lease.key, item.key) else redis.call('DEL', lease.key) end
  redis.call('ZREM', P .. 'due', lease.token)
  redis.call('ZREM', P .. 'w:' .. lease.worker, lease.token)
  if lease.server ~= '' then redis.call('SREM', P .. 'v:' .. lease.server, lease.token) end
end

local function tell(item, what, token, why)
  redis.call('HSET', item.key, 's', 'told', 'what', what, 'l', token, 'why', why)
  redis.call('ZADD', P .. 'news', nextNumber(), item.id)
  news[#news + 1] = { what, item.json, token, why }
end

local function cancel(token)
  local lease = leaseOf(token)
  if not lease.kill then lease.kill = at + 2 * graceMs end
  redis.call('HSET', lease.key, 'cancelled', '1')
  keepClocks(lease)
end
