-- include rules/reading.lua
-- include rules/also-when-full.lua

local sequence, count, process, gap = arg(), number(), arg(), number()
local before = redis.call('GET', S .. 'process')
-- Another Redis process may not have the last numbers: Redis was restarted, or a replica became the primary. So a gap is left.
if before and before ~= process then
  for _, name in ipairs(redis.call('HKEYS', S .. 'sequences')) do redis.call('HINCRBY', S .. 'sequences', name, gap) end
end
if process ~= before then redis.call('SET', S .. 'process', process) end
return { redis.call('HINCRBY', S .. 'sequences', sequence, count) - count + 1 }
