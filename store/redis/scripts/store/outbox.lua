-- include rules/reading.lua

local key, limit, hasAfter = S .. 'o:' .. arg(), number(), arg() == '1'
local start = hasAfter and pageStart(key, arg(), arg(), false) or 0
local found = {}
for _, id in ipairs(redis.call('ZRANGE', key, start, start + limit - 1)) do
  local notice = redis.call('HMGET', S .. 'n:' .. id, 'due', 'a', 'b')
  found[#found + 1] = { id, notice[1], notice[2], notice[3] }
end
return { found }
