-- include rules/also-when-full.lua

-- To be asked before anything else: the format that is there. Where nothing is, that of this server is from now on.
local S = KEYS[1]
local stored = redis.call('GET', S .. 'format')
if stored then return tonumber(stored) or stored end
-- Versions before the first format had a layout, or not even that.
local layout = redis.call('GET', S .. 'layout')
if layout then return 'layout ' .. layout end
if redis.call('EXISTS', S .. 'counters', S .. 'sequences') > 0 then return 'layout 1' end
redis.call('SET', S .. 'format', FORMAT)
return FORMAT
