-- include rules/reading.lua
-- include rules/trail.lua

local actor, version, commit = arg(), number(), arg()
local key, keys, known = S .. 'a:' .. actor, {}, {}
local stored = redis.call('HMGET', key, 'v', 'u', 'schema', 'b')
local now, last = tonumber(stored[1] or '0'), stored[2] or ''
if now == version and last == commit then return { 'nothing' } end
if now <= version or now - version > TRAIL then return { 'unknown' } end
for n = version + 1, now do
  local entry = redis.pcall('HGET', S .. 't:' .. actor, n % TRAIL)
  local isEntry, written = pcall(cjson.decode, entry)
  if not isEntry or written[1] ~= commit then return { 'unknown' } end
  commit = written[2]
  for i = 3, #written do
    if not known[written[i]] then keys[#keys + 1] = written[i] end
    known[written[i]] = true
  end
end
if commit ~= last or #keys > MOST_ROWS_SINCE then return { 'unknown' } end
return { 'changed', now, last, stored[3], stored[4], keys, bodiesOf(actor, keys) }
