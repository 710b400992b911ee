-- include rules/ledger.lua
-- include rules/servers.lua
-- include rules/also-when-full.lua

-- The connection of this server is gone: the next one that says that it is there finds it dead, unless it was heard of meanwhile. Then its
-- key lasts longer than these milliseconds.
local other, leftMs = arg(), number()
local key = P .. 'server:' .. other
local node = redis.call('GET', key)
if not node or redis.call('PTTL', key) >= leftMs then return { told(), 0 } end
redis.call('DEL', key)
-- Also after a time in which nobody was there to say anything.
redis.call('SADD', P .. 'cut', other)
if redis.call('GET', P .. 'node:' .. node) == other then redis.call('DEL', P .. 'node:' .. node) end
return { told(), 1 }
