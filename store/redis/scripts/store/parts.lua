-- include rules/reading.lua

local found = {}
for i, hash in ipairs(ARGV) do
  local text = redis.pcall('HGET', S .. 'p:' .. hash, 'j')
  found[i] = type(text) == 'string' and text
end
return found
