-- include rules/also-when-full.lua

-- The first script that a server runs. Returns the stored format; an empty store gets the format of this server.
local S = KEYS[1]
local stored = redis.call('GET', S .. 'format')
if stored then return tonumber(stored) or stored end
-- Development versions before format 1 stored a layout, or nothing.
local layout = redis.call('GET', S .. 'layout')
if layout then return 'layout ' .. layout end
if redis.call('EXISTS', S .. 'counters', S .. 'sequences') > 0 then return 'layout 1' end
redis.call('SET', S .. 'format', FORMAT)
return FORMAT
