-- include rules/reading.lua

local actor, prefix, after, limit = arg(), arg(), arg(), number()
local from = '[' .. prefix
if after ~= '' and not isBefore(after, prefix) then from = '(' .. after end
local keys = redis.call('ZRANGEBYLEX', S .. 'k:' .. actor, from, '(' .. prefix .. '\255', 'LIMIT', 0, limit)
return { keys, bodiesOf(actor, keys) }
