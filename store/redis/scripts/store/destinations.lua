-- include rules/reading.lua

local after, limit = arg(), number()
return { redis.call('ZRANGEBYLEX', S .. 'destinations', after == '' and '-' or '(' .. after, '+', 'LIMIT', 0, limit) }
