-- The transitions of items of work.
-- Reads an item from the arguments.
local function described()
  local id, queue, priority, actor, attempt, json, user, weight = arg(), arg(), number(), arg(), number(), arg(), arg(), number()
  priority = math.min(HIGHEST_PRIORITY, math.max(0, priority))
  return {
    id = id, key = P .. 'i:' .. id, queue = queue, priority = string.format('%d', priority), actor = actor, attempt = attempt, json = json,
    user = user, weight = weight
  }
end

local function keep(item, ...)
  redis.call('HSET', item.key, 'j', item.json, 'q', item.queue, 'p', item.priority, 'a', item.actor, 'n', item.attempt,
    'u', item.user, 'w', item.weight, ...)
  redis.call('SADD', P .. 'of:' .. item.actor, item.id)
end

local function offer(item)
  local known = itemOf(item.id)
  offered[item.queue] = true
  -- The actor does not know yet that this attempt was lost or dropped. Only a later attempt is new.
  if known and (known.state ~= 'told' or item.attempt <= known.attempt) then return end
  if known then redis.call('ZREM', P .. 'news', item.id) end
  if known then redis.call('HDEL', item.key, 'l', 'o', 'what', 'why') end
  keep(item, 's', 'waiting', 'k', 0)
  enqueue(item)
end

-- A waiting item keeps the time since which it waits.
local function prioritize(item)
  local known = itemOf(item.id)
  if not known or known.state == 'told' then return end
  local since = redis.call('ZSCORE', P .. 'since:' .. known.queue, item.id)
  if known.state == 'waiting' then unwait(known) end
  known.priority, known.json = item.priority, item.json
  keep(known)
  if known.state ~= 'waiting' then return end
  wait(known, known.releases)
  if since then redis.call('ZADD', P .. 'since:' .. known.queue, since, item.id) end
end

local function withdraw(item)
  local known = itemOf(item.id)
  if known and known.state == 'held' then
    if leaseOf(known.token) then return cancel(known.token) end
    freeQueue(known)
  end
  if known and known.state == 'told' and known.what == 'dropped' then return end
  if known and known.state == 'waiting' then unwait(known) end
  keep(item)
  tell(item, 'dropped', '', '')
end

-- Old tokens are deleted when the first byte of a token is a multiple of this: for 3 of its 64 possible values.
local FORGETTING = 16

local function remember(token, answer)
  redis.call('ZADD', P .. 'settled', nextNumber(), token)
  if answer then redis.call('HSET', P .. 'answers', token, answer) end
  -- Only sometimes, because this costs three commands.
  if string.byte(token) % FORGETTING ~= 0 then return end
  local old = redis.call('ZRANGE', P .. 'settled', 0, -REMEMBERED - 1)
  if #old == 0 then return end
  redis.call('ZREMRANGEBYRANK', P .. 'settled', 0, -REMEMBERED - 1)
  redis.call('HDEL', P .. 'answers', unpack(old))
end

-- `settled` can hold more than REMEMBERED tokens until the next deletion.
local function isRemembered(token)
  local rank = redis.call('ZREVRANK', P .. 'settled', token)
  return rank and rank < REMEMBERED
end

local function settle(id)
  local item = itemOf(id)
  if not item then return end
  if item.state == 'held' then
    local lease = leaseOf(item.token, item)
    if lease then free(lease, item, true) else freeQueue(item) end
    remember(item.token, lease and lease.answer)
    return remove(item, lease ~= nil)
  elseif item.state == 'waiting' then
    unwait(item)
  end
  remove(item)
end

local function clear(actor)
  for _, id in ipairs(redis.call('SMEMBERS', P .. 'of:' .. actor)) do
    local item = itemOf(id)
    if not item then
      redis.call('SREM', P .. 'of:' .. actor, id)
    elseif item.state ~= 'held' or not leaseOf(item.token) then
      settle(id)
    else
      cancel(item.token)
      redis.call('HSET', item.key, 'o', '1')
    end
  end
end

local function lose(lease, why)
  local item = itemOf(lease.id)
  free(lease, item)
  if item.orphan then
    remove(item)
  elseif lease.cancelled then
    tell(item, 'dropped', '', '')
  else
    tell(item, 'lost', lease.token, why)
  end
end

local function giveBack(lease, begun)
  local item = itemOf(lease.id)
  if lease.cancelled then
    lose(lease, '')
  elseif begun and item.releases >= MAX_RELEASES then
    lose(lease, 'it was given back ' .. MAX_RELEASES .. ' times')
  else
    free(lease, item)
    wait(item, begun and item.releases + 1 or item.releases)
  end
end


local function leasesOfWorker(worker)
  local found = {}
  for _, token in ipairs(redis.call('ZRANGE', P .. 'w:' .. worker, 0, -1)) do found[#found + 1] = leaseOf(token) end
  return found
end

-- Other leases that the same worker claimed to work on in turn.
local function besides(lease)
  local found = {}
  if not lease.turn then return found end
  for _, other in ipairs(leasesOfWorker(lease.worker)) do
    if other.turn and other.token ~= lease.token then found[#found + 1] = other end
  end
  return found
end

-- True if the worker progresses with its other leases but never began this one: it probably never received this lease.
local function isUnheardOf(lease, others)
  local isSilence = at >= lease.silent and at < lease.lease and not (lease.kill and at >= lease.kill)
  if lease.begun or not isSilence then return false end
  for _, other in ipairs(others) do
    if at < other.lease and at < other.silent then return true end
  end
  return false
end

-- It is unknown which of several items ended the worker. All are queued again, and each is then handed out alone.
local function loseOrSetApart(leases, why)
  if #leases == 1 then return lose(leases[1], why) end
  for _, lease in ipairs(leases) do
    redis.call('HSET', P .. 'i:' .. lease.id, 'alone', '1')
    giveBack(lease, true)
  end
end
