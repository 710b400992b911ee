-- include rules/reading.lua

local found = {}
for i, hash in ipairs(ARGV) do found[i] = redis.call('HGET', S .. 'p:' .. hash, 'j') end
return found
