-- include rules/ledger.lua
-- include rules/also-when-full.lua

local isKnown, worker, lasting, inTurn, max = arg() == '1', arg(), arg() == '1', arg() == '1', number()
-- Should a server die that others took for dead before, nobody finds it dead again: what it hands out until they have heard of it would
-- run out, and cost attempts.
if isKnown and redis.call('SISMEMBER', P .. 'servers', server) == 0 then return { told(), 'unheard' } end
local knows = {}
for _ = 1, number() do
  local kind = arg()
  knows[kind] = number()
end
local tokens = args(max)
local queues, waiting = {}, 0
for _ = 1, number() do
  local queue = arg()
  local length = waitingIn(queue)
  if length > 0 then
    queues[#queues + 1] = queue
    waiting = waiting + length
    redis.call('HDEL', P .. 'unable:' .. queue, server)
  end
end
local oldest = redis.call('ZRANGE', P .. 'w:' .. worker, 0, 0)[1]
local holds = oldest ~= nil
local before = oldest and leaseOf(oldest)
-- What is to have no other beside it is the only one that its worker holds.
if before and itemOf(before.id).alone then return { told(), {} } end
if inTurn then max = math.min(max, math.max(FEW, math.ceil(waiting / 2))) end

-- What a newer version has stored is left to the servers that can read it.
local readable = {}
local function isReadable(actor)
  if readable[actor] == nil then
    local known = knows[string.match(actor, '^[^/]*')]
    local schema = known and redis.call('HGET', KEYS[1] .. 'a:' .. actor, 'schema')
    readable[actor] = not schema or tonumber(schema) <= known
  end
  return readable[actor]
end

local function firstReadable(turns)
  local from, page = 0, 1
  while true do
    local actors = redis.call('ZRANGE', turns, from, from + page - 1)
    for _, actor in ipairs(actors) do
      if isReadable(actor) then return actor end
    end
    if #actors < page then return nil end
    from, page = from + page, CHUNK
  end
end

local function first()
  for priority = HIGHEST_PRIORITY, 0, -1 do
    for _, queue in ipairs(queues) do
      local actor = firstReadable(P .. 'turns:' .. queue .. ':' .. priority)
      if actor then return queue, priority, actor end
    end
  end
end

-- One that cannot be read goes, so that it is in nobody's way.
local function nextItem()
  while true do
    local queue, priority, actor = first()
    if not queue then return nil end
    local line = P .. 'line:' .. queue .. ':' .. priority .. ':' .. actor
    local id = redis.call('ZRANGE', line, 0, 0)[1]
    local item = id and itemOf(id)
    local isRead, what = pcall(cjson.decode, item and item.json or '')
    if isRead and type(what) == 'table' then
      item.kind = what.kind
      return item
    end
    local gone = { id = id or '', key = P .. 'i:' .. (id or ''), queue = queue, priority = string.format('%d', priority), actor = actor }
    if id then unwait(gone) end
    if redis.call('EXISTS', line) == 0 then redis.call('ZREM', turnsOf(gone), actor) end
    remove(gone)
  end
end

local function hold(item, token)
  unwait(item)
  -- The actor goes to the end of the turn, when more of it waits.
  if redis.call('EXISTS', lineOf(item)) == 1 then redis.call('ZADD', turnsOf(item), nextNumber(), item.actor) end
  local last = inTurn and redis.call('SCARD', P .. 'of:' .. item.actor) == 1
  local whole = at + wholeMs
  -- A live stream goes on for as long as it is wanted.
  if item.kind == 'STREAM' then whole = math.huge end
  local lease = {
    token = token, key = P .. 'l:' .. token, id = item.id, worker = worker, server = server, at = at,
    lease = at + leaseMs, silent = at + silenceMs, whole = whole, done = 0, total = 0, turn = inTurn, last = last
  }
  -- Should the server die, nobody knows whether a worker elsewhere has got it: until that is heard of, it ends with the server as well.
  redis.call('HSET', lease.key, 'i', item.id, 'w', worker, 'v', server, 'far', lasting and '1' or '0', 'at', text(at),
    'turn', inTurn and '1' or '0', 'last', last and '1' or '0')
  keepClocks(lease)
  redis.call('ZADD', P .. 'w:' .. worker, nextNumber(), token)
  redis.call('SADD', P .. 'v:' .. server, token)
  redis.call('HINCRBY', P .. 'held', item.queue, 1)
  redis.call('HSET', item.key, 's', 'held', 'l', token)
  return shown(lease)
end

local leases = {}
while #leases < max do
  local item = nextItem()
  if not item then break end
  -- One that is to have no other beside it.
  if item.alone and (holds or #leases > 0) then break end
  leases[#leases + 1] = hold(item, tokens[#leases + 1])
  if item.alone then break end
end
return { told(), leases }
