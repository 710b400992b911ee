-- include rules/ledger.lua
-- include rules/servers.lua
-- include rules/also-when-full.lua

-- The connection of this server is gone. The next server that reports finds it dead, unless it has reported meanwhile: then its key lasts
-- longer than these milliseconds.
local other, leftMs = arg(), number()
local key = P .. 'server:' .. other
local node = redis.call('GET', key)
if not node or redis.call('PTTL', key) >= leftMs then return { told(), 0 } end
redis.call('DEL', key)
-- Holds even if no server reported for some time.
redis.call('SADD', P .. 'cut', other)
if redis.call('GET', P .. 'node:' .. node) == other then redis.call('DEL', P .. 'node:' .. node) end
return { told(), 1 }
