-- include rules/writing.lua

if isNewer() then return { told(), NEWER_FORMAT } end
local actor, id, why, version, commit = arg(), arg(), arg(), arg(), arg()
local key = S .. 'a:' .. actor
local isOtherwise = isOther(key, 'hash')
local stored = isOtherwise and { '?' } or redis.call('HMGET', key, 'v', 'u', 'x')
if not stored[1] or version ~= '' and (version ~= stored[1] or commit ~= stored[2]) then return { told(), 0 } end
local foreign = foreignKey(number())
if foreign then return foreign end
local aside = S .. 'z:' .. redis.call('INCR', S .. 'commits') .. ':'
redis.call('RPUSH', S .. 'quarantine', cjson.encode({ actor = actor, why = why, at = at, keys = aside }))
if isOther(S .. 'n-of:' .. actor, 'set') then redis.call('RENAME', S .. 'n-of:' .. actor, aside .. 'n-of') end
for _, notice in ipairs(redis.call('SMEMBERS', S .. 'n-of:' .. actor)) do
  redis.call('HSET', aside .. 'notices', notice, redis.call('HGET', S .. 'n:' .. notice, 'b') or '')
end
if isOtherwise then leaveAllIndexes(id) else leaveIndexes(key, stored[3], id) end
leaveOutbox(actor)
redis.call('RENAME', key, aside .. 'actor')
if redis.call('EXISTS', S .. 'r:' .. actor) == 1 then redis.call('RENAME', S .. 'r:' .. actor, aside .. 'rows') end
redis.call('DEL', S .. 'k:' .. actor, S .. 't:' .. actor)
count(number())
if isOther(S .. 'w:of:' .. actor, 'set') then redis.call('UNLINK', S .. 'w:of:' .. actor) end
clear(actor)
noteChange(actor)
return { told(), 1 }
