/**
 * The rules of the work ledger in Lua, for scripts that run within Redis: one at a time, each whole or not at all. They mean what
 * store/memory-ledger.ts and store/leases.ts mean; one contract suite holds both.
 *
 * Keys, all behind the prefix `P` whose braces put them in one slot:
 *
 *     i:<id>                         an item: j (as JSON), q(ueue), p(riority), a(ctor), n (attempt), s (state: waiting, held or told),
 *                                    k (times given back), l (token of its lease), o (orphan), alone; of news: what, why
 *     turns:<queue>:<priority>       actors by their turn
 *     line:<queue>:<priority>:<actor>  its items in order
 *     since:<queue>                  items that wait, by the time since when
 *     depth                          how many wait, by <queue>:<priority>
 *     queues, held                   names of queues, those of one server alone as <queue>@<server>; how many are held, by queue
 *     l:<token>                      a lease: i(tem), w(orker), v (server with which it ends), far (its worker outlives servers), at, lease,
 *                                    silent, whole, done, total, cancelled, kill, turn, last, begun (its worker has beaten for it),
 *                                    answer (the digest of the first that has come)
 *     due                            leases by the next of their clocks
 *     w:<worker>, v:<server>         leases of a worker; those that end with a server: of its own components, and what it has just handed
 *                                    out to others of whom nobody has heard since
 *     of:<actor>                     items that are known of an actor
 *     news                           items of which the actor has to hear, in the order in which that happened
 *     settled                        tokens whose answer was taken, the last thousand
 *     answers                        the digests of these answers, by token
 *     unable:<queue>                 servers that cannot serve it, each with the reason; '' where it is none of their queues
 *     looked                         when a server looked last for what has run out
 *     heardOf                        when a server said last that it is there
 *     servers, server:<server>       who is there, with its node; the second is gone soon after its server is
 *     knows                          what each of them knows, as JSON: layout, and schemas by the kinds of actors
 *     spared                         servers that got their time again, because Redis was away, and that were not heard of since
 *     granted                        milliseconds that all leases get besides, when somebody looks next for what has run out
 *     node:<name>                    the server whose own node has this name
 */
export const LEDGER = `
local P = KEYS[1] .. 'w:'
local position = 0
local function arg() position = position + 1; return ARGV[position] end
local function args(n)
  local taken = {}
  for i = 1, n do taken[i] = arg() end
  return taken
end
local function number() return tonumber(arg()) end

-- What the ledger is told with each call: milliseconds of its clock ('' is that of Redis), and its settings.
local at = arg()
if at == '' then
  local time = redis.call('TIME')
  at = time[1] * 1000 + math.floor(time[2] / 1000)
else
  at = tonumber(at)
end
local server, leaseMs, silenceMs, wholeMs, graceMs = arg(), number(), number(), number(), number()

local REMEMBERED, FEW, MAX_RELEASES, PRIORITIES, CHUNK = 1000, 16, 20, 9, 1000
-- A server that cannot serve a queue says so again with each offer; after so long it is asked anew.
local UNABLE_SECONDS = 600

local offered, news = {}, {}

local function nextNumber() return redis.call('INCR', P .. 'numbers') end
local function get(key, field) return redis.call('HGET', key, field) end

-- What is stored of one item or lease may be damaged, or something else: then there is none, and whoever finds its name forgets it.
local function fieldsOf(key, needed, ...)
  local fields = redis.pcall('HMGET', key, ...)
  if fields.err then redis.call('UNLINK', key) end
  for i = 1, needed do
    if not fields[i] then return nil end
  end
  return fields
end

local function itemOf(id)
  local key = P .. 'i:' .. id
  local fields = fieldsOf(key, 6, 's', 'q', 'p', 'a', 'n', 'j', 'l', 'k', 'o', 'what', 'alone')
  if not fields then return nil end
  return {
    id = id, key = key, state = fields[1], queue = fields[2], priority = fields[3], actor = fields[4],
    attempt = tonumber(fields[5]), json = fields[6], token = fields[7] or '', releases = tonumber(fields[8] or '0'),
    orphan = fields[9] == '1', what = fields[10], alone = fields[11] == '1'
  }
end

local function turnsOf(item) return P .. 'turns:' .. item.queue .. ':' .. item.priority end
local function lineOf(item) return P .. 'line:' .. item.queue .. ':' .. item.priority .. ':' .. item.actor end
local function waitingIn(queue) return redis.call('ZCARD', P .. 'since:' .. queue) end
local function heldIn(queue) return tonumber(redis.call('HGET', P .. 'held', queue) or '0') end

local function deepen(item, by)
  local field = item.queue .. ':' .. item.priority
  if redis.call('HINCRBY', P .. 'depth', field, by) == 0 then redis.call('HDEL', P .. 'depth', field) end
end

local function wait(item, releases)
  redis.call('HSET', item.key, 's', 'waiting', 'k', releases)
  redis.call('HDEL', item.key, 'l', 'o', 'what', 'why')
  local turn = nextNumber()
  redis.call('ZADD', turnsOf(item), 'NX', turn, item.actor)
  redis.call('ZADD', lineOf(item), turn, item.id)
  redis.call('ZADD', P .. 'since:' .. item.queue, at, item.id)
  redis.call('SADD', P .. 'queues', item.queue)
  deepen(item, 1)
  offered[item.queue] = true
end

local function unwait(item)
  redis.call('ZREM', lineOf(item), item.id)
  if redis.call('EXISTS', lineOf(item)) == 0 then redis.call('ZREM', turnsOf(item), item.actor) end
  redis.call('ZREM', P .. 'since:' .. item.queue, item.id)
  deepen(item, -1)
end

local function remove(item)
  redis.call('DEL', item.key)
  redis.call('SREM', P .. 'of:' .. item.actor, item.id)
  redis.call('ZREM', P .. 'news', item.id)
end

local function leaseOf(token)
  local key = P .. 'l:' .. token
  local f = fieldsOf(key, 6, 'i', 'w', 'at', 'lease', 'silent', 'whole', 'v', 'done', 'total', 'cancelled', 'kill', 'turn', 'last', 'far', 'begun')
  if not f or not itemOf(f[1]) then
    redis.call('UNLINK', key)
    redis.call('ZREM', P .. 'due', token)
    if f then redis.call('ZREM', P .. 'w:' .. f[2], token) end
    return nil
  end
  return {
    token = token, key = key, id = f[1], worker = f[2], at = tonumber(f[3]), lease = tonumber(f[4]), silent = tonumber(f[5]),
    whole = tonumber(f[6]), server = f[7] or '', done = tonumber(f[8] or '0'), total = tonumber(f[9] or '0'),
    cancelled = f[10] == '1', kill = f[11] and tonumber(f[11]), turn = f[12] == '1', last = f[13] == '1',
    far = f[14] == '1', begun = f[15] == '1'
  }
end

-- Numbers as text that loses nothing, also where a clock stands still for ever.
local function text(n)
  if n == math.huge then return 'inf' end
  return string.format('%.17g', n)
end

local function keepClocks(lease)
  redis.call('HSET', lease.key, 'lease', text(lease.lease), 'silent', text(lease.silent), 'whole', text(lease.whole),
    'done', text(lease.done), 'total', text(lease.total))
  if lease.kill then redis.call('HSET', lease.key, 'kill', text(lease.kill)) end
  redis.call('ZADD', P .. 'due', text(math.min(lease.lease, lease.silent, lease.whole, lease.kill or math.huge)), lease.token)
end

-- A lease as it is answered.
local function shown(lease)
  return {
    lease.token, get(P .. 'i:' .. lease.id, 'j'), lease.worker, text(lease.at), text(lease.lease), text(lease.silent), text(lease.whole),
    text(lease.done), text(lease.total), lease.cancelled and '1' or '0', lease.kill and text(lease.kill) or '',
    lease.turn and '1' or '0', lease.last and '1' or '0', lease.begun and '1' or '0', text(at)
  }
end

local function freeQueue(item)
  if redis.call('HINCRBY', P .. 'held', item.queue, -1) <= 0 then redis.call('HDEL', P .. 'held', item.queue) end
end

local function free(lease, item)
  redis.call('DEL', lease.key)
  redis.call('ZREM', P .. 'due', lease.token)
  redis.call('ZREM', P .. 'w:' .. lease.worker, lease.token)
  if lease.server ~= '' then redis.call('SREM', P .. 'v:' .. lease.server, lease.token) end
  freeQueue(item)
end

local function tell(item, what, token, why)
  redis.call('HSET', item.key, 's', 'told', 'what', what, 'l', token, 'why', why)
  redis.call('ZADD', P .. 'news', nextNumber(), item.id)
  news[#news + 1] = { what, item.json, token, why }
end

local function cancel(token)
  local lease = leaseOf(token)
  if not lease.kill then lease.kill = at + 2 * graceMs end
  redis.call('HSET', lease.key, 'cancelled', '1')
  keepClocks(lease)
end

-- Reads an item from the arguments, as the caller describes it.
local function described()
  local id, queue, priority, actor, attempt, json = arg(), arg(), number(), arg(), number(), arg()
  priority = math.min(PRIORITIES, math.max(0, priority))
  return { id = id, key = P .. 'i:' .. id, queue = queue, priority = string.format('%d', priority), actor = actor, attempt = attempt, json = json }
end

local function keep(item)
  redis.call('HSET', item.key, 'j', item.json, 'q', item.queue, 'p', item.priority, 'a', item.actor, 'n', item.attempt)
  redis.call('SADD', P .. 'of:' .. item.actor, item.id)
end

local function offer(item)
  local known = itemOf(item.id)
  offered[item.queue] = true
  -- Of what was lost or dropped the actor has not heard yet, unless it offers a later attempt.
  if known and (known.state ~= 'told' or item.attempt <= known.attempt) then return end
  if known then redis.call('ZREM', P .. 'news', item.id) end
  keep(item)
  wait(item, 0)
end

local function withdraw(item)
  local known = itemOf(item.id)
  if known and known.state == 'held' then
    if leaseOf(known.token) then return cancel(known.token) end
    freeQueue(known)
  end
  if known and known.state == 'told' and known.what == 'dropped' then return end
  if known and known.state == 'waiting' then unwait(known) end
  keep(item)
  tell(item, 'dropped', '', '')
end

local function remember(token, answer)
  redis.call('ZADD', P .. 'settled', nextNumber(), token)
  if answer then redis.call('HSET', P .. 'answers', token, answer) end
  local old = redis.call('ZRANGE', P .. 'settled', 0, -REMEMBERED - 1)
  if #old == 0 then return end
  redis.call('ZREMRANGEBYRANK', P .. 'settled', 0, -REMEMBERED - 1)
  redis.call('HDEL', P .. 'answers', unpack(old))
  -- Servers of an earlier version forget tokens alone.
  if redis.call('HLEN', P .. 'answers') > 2 * REMEMBERED then redis.call('DEL', P .. 'answers') end
end

local function settle(id)
  local item = itemOf(id)
  if not item then return end
  if item.state == 'held' then
    local lease = leaseOf(item.token)
    local answer = lease and get(lease.key, 'answer')
    if lease then free(lease, item) else freeQueue(item) end
    remember(item.token, answer)
  elseif item.state == 'waiting' then
    unwait(item)
  end
  remove(item)
end

local function clear(actor)
  for _, id in ipairs(redis.call('SMEMBERS', P .. 'of:' .. actor)) do
    local item = itemOf(id)
    if not item then
      redis.call('SREM', P .. 'of:' .. actor, id)
    elseif item.state ~= 'held' or not leaseOf(item.token) then
      settle(id)
    else
      cancel(item.token)
      redis.call('HSET', item.key, 'o', '1')
    end
  end
end

local function lose(lease, why)
  local item = itemOf(lease.id)
  free(lease, item)
  if item.orphan then
    remove(item)
  elseif lease.cancelled then
    tell(item, 'dropped', '', '')
  else
    tell(item, 'lost', lease.token, why)
  end
end

local function giveBack(lease, begun)
  local item = itemOf(lease.id)
  if lease.cancelled then
    lose(lease, '')
  elseif begun and item.releases >= MAX_RELEASES then
    lose(lease, 'it was given back ' .. MAX_RELEASES .. ' times')
  else
    free(lease, item)
    wait(item, begun and item.releases + 1 or item.releases)
  end
end

-- What a server offered to its own components alone goes with it.
local function removeServer(gone, ownQueues)
  for _, token in ipairs(redis.call('SMEMBERS', P .. 'v:' .. gone)) do
    local lease = leaseOf(token)
    if lease then giveBack(lease, false) end
  end
  redis.call('DEL', P .. 'v:' .. gone)
  redis.call('SREM', P .. 'servers', gone)
  redis.call('HDEL', P .. 'knows', gone)
  redis.call('SREM', P .. 'spared', gone)
  local own = {}
  for _, name in ipairs(ownQueues) do
    local queue = name .. '@' .. gone
    own[queue] = true
    for _, id in ipairs(redis.call('ZRANGE', P .. 'since:' .. queue, 0, -1)) do
      local item = itemOf(id)
      if item then
        unwait(item)
        remove(item)
      else
        redis.call('ZREM', P .. 'since:' .. queue, id)
      end
    end
  end
  for _, id in ipairs(redis.call('ZRANGE', P .. 'news', 0, -1)) do
    local item = itemOf(id)
    if item and own[item.queue] then remove(item) end
  end
end

local function leasesOfWorker(worker)
  local found = {}
  for _, token in ipairs(redis.call('ZRANGE', P .. 'w:' .. worker, 0, -1)) do found[#found + 1] = leaseOf(token) end
  return found
end

-- Others that the worker of a lease works on in turn with it.
local function besides(lease)
  local found = {}
  if not lease.turn then return found end
  for _, other in ipairs(leasesOfWorker(lease.worker)) do
    if other.turn and other.token ~= lease.token then found[#found + 1] = other end
  end
  return found
end

-- Its worker gets on with others, and has not begun this one for long: the answer of its claim may be lost.
local function isUnheardOf(lease, others)
  local isSilence = at >= lease.silent and at < lease.lease and not (lease.kill and at >= lease.kill)
  if lease.begun or not isSilence then return false end
  for _, other in ipairs(others) do
    if at < other.lease and at < other.silent then return true end
  end
  return false
end

-- On which of several items a worker was when it went is not known, nor whether it had got all of them: all go back, each to be handed out
-- alone.
local function loseOrSetApart(leases, why)
  if #leases == 1 then return lose(leases[1], why) end
  for _, lease in ipairs(leases) do
    redis.call('HSET', P .. 'i:' .. lease.id, 'alone', '1')
    giveBack(lease, true)
  end
end

-- A worker that outlives servers knows of its lease: it does not end any more with the server that gave it.
local function leaveServer(lease)
  if not lease.far or lease.server == '' then return end
  redis.call('SREM', P .. 'v:' .. lease.server, lease.token)
  redis.call('HSET', lease.key, 'v', '')
  lease.server = ''
end

local function leaseHeldBy(token, worker)
  local lease = leaseOf(token)
  if not lease or lease.worker ~= worker then return nil end
  leaveServer(lease)
  return lease
end

local function figuresOf(queue) return { queue, waitingIn(queue), heldIn(queue) } end

-- What the caller tells its listeners; the listeners of other servers hear of queues by the channel.
local function told()
  local queues = {}
  for queue in pairs(offered) do
    local figures = figuresOf(queue)
    if figures[2] > 0 then queues[#queues + 1] = figures end
  end
  if #queues > 0 then redis.call('PUBLISH', KEYS[1] .. 'offered', cjson.encode({ server = server, queues = queues })) end
  return { queues, news }
end
`;

/**
 * First in each script that changes something. While its memory is full Redis refuses the first write of a script, if that may take more,
 * and none of the later ones: one that takes nothing lets what is there come to its end, which is what frees memory. That no new jobs
 * come then is seen to before (`full` of the store).
 */
export const ALSO_WHEN_FULL = `redis.call('DEL', KEYS[1] .. 'none')`;
