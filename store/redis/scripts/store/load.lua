-- include rules/reading.lua

local key, known = S .. 'a:' .. arg(), arg()
local commit = redis.call('HGET', key, 'u')
if not commit or commit == known then return { commit or '' } end
return { commit, redis.call('HMGET', key, 'v', 'server', 'epoch', 'schema', 'b', 'r', 'p') }
