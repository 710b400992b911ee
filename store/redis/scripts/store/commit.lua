-- include rules/writing.lua
-- include rules/trail.lua

if isNewer() then return { told(), NEWER_FORMAT } end
local actor, id, expected, after, commit = arg(), arg(), number(), arg(), arg()
local key = S .. 'a:' .. actor
local stored = redis.call('HMGET', key, 'v', 'u', 'x', 'p')
if tonumber(stored[1] or '0') ~= expected then return { told(), CONFLICT } end
if after ~= '' and stored[2] ~= after then return { told(), CONFLICT } end
local foreign = foreignKey(number())
if foreign then return foreign end
local owner, epoch, gone = arg(), arg(), arg() == '1'
if gone and expected == 0 then return { told(), CONFLICT } end
if gone then
  -- Commands that free memory come first: then a full Redis accepts the others, too.
  leaveIndexes(key, stored[3], id)
  leaveOutbox(actor)
  leaveParts(stored[4])
  redis.call('UNLINK', key, S .. 'r:' .. actor, S .. 'k:' .. actor, S .. 't:' .. actor)
  count(number())
else
  local schema, body, hasRecord, record = arg(), arg(), arg() == '1', arg()
  local fields = { 'v', expected + 1, 'u', commit, 'server', owner, 'epoch', epoch, 'schema', schema, 'b', body }
  if hasRecord then
    leaveParts(stored[4])
    fields[13], fields[14], fields[15] = 'r', record, 'p'
    fields[16] = putParts(number())
  else
    number()
  end
  local isInNone = moveInIndexes(fields, stored[3], id, number())
  redis.call('HSET', key, unpack(fields))
  if isInNone then redis.call('HDEL', key, 'x') end
  count(number())
  local removed = number()
  for _ = 1, removed do
    local prefix = arg()
    if prefix == '' then
      redis.call('UNLINK', S .. 'r:' .. actor, S .. 'k:' .. actor, S .. 't:' .. actor)
    else
      local keys = below(actor, prefix)
      inChunks('HDEL', S .. 'r:' .. actor, keys)
      inChunks('ZREM', S .. 'k:' .. actor, keys)
    end
  end
  local put, written = number(), { after, commit }
  local rows, keys = args(2 * put), {}
  for n = 1, put do
    local row = rows[2 * n - 1]
    keys[2 * n - 1], keys[2 * n] = 0, row
    if n <= MOST_ROWS_OF_ONE then written[n + 2] = row end
  end
  inChunks('HSET', S .. 'r:' .. actor, rows)
  inChunks('ZADD', S .. 'k:' .. actor, keys)
  if put > 0 and put <= MOST_ROWS_OF_ONE and removed == 0 and after ~= '' and not hasRecord then
    -- By pcall: without a trail, servers read all rows. A key of another type must not fail the commit.
    redis.pcall('HSET', S .. 't:' .. actor, (expected + 1) % TRAIL, cjson.encode(written))
    if expected % TRAIL_RENEWAL == 1 then redis.call('EXPIRE', S .. 't:' .. actor, TRAIL_SECONDS) end
  end
  for _ = 1, number() do dropNotice(actor, arg()) end
  for _ = 1, number() do putNotice(actor, arg(), arg(), arg(), arg()) end
end
noteChange(actor)
for _ = 1, number() do settle(arg()) end
if arg() == '1' then clear(actor) end
for _ = 1, number() do prioritize(described()) end
for _ = 1, number() do withdraw(described()) end
for _ = 1, number() do offer(described()) end
return { told(), gone and 0 or expected + 1 }
