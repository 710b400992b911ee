-- include rules/ledger.lua
-- include rules/also-when-full.lua

local isKnown, worker, lasting, inTurn, max = arg() == '1', arg(), arg() == '1', arg() == '1', number()
-- Other servers consider this server dead, so nobody would notice if it died again. Leases that it hands out now would then expire and
-- count as attempts.
if isKnown and redis.call('SISMEMBER', P .. 'servers', server) == 0 then return { told(), 'unheard' } end
local knows = {}
for _ = 1, number() do
  local kind = arg()
  knows[kind] = number()
end
local tokens = arg()
local lengthOfToken = #tokens / max
local function tokenOf(n) return string.sub(tokens, (n - 1) * lengthOfToken + 1, n * lengthOfToken) end
-- Numbers of waiting items by queue and priority. Sometimes the queues themselves are read, in case these numbers are wrong.
local isThorough, depths = at % 16 == 0, {}
local function depthsOf(queue)
  if not depths[queue] then depths[queue] = {} end
  return depths[queue]
end
local levels = redis.call('HGETALL', P .. 'depth')
for i = 1, #levels, 2 do
  local queue, priority = string.match(levels[i], '^(.*):(%d+)$')
  if queue then depthsOf(queue)[tonumber(priority)] = math.max(0, tonumber(levels[i + 1])) end
end

local function lengthOf(queue)
  local length = 0
  if isThorough then
    length = waitingIn(queue)
    for priority = 0, length > 0 and HIGHEST_PRIORITY or -1 do depthsOf(queue)[priority] = math.huge end
  else
    for _, waits in pairs(depths[queue] or {}) do length = length + waits end
  end
  return length
end

local queues, waiting, unable = {}, 0, {}
local wanted = args(number())
-- Queues that this server has reported as unable to serve.
for _ = 1, number() do unable[arg()] = true end
for _, queue in ipairs(wanted) do
  local length = lengthOf(queue)
  if length > 0 then
    queues[#queues + 1] = queue
    waiting = waiting + length
    unable[queue] = unable[queue] and redis.call('HDEL', P .. 'unable:' .. queue, server)
  end
end
local oldest = redis.call('ZRANGE', P .. 'w:' .. worker, 0, 0)[1]
local holds = oldest ~= nil
local before = oldest and leaseOf(oldest)
-- The worker holds an item that must run alone.
if before and itemOf(before.id).alone then return { told(), {} } end
if inTurn then max = math.min(max, math.max(FEW, math.ceil(waiting / 2))) end

-- False for the state of a newer version of Troupe, which other servers can read.
local readable = {}
local function isReadable(actor)
  if readable[actor] == nil then
    local known = knows[string.match(actor, '^[^/]*')]
    local schema = known and redis.call('HGET', KEYS[1] .. 'a:' .. actor, 'schema')
    readable[actor] = not schema or tonumber(schema) <= known
  end
  return readable[actor]
end

local function firstReadable(turns)
  local from, page = 0, 1
  while true do
    local actors = redis.call('ZRANGE', turns, from, from + page - 1)
    for _, actor in ipairs(actors) do
      if isReadable(actor) then return actor end
    end
    if #actors < page then return nil end
    from, page = from + page, CHUNK
  end
end

openShares()
-- include rules/taking.lua

-- Of the users with the weight of `member`, from `member` on: the first with a job that this server can read.
local function firstPlace(queue, priority, member)
  local from, page, members = 0, 1, { member }
  local after = string.format('(%s;', string.sub(member, 1, 3))
  while true do
    for _, one in ipairs(members) do
      local place = placeOf(one)
      local jobs = jobsKey(queue, priority, place.user)
      place.actor = nextActor(jobs)
      if place.actor then return place end
      -- The user has no jobs there, but an older server did not remove the place.
      if redis.call('EXISTS', jobs) == 0 then redis.call('ZREM', placesKey(queue, priority), one) end
    end
    if #members < page then return nil end
    from, page = from + page, CHUNK
    members = redis.call('ZRANGEBYLEX', placesKey(queue, priority), '[' .. member, after, 'LIMIT', from, page)
  end
end

-- The same as `nextPlace` of store/turns.
local function placeOfMany(queue, priority, member)
  local places, limit = {}, math.huge
  while member do
    local after = '[' .. string.sub(member, 1, 3) .. ';'
    local place = firstPlace(queue, priority, member)
    if place then
      places[#places + 1] = place
      limit = math.min(limit, (place.held + 1) / place.weight)
    end
    member = redis.call('ZRANGEBYLEX', placesKey(queue, priority), after, '+', 'LIMIT', 0, 1)[1]
  end
  local best
  for _, place in ipairs(places) do
    local isEarlier = not best or place.pass < best.pass or place.pass == best.pass and place.turn < best.turn
    if place.held / place.weight < limit and isEarlier then best = place end
  end
  return best
end

-- The place of the only user of a level. During this script, no other user can come.
local lone = {}
local function nextPlace(queue, priority)
  local key = placesKey(queue, priority)
  if not lone[key] then
    saveUsers()
    local members = redis.call('ZRANGEBYLEX', key, '-', '+', 'LIMIT', 0, 2)
    if #members ~= 1 then return placeOfMany(queue, priority, members[1]) end
    lone[key] = placeOf(members[1])
    isLone[key] = true
  end
  local place = lone[key]
  place.actor = nextActor(jobsKey(queue, priority, place.user))
  if place.actor then return place end
  lone[key], isLone[key] = nil, nil
  saveAll()
  local member = redis.call('ZRANGEBYLEX', key, '-', '+', 'LIMIT', 0, 1)[1]
  return member and firstPlace(queue, priority, member)
end

-- The levels above this one are known to be empty.
local highest = HIGHEST_PRIORITY
local function first()
  for priority = highest, 0, -1 do
    highest = priority
    for _, queue in ipairs(queues) do
      if (depths[queue][priority] or 0) <= 0 then
        -- Nothing waits there.
      else
        local place = nextPlace(queue, priority)
        if place then return queue, priority, place.actor, place end
      end
    end
  end
end

-- Removes an unreadable item, which would block the queue.
local function dropUnreadable(id, queue, priority, actor, user)
  saveAll()
  lone, isLone = {}, {}
  local gone = {
    id = id or '', key = P .. 'i:' .. (id or ''), queue = queue, priority = string.format('%d', priority), actor = actor, user = user
  }
  if id then unwait(gone) end
  if redis.call('EXISTS', lineOf(gone)) == 0 then redis.call('ZREM', jobsKey(queue, priority, user), actor) end
  remove(gone)
end

local function nextItem()
  while true do
    local queue, priority, actor, place = first()
    if not queue then return nil end
    local ids = redis.call('ZRANGE', P .. 'line:' .. queue .. ':' .. priority .. ':' .. actor, 0, 1)
    local id = ids[1]
    local item = id and itemOf(id)
    local isRead, what = pcall(cjson.decode, item and item.json or '')
    if isRead and type(what) == 'table' then
      -- An item of an older server has no user.
      item.kind, item.name, item.user = what.kind, what.key, place.user
      item.isLast = #ids == 1
      return item
    end
    dropUnreadable(id, queue, priority, actor, place.user)
  end
end

-- The row that the actor has stored for this item. It is part of the answer to the worker.
local function rowOf(item)
  local row = type(item.name) == 'string' and redis.pcall('HGET', KEYS[1] .. 'r:' .. item.actor, item.name)
  return type(row) == 'string' and row or ''
end

local function hold(item, token)
  local turn = nextNumber()
  addHeld(item, 1)
  take(item, turn)
  local waits, priority = depths[item.queue], tonumber(item.priority)
  waits[priority] = (waits[priority] or 0) - 1
  local last = inTurn and redis.call('SCARD', P .. 'of:' .. item.actor) == 1
  local whole = at + wholeMs
  -- A live stream has no time limit.
  if item.kind == 'STREAM' then whole = math.huge end
  local lease = {
    token = token, key = P .. 'l:' .. token, id = item.id, worker = worker, server = server, at = at,
    lease = at + leaseMs, silent = at + silenceMs, whole = whole, done = 0, total = 0, turn = inTurn, last = last
  }
  -- If the server dies now, nobody knows whether the worker has received the lease. Until its first heartbeat, the lease ends with the
  -- server.
  storeClocks(lease, 'i', item.id, 'w', worker, 'v', server, 'far', lasting and '1' or '0', 'at', text(at),
    'turn', inTurn and '1' or '0', 'last', last and '1' or '0')
  append(later.due, text(dueOf(lease)), token)
  append(later.worker, turn, token)
  append(later.server, token)
  later.held[item.queue] = (later.held[item.queue] or 0) + 1
  redis.call('HSET', item.key, 's', 'held', 'l', token)
  local answer = shown(lease, item.json)
  answer[#answer + 1] = rowOf(item)
  return answer
end

local leases = {}
while #leases < max do
  local item = nextItem()
  if not item then break end
  -- An item that must run alone.
  if item.alone and (holds or #leases > 0) then break end
  leases[#leases + 1] = hold(item, tokenOf(#leases + 1))
  if item.alone then break end
end
saveAll()
return { told(), leases }
