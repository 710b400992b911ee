-- Fair shares among users: the rules of `store/turns/` on keys of Redis.
local users, times, generation = {}, {}, nil
-- Levels with only one waiting user, as a claim has read them.
local isLone = {}

local function all(know)
  for _, knowledge in ipairs(redis.call('HVALS', P .. 'knows')) do
    if not string.find(knowledge, know, 1, true) then return false end
  end
  return true
end

-- Keys of other generations may be wrong: they were written by servers that missed changes.
local function keyOf(kind, queue, ...)
  return table.concat({ P .. 'fair', generation, kind, #queue, queue, ... }, ':')
end
local function levelKey(queue, priority) return keyOf('level', queue, priority) end
local function placesKey(queue, priority) return keyOf('users', queue, priority) end
local function jobsKey(queue, priority, user) return keyOf('jobs', queue, priority, user) end

-- A member of `users`. For each weight, members sort like `comparePlaces`.
local function memberOf(place, held, name)
  return string.format('%03d:%09d:%018d:%018d:', place.weight, held, place.pass, place.turn) .. name
end
local function placeOf(member)
  local weight, held, pass, turn, name = string.match(member, '^(%d+):(%d+):(%d+):(%d+):(.*)$')
  return { weight = tonumber(weight), held = tonumber(held), pass = tonumber(pass), turn = tonumber(turn), user = name, member = member }
end

-- A user in one queue, as stored: number of held items, and by priority the number of waiting items and the member of `users`.
local function userOf(queue, name)
  local id = #queue .. queue .. name
  local user = users[id]
  if user then return user end
  user = { queue = queue, name = name, key = keyOf('user', queue, name), held = 0, waits = {}, places = {}, stored = {}, has = {} }
  local fields = redis.call('HGETALL', user.key)
  for i = 1, #fields, 2 do
    local kind, priority, value = string.sub(fields[i], 1, 1), string.sub(fields[i], 2), fields[i + 1]
    user.has[fields[i]] = value
    if kind == 'h' then
      user.held = tonumber(value)
    elseif kind == 'n' then
      user.waits[priority] = tonumber(value)
    else
      user.stored[priority], user.places[priority] = value, placeOf(value)
    end
  end
  users[id] = user
  return user
end

-- The virtual time of a level. It is written once, when the script ends.
local function timeOf(level)
  if not times[level] then times[level] = { at = tonumber(redis.call('HGET', level, 'time') or '0') } end
  return times[level]
end

-- While other users wait, the pass of this user is stored, so that leaving and coming back gives no extra turn.
local function leaveLevel(user, priority)
  local level, places = levelKey(user.queue, priority), placesKey(user.queue, priority)
  if not isLone[places] and redis.call('EXISTS', places) == 1 then
    redis.call('HSET', level, 'u' .. user.name, user.places[priority].pass)
  else
    redis.call('DEL', level)
    times[level] = nil
  end
  user.places[priority] = nil
end

-- Writes only fields that differ from what is stored.
local function saveUser(user)
  user.isChanged = false
  local fields, gone, isNone = {}, {}, true
  local function put(field, value)
    if value then isNone = false end
    if value and user.has[field] ~= tostring(value) then fields[#fields + 1], fields[#fields + 2] = field, value end
    if not value and user.has[field] then gone[#gone + 1] = field end
    user.has[field] = value and tostring(value)
  end
  put('h', user.held > 0 and string.format('%d', user.held) or nil)
  for priority, place in pairs(user.places) do
    local waits, before = user.waits[priority] or 0, user.stored[priority]
    local member = waits > 0 and memberOf(place, user.held, user.name) or nil
    if before and before ~= member then redis.call('ZREM', placesKey(user.queue, priority), before) end
    if member and before ~= member then redis.call('ZADD', placesKey(user.queue, priority), 0, member) end
    user.stored[priority] = member
    put('n' .. priority, member and string.format('%d', waits))
    put('m' .. priority, member)
    if not member then leaveLevel(user, priority) end
  end
  if isNone then return redis.call('DEL', user.key) end
  if #fields > 0 then redis.call('HSET', user.key, unpack(fields)) end
  if #gone > 0 then redis.call('HDEL', user.key, unpack(gone)) end
end

-- Writes the places once for all changes of a script.
local function saveUsers()
  for level, time in pairs(times) do
    if time.isChanged then redis.call('HSET', level, 'time', string.format('%d', time.at)) end
    time.isChanged = false
  end
  for _, user in pairs(users) do
    if user.isChanged then saveUser(user) end
  end
end

local function addHeld(item, by)
  local user = userOf(item.queue, item.user)
  user.held, user.isChanged = math.max(0, user.held + by), true
end

local function startWaiting(item, turn)
  redis.call('ZADD', jobsKey(item.queue, item.priority, item.user), 'NX', turn, item.actor)
  local user, priority = userOf(item.queue, item.user), item.priority
  user.waits[priority], user.isChanged = (user.waits[priority] or 0) + 1, true
  if user.places[priority] then return end
  local level = levelKey(item.queue, priority)
  local pass, time = unpack(redis.call('HMGET', level, 'u' .. user.name, 'time'))
  if pass then redis.call('HDEL', level, 'u' .. user.name) end
  if not times[level] then times[level] = { at = tonumber(time or '0') } end
  user.places[priority] = { weight = item.weight, pass = math.max(timeOf(level).at, tonumber(pass or '0')), turn = turn }
end

local function stopWaiting(item)
  local user = userOf(item.queue, item.user)
  user.waits[item.priority], user.isChanged = math.max(0, (user.waits[item.priority] or 0) - 1), true
  if user.waits[item.priority] == 0 then saveUser(user) end
end

-- Ends the turn of the user of this item.
local function endTurn(item, turn)
  local user, time = userOf(item.queue, item.user), timeOf(levelKey(item.queue, item.priority))
  local place = user.places[item.priority]
  time.at, time.isChanged = math.max(time.at, place.pass), true
  place.pass, place.turn = time.at + math.floor(STRIDE / place.weight + 0.5), turn
end

-- Calculates all places from the waiting and held items: at the first offer, or after the keys were removed.
local function startShares()
  generation = redis.call('INCR', P .. 'generations')
  redis.call('SET', P .. 'shares', generation)
  for _, queue in ipairs(redis.call('SMEMBERS', P .. 'queues')) do
    for _, id in ipairs(redis.call('ZRANGE', P .. 'since:' .. queue, 0, -1)) do
      local item = itemOf(id)
      if item then startWaiting(item, nextNumber()) end
    end
  end
  for _, token in ipairs(redis.call('ZRANGE', P .. 'due', 0, -1)) do
    local item = itemOf(get(P .. 'l:' .. token, 'i') or '')
    if item then addHeld(item, 1) end
  end
end

-- Some scripts read this together with other keys.
local knownGeneration
local function readGeneration()
  if knownGeneration == nil then knownGeneration = redis.call('GET', P .. 'shares') end
  return knownGeneration
end

-- Called before a waiting or held item changes.
local function openShares()
  if generation then return end
  generation = readGeneration()
  if not generation then startShares() end
end
