-- include rules/reading.lua

local key, limit, descending, hasAfter = S .. 'i:' .. arg(), number(), arg() == '1', arg() == '1'
local start = hasAfter and pageStart(key, arg(), arg(), descending) or 0
return { redis.call(descending and 'ZREVRANGE' or 'ZRANGE', key, start, start + limit - 1, 'WITHSCORES') }
