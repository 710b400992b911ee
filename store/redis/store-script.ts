/**
 * The verbs of the store in Lua, for scripts that run within Redis. A commit writes all that it changes in one script, the work ledger
 * included. What is stored of an actor is text to Redis: it is never taken apart here.
 *
 * Keys, all behind the prefix `S` whose braces put them in one slot:
 *
 *     a:<actor>          hash: v(ersion), u (id of the commit that wrote it), server, epoch, schema, b(ody), r(ecord)
 *                        x (names of the indexes that it stands in, as JSON), p(arts of the record that others have, too), as name:hash,name:hash
 *     p:<hash>           such a part: n (how many have it), j (as JSON)
 *     r:<actor>          hash of rows; k:<actor> their keys in order
 *     t:<actor>          hash, its trail: what the last commits have written, each as JSON [commit before, commit, key of a row, ...]
 *     i:<index>          its entries by score
 *     n:<id>             a notice: d(estination), due, a(ctor), b(ody)
 *     n-of:<actor>       its notices
 *     o:<destination>    notices by the time at which they are due; destinations: all that have some
 *     layout             number of the layout
 *     counters, sequences, quarantine, commits (numbers of what was put aside)
 *     process            the process of Redis that gave the last number of a sequence
 *     z:<n>:...          what was put aside: the actor, its rows and notices as they were
 */
import { LAYOUT, NEWER_LAYOUT } from './layout.ts';
import { ALSO_WHEN_FULL, LEDGER } from './ledger-rules.ts';

/**
 * So many commits can be told to a server that knows an earlier one, when each has written so many rows at most: all in all a part of what
 * the rows themselves take. A commit of version n stands in place n % TRAIL of the trail, with the one that it follows: where an entry is
 * missing, or left from an earlier round, the chain breaks.
 */
const TRAIL = 256;
const MOST_ROWS_OF_ONE = 128;
/** Servers that look later read all rows. An actor that an older version removes, which knows of no trail, leaves none for ever. */
const TRAIL_SECONDS = 3_600;
/** Beyond them all rows are as quickly read, page by page. */
const MOST_ROWS_SINCE = 4_000;

/** Of verbs that change nothing of which anybody is told: they do not ask for the time either. */
const READING = `
local S = KEYS[1]
local CHUNK = 1000
local position = 0
local function arg() position = position + 1; return ARGV[position] end
local function number() return tonumber(arg()) end

-- Bytes, not the order of some language.
local function isBefore(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

local function bodiesOf(actor, keys)
  local bodies = {}
  for first = 1, #keys, CHUNK do
    for _, body in ipairs(redis.call('HMGET', S .. 'r:' .. actor, unpack(keys, first, math.min(first + CHUNK - 1, #keys)))) do
      bodies[#bodies + 1] = body
    end
  end
  return bodies
end

-- Where a page begins that comes after (score, id).
local function pageStart(key, score, id, descending)
  local rank = redis.call(descending and 'ZREVRANK' or 'ZRANK', key, id)
  if rank and tonumber(redis.call('ZSCORE', key, id)) == tonumber(score) then return rank + 1 end
  local start = descending and redis.call('ZCOUNT', key, '(' .. score, '+inf') or redis.call('ZCOUNT', key, '-inf', '(' .. score)
  for _, same in ipairs(redis.call('ZRANGEBYSCORE', key, score, score)) do
    if descending and isBefore(id, same) or not descending and isBefore(same, id) then start = start + 1 end
  end
  return start
end
`;

const WRITING = `${LEDGER}
${ALSO_WHEN_FULL}
local S = KEYS[1]

-- Calls with many arguments, some at a time: Lua takes no more than some thousands.
local function inChunks(command, key, values)
  for from = 1, #values, CHUNK do
    redis.call(command, key, unpack(values, from, math.min(from + CHUNK - 1, #values)))
  end
end

local function isNewer()
  return tonumber(redis.call('GET', S .. 'layout') or '0') > ${LAYOUT}
end

local function count(n)
  for _ = 1, n do
    local name, by = arg(), arg()
    if redis.call('HINCRBY', S .. 'counters', name, by) == 0 then redis.call('HDEL', S .. 'counters', name) end
  end
end

-- Keys are UTF-8, in which no byte is 255: it comes after everything that can follow a prefix.
local function below(actor, prefix)
  return redis.call('ZRANGEBYLEX', S .. 'k:' .. actor, '[' .. prefix, '(' .. prefix .. '\\255')
end

local function dropNotice(actor, id)
  local notice = S .. 'n:' .. id
  if redis.call('HGET', notice, 'a') ~= actor then return end
  local destination = redis.call('HGET', notice, 'd')
  redis.call('DEL', notice)
  redis.call('SREM', S .. 'n-of:' .. actor, id)
  redis.call('ZREM', S .. 'o:' .. destination, id)
  if redis.call('EXISTS', S .. 'o:' .. destination) == 0 then redis.call('ZREM', S .. 'destinations', destination) end
end

local function putNotice(actor, id, destination, due, body)
  local owner = redis.call('HGET', S .. 'n:' .. id, 'a')
  if owner and owner ~= actor then return end
  dropNotice(actor, id)
  redis.call('HSET', S .. 'n:' .. id, 'd', destination, 'due', due, 'a', actor, 'b', body)
  redis.call('SADD', S .. 'n-of:' .. actor, id)
  redis.call('ZADD', S .. 'o:' .. destination, due, id)
  redis.call('ZADD', S .. 'destinations', 0, destination)
end

local function leaveParts(key)
  for hash in string.gmatch(redis.call('HGET', key, 'p') or '', ':([^,]+)') do
    if redis.call('HINCRBY', S .. 'p:' .. hash, 'n', -1) <= 0 then redis.call('UNLINK', S .. 'p:' .. hash) end
  end
  redis.call('HDEL', key, 'p')
end

local function putParts(key, n)
  local parts = {}
  for i = 1, n do
    local name, hash, text = arg(), arg(), arg()
    if redis.call('HINCRBY', S .. 'p:' .. hash, 'n', 1) == 1 then redis.call('HSET', S .. 'p:' .. hash, 'j', text) end
    parts[i] = name .. ':' .. hash
  end
  if n > 0 then redis.call('HSET', key, 'p', table.concat(parts, ',')) end
end

-- In which indexes a damaged actor stands is not known: all are looked at.
local function leaveAllIndexes(id)
  local cursor = '0'
  repeat
    local found = redis.call('SCAN', cursor, 'MATCH', S .. 'i:*', 'COUNT', CHUNK)
    cursor = found[1]
    for _, index in ipairs(found[2]) do redis.pcall('ZREM', index, id) end
  until cursor == '0'
end

local function isOther(key, kind)
  local is = redis.call('TYPE', key).ok
  return is ~= kind and is ~= 'none'
end

-- Of keys with their types, the first that is something else: nothing is written then.
local function foreignKey(n)
  for _ = 1, n do
    local key, kind = S .. arg(), arg()
    if isOther(key, kind) then return redis.error_reply('WRONGTYPE ' .. key .. ' is a ' .. redis.call('TYPE', key).ok .. ' and no ' .. kind) end
  end
end

local function indexesOf(key)
  local names = {}
  for _, name in ipairs(cjson.decode(redis.call('HGET', key, 'x') or '[]')) do names[name] = true end
  return names
end

local function moveInIndexes(key, id, n)
  if n == 0 then return end
  local names, list = indexesOf(key), {}
  for _ = 1, n do
    local name, score = arg(), arg()
    if score == '' then
      redis.call('ZREM', S .. 'i:' .. name, id)
      names[name] = nil
    else
      redis.call('ZADD', S .. 'i:' .. name, score, id)
      names[name] = true
    end
  end
  for name in pairs(names) do list[#list + 1] = name end
  if #list > 0 then redis.call('HSET', key, 'x', cjson.encode(list)) else redis.call('HDEL', key, 'x') end
end

local function leaveIndexes(key, actor, id)
  for name in pairs(indexesOf(key)) do redis.call('ZREM', S .. 'i:' .. name, id) end
  redis.call('HDEL', key, 'x')
  -- The first layout kept them so.
  for _, name in ipairs(redis.call('SMEMBERS', S .. 'x:' .. actor)) do redis.call('ZREM', S .. 'i:' .. name, id) end
  redis.call('DEL', S .. 'x:' .. actor)
end

local function leaveOutbox(actor)
  for _, id in ipairs(redis.call('SMEMBERS', S .. 'n-of:' .. actor)) do dropNotice(actor, id) end
end
`;

const reading = (body: string) => `${READING}\n${body}`;
const writing = (body: string) => `${WRITING}\n${body}`;

/** Answered by a commit instead of a version. */
export const CONFLICT = -1;

export const STORE_SCRIPTS = {
  commit: writing(`
    if isNewer() then return { told(), ${NEWER_LAYOUT} } end
    local actor, id, expected, after, commit = arg(), arg(), number(), arg(), arg()
    local key = S .. 'a:' .. actor
    local stored = redis.call('HMGET', key, 'v', 'u')
    if tonumber(stored[1] or '0') ~= expected then return { told(), ${CONFLICT} } end
    if after ~= '' and stored[2] ~= after then return { told(), ${CONFLICT} } end
    local foreign = foreignKey(number())
    if foreign then return foreign end
    local owner, epoch, gone = arg(), arg(), arg() == '1'
    if gone and expected == 0 then return { told(), ${CONFLICT} } end
    if gone then
      -- What only takes away comes first: then a Redis that is full lets the rest pass as well.
      leaveIndexes(key, actor, id)
      leaveOutbox(actor)
      leaveParts(key)
      redis.call('UNLINK', key, S .. 'r:' .. actor, S .. 'k:' .. actor, S .. 't:' .. actor)
      count(number())
    else
      local schema, body, hasRecord, record = arg(), arg(), arg() == '1', arg()
      redis.call('HSET', key, 'v', expected + 1, 'u', commit, 'server', owner, 'epoch', epoch, 'schema', schema, 'b', body)
      if hasRecord then
        if expected > 0 then leaveParts(key) end
        redis.call('HSET', key, 'r', record)
      end
      putParts(key, number())
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
      for n = 1, put do
        local row, text = arg(), arg()
        redis.call('HSET', S .. 'r:' .. actor, row, text)
        redis.call('ZADD', S .. 'k:' .. actor, 0, row)
        if n <= ${MOST_ROWS_OF_ONE} then written[n + 2] = row end
      end
      if put > 0 and put <= ${MOST_ROWS_OF_ONE} and removed == 0 and after ~= '' and not hasRecord then
        -- Without it all rows are read: what somebody else has put in its place stops nobody.
        redis.pcall('HSET', S .. 't:' .. actor, (expected + 1) % ${TRAIL}, cjson.encode(written))
        redis.call('EXPIRE', S .. 't:' .. actor, ${TRAIL_SECONDS})
      end
      moveInIndexes(key, id, number())
      for _ = 1, number() do dropNotice(actor, arg()) end
      for _ = 1, number() do putNotice(actor, arg(), arg(), arg(), arg()) end
    end
    for _ = 1, number() do settle(arg()) end
    if arg() == '1' then clear(actor) end
    for _ = 1, number() do withdraw(described()) end
    for _ = 1, number() do offer(described()) end
    return { told(), gone and 0 or expected + 1 }`),
  load: reading(`
    local key, known = S .. 'a:' .. arg(), arg()
    local commit = redis.call('HGET', key, 'u')
    if not commit or commit == known then return { commit or '' } end
    return { commit, redis.call('HMGET', key, 'v', 'server', 'epoch', 'schema', 'b', 'r', 'p') }`),
  since: reading(`
    local actor, version, commit = arg(), number(), arg()
    local key, keys, known = S .. 'a:' .. actor, {}, {}
    local stored = redis.call('HMGET', key, 'v', 'u', 'schema', 'b')
    local now, last = tonumber(stored[1] or '0'), stored[2] or ''
    if now == version and last == commit then return { 'nothing' } end
    if now <= version or now - version > ${TRAIL} then return { 'unknown' } end
    for n = version + 1, now do
      local entry = redis.pcall('HGET', S .. 't:' .. actor, n % ${TRAIL})
      local isEntry, written = pcall(cjson.decode, entry)
      if not isEntry or written[1] ~= commit then return { 'unknown' } end
      commit = written[2]
      for i = 3, #written do
        if not known[written[i]] then keys[#keys + 1] = written[i] end
        known[written[i]] = true
      end
    end
    if commit ~= last or #keys > ${MOST_ROWS_SINCE} then return { 'unknown' } end
    return { 'changed', now, last, stored[3], stored[4], keys, bodiesOf(actor, keys) }`),
  parts: reading(`
    local found = {}
    for i, hash in ipairs(ARGV) do found[i] = redis.call('HGET', S .. 'p:' .. hash, 'j') end
    return found`),
  rows: reading(`
    local actor, prefix, after, limit = arg(), arg(), arg(), number()
    local from = '[' .. prefix
    if after ~= '' and not isBefore(after, prefix) then from = '(' .. after end
    local keys = redis.call('ZRANGEBYLEX', S .. 'k:' .. actor, from, '(' .. prefix .. '\\255', 'LIMIT', 0, limit)
    return { keys, bodiesOf(actor, keys) }`),
  list: reading(`
    local key, limit, descending, hasAfter = S .. 'i:' .. arg(), number(), arg() == '1', arg() == '1'
    local start = hasAfter and pageStart(key, arg(), arg(), descending) or 0
    return { redis.call(descending and 'ZREVRANGE' or 'ZRANGE', key, start, start + limit - 1, 'WITHSCORES') }`),
  outbox: reading(`
    local key, limit, hasAfter = S .. 'o:' .. arg(), number(), arg() == '1'
    local start = hasAfter and pageStart(key, arg(), arg(), false) or 0
    local found = {}
    for _, id in ipairs(redis.call('ZRANGE', key, start, start + limit - 1)) do
      local notice = redis.call('HMGET', S .. 'n:' .. id, 'due', 'a', 'b')
      found[#found + 1] = { id, notice[1], notice[2], notice[3] }
    end
    return { found }`),
  damage: reading(`
    local actor = arg()
    for key, kind in pairs({ ['a:'] = 'hash', ['r:'] = 'hash', ['k:'] = 'zset', ['n-of:'] = 'set' }) do
      local is = redis.call('TYPE', S .. key .. actor).ok
      if is ~= kind and is ~= 'none' then return S .. key .. actor .. ' is a ' .. is .. ' and no ' .. kind end
    end
    return ''`),
  destinations: reading(`
    local after, limit = arg(), number()
    return { redis.call('ZRANGEBYLEX', S .. 'destinations', after == '' and '-' or '(' .. after, '+', 'LIMIT', 0, limit) }`),
  next: reading(`
    ${ALSO_WHEN_FULL}
    local sequence, count, process, gap = arg(), number(), arg(), number()
    local before = redis.call('GET', S .. 'process')
    -- Another process may have forgotten the last numbers that were given: it was restarted, or was a copy that lagged behind.
    if before and before ~= process then
      for _, name in ipairs(redis.call('HKEYS', S .. 'sequences')) do redis.call('HINCRBY', S .. 'sequences', name, gap) end
    end
    if process ~= before then redis.call('SET', S .. 'process', process) end
    return { redis.call('HINCRBY', S .. 'sequences', sequence, count) - count + 1 }`),
  quarantine: writing(`
    if isNewer() then return { told(), ${NEWER_LAYOUT} } end
    local actor, id, why, version, commit = arg(), arg(), arg(), arg(), arg()
    local key = S .. 'a:' .. actor
    local isOtherwise = isOther(key, 'hash')
    local stored = isOtherwise and { '?' } or redis.call('HMGET', key, 'v', 'u')
    if not stored[1] or version ~= '' and (version ~= stored[1] or commit ~= stored[2]) then return { told(), 0 } end
    local foreign = foreignKey(number())
    if foreign then return foreign end
    local aside = S .. 'z:' .. redis.call('INCR', S .. 'commits') .. ':'
    redis.call('RPUSH', S .. 'quarantine', cjson.encode({ actor = actor, why = why, at = at, keys = aside }))
    if isOther(S .. 'n-of:' .. actor, 'set') then redis.call('RENAME', S .. 'n-of:' .. actor, aside .. 'n-of') end
    for _, notice in ipairs(redis.call('SMEMBERS', S .. 'n-of:' .. actor)) do
      redis.call('HSET', aside .. 'notices', notice, redis.call('HGET', S .. 'n:' .. notice, 'b') or '')
    end
    if isOtherwise then leaveAllIndexes(id) else leaveIndexes(key, actor, id) end
    leaveOutbox(actor)
    redis.call('RENAME', key, aside .. 'actor')
    if redis.call('EXISTS', S .. 'r:' .. actor) == 1 then redis.call('RENAME', S .. 'r:' .. actor, aside .. 'rows') end
    redis.call('DEL', S .. 'k:' .. actor, S .. 't:' .. actor)
    count(number())
    if isOther(S .. 'w:of:' .. actor, 'set') then redis.call('UNLINK', S .. 'w:of:' .. actor) end
    clear(actor)
    return { told(), 1 }`),
} as const;

export type StoreVerb = keyof typeof STORE_SCRIPTS;
