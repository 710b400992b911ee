-- include rules/ledger.lua
-- include rules/also-when-full.lua

local S = KEYS[1]

-- True if a newer version of Troupe has changed the stored format.
local function isNewer()
  local format, shares = unpack(redis.call('MGET', S .. 'format', P .. 'shares'))
  knownGeneration = shares
  return tonumber(format or '0') > FORMAT
end

-- Reads and writes all counters of one key with two commands.
local function countIn(key, names, changes)
  if #names == 1 then
    if redis.call('HINCRBY', key, names[1], string.format('%.0f', changes[names[1]])) == 0 then redis.call('HDEL', key, names[1]) end
    return
  end
  local before, put, gone = redis.call('HMGET', key, unpack(names)), {}, {}
  for i, name in ipairs(names) do
    local value = tonumber(before[i] or '0') + changes[name]
    if value == 0 then
      gone[#gone + 1] = name
    else
      put[#put + 1], put[#put + 2] = name, string.format('%.0f', value)
    end
  end
  if #put > 0 then redis.call('HSET', key, unpack(put)) end
  if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
end

local function count(n)
  local keys, names, changes = {}, {}, {}
  for _ = 1, n do
    local name, by = arg(), number()
    local key = S .. 'counters' .. (string.match(name, '^@[^/]*/') or '')
    if not names[key] then keys[#keys + 1], names[key], changes[key] = key, {}, {} end
    if not changes[key][name] then table.insert(names[key], name) end
    changes[key][name] = (changes[key][name] or 0) + by
  end
  for _, key in ipairs(keys) do countIn(key, names[key], changes[key]) end
end

-- Servers do not poll kinds of actors whose number stays the same. By pcall: if the number is damaged, they only poll more.
local function noteChange(actor)
  redis.pcall('HINCRBY', S .. 'changes', string.match(actor, '^[^/]*'), 1)
end

-- The keys of rows with this prefix. UTF-8 has no byte 255, so it sorts behind all characters that can follow the prefix.
local function below(actor, prefix)
  return redis.call('ZRANGEBYLEX', S .. 'k:' .. actor, '[' .. prefix, '(' .. prefix .. '\255')
end

local function dropNotice(actor, id)
  local notice = S .. 'n:' .. id
  if redis.call('HGET', notice, 'a') ~= actor then return end
  local destination = redis.call('HGET', notice, 'd')
  redis.call('DEL', notice)
  redis.call('SREM', S .. 'n-of:' .. actor, id)
  redis.call('ZREM', S .. 'o:' .. destination, id)
  if redis.call('EXISTS', S .. 'o:' .. destination) == 0 then redis.call('ZREM', S .. 'destinations', destination) end
end

local function putNotice(actor, id, destination, due, body)
  local owner = redis.call('HGET', S .. 'n:' .. id, 'a')
  if owner and owner ~= actor then return end
  dropNotice(actor, id)
  redis.call('HSET', S .. 'n:' .. id, 'd', destination, 'due', due, 'a', actor, 'b', body)
  redis.call('SADD', S .. 'n-of:' .. actor, id)
  redis.call('ZADD', S .. 'o:' .. destination, due, id)
  redis.call('ZADD', S .. 'destinations', 0, destination)
end

-- `listed`: the parts of an actor, as stored in its field p.
local function leaveParts(listed)
  for hash in string.gmatch(listed or '', ':([^,]+)') do
    if redis.call('HINCRBY', S .. 'p:' .. hash, 'n', -1) <= 0 then redis.call('UNLINK', S .. 'p:' .. hash) end
  end
end

-- The number of users of a damaged part is unknown. With this number it is never deleted.
local MANY = 1e9

-- Returns the value of the field p. An actor with the same part repairs a damaged text.
local function putParts(n)
  local parts = {}
  for i = 1, n do
    local name, hash, text = arg(), arg(), arg()
    local key = S .. 'p:' .. hash
    if type(redis.pcall('HINCRBY', key, 'n', 1)) == 'table' then
      redis.call('UNLINK', key)
      redis.call('HSET', key, 'n', MANY)
    end
    if redis.call('HGET', key, 'j') ~= text then redis.call('HSET', key, 'j', text) end
    parts[i] = name .. ':' .. hash
  end
  return table.concat(parts, ',')
end

-- The list of indexes of a damaged actor is unknown, so this removes it from all indexes.
local function leaveAllIndexes(id)
  local cursor = '0'
  repeat
    local found = redis.call('SCAN', cursor, 'MATCH', S .. 'i:*', 'COUNT', CHUNK)
    cursor = found[1]
    for _, index in ipairs(found[2]) do redis.pcall('ZREM', index, id) end
  until cursor == '0'
end

local function isOther(key, kind)
  local is = redis.call('TYPE', key).ok
  return is ~= kind and is ~= 'none'
end

-- Reads keys with their expected types. Returns an error for the first key of another type, before anything is written.
local function foreignKey(n)
  for _ = 1, n do
    local key, kind = S .. arg(), arg()
    if isOther(key, kind) then return redis.error_reply('WRONGTYPE ' .. key .. ' is a ' .. redis.call('TYPE', key).ok .. ' and no ' .. kind) end
  end
end

-- `listed`: a JSON list of names.
local function indexesOf(listed)
  local names = {}
  for _, name in ipairs(cjson.decode(listed or '[]')) do names[name] = true end
  return names
end

-- Adds the new list of indexes to the fields of the actor. Returns true if the actor had indexes and now has none.
local function moveInIndexes(fields, listed, id, n)
  if n == 0 then return false end
  local names, list = indexesOf(listed), {}
  for _ = 1, n do
    local name, score = arg(), arg()
    if score == '' then
      redis.call('ZREM', S .. 'i:' .. name, id)
      names[name] = nil
    else
      redis.call('ZADD', S .. 'i:' .. name, score, id)
      names[name] = true
    end
  end
  for name in pairs(names) do list[#list + 1] = name end
  if #list == 0 then return true end
  fields[#fields + 1], fields[#fields + 2] = 'x', cjson.encode(list)
  return false
end

local function leaveIndexes(key, listed, id)
  for name in pairs(indexesOf(listed)) do redis.call('ZREM', S .. 'i:' .. name, id) end
  redis.call('HDEL', key, 'x')
end

local function leaveOutbox(actor)
  for _, id in ipairs(redis.call('SMEMBERS', S .. 'n-of:' .. actor)) do dropNotice(actor, id) end
end
