-- For scripts that do not need the time and have no news for servers.
local S = KEYS[1]
-- include rules/arguments.lua

-- Compares bytes. The operator < compares by the locale.
local function isBefore(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

local function bodiesOf(actor, keys)
  local bodies = {}
  for first = 1, #keys, CHUNK do
    for _, body in ipairs(redis.call('HMGET', S .. 'r:' .. actor, unpack(keys, first, math.min(first + CHUNK - 1, #keys)))) do
      bodies[#bodies + 1] = body
    end
  end
  return bodies
end

-- The rank of the first entry after (score, id).
local function pageStart(key, score, id, descending)
  local rank = redis.call(descending and 'ZREVRANK' or 'ZRANK', key, id)
  if rank and tonumber(redis.call('ZSCORE', key, id)) == tonumber(score) then return rank + 1 end
  local start = descending and redis.call('ZCOUNT', key, '(' .. score, '+inf') or redis.call('ZCOUNT', key, '-inf', '(' .. score)
  for _, same in ipairs(redis.call('ZRANGEBYSCORE', key, score, score)) do
    if descending and isBefore(id, same) or not descending and isBefore(same, id) then start = start + 1 end
  end
  return start
end
