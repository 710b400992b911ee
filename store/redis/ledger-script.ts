import { ALSO_WHEN_FULL, LEDGER } from './ledger-rules.ts';

const script = (body: string) => `${LEDGER}\n${body}`;
const writing = (body: string) => script(`${ALSO_WHEN_FULL}\n${body}`);

/** Scripts of the ledger, by their verbs. Each answers what is told to listeners, and then what was asked for. */
export const LEDGER_SCRIPTS = {
  offer: writing(`
    for _ = 1, number() do offer(described()) end
    return { told() }`),
  withdraw: writing(`
    for _ = 1, number() do withdraw(described()) end
    return { told() }`),
  claim: writing(`
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
      for priority = PRIORITIES, 0, -1 do
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
    return { told(), leases }`),
  beat: writing(`
    local token, worker, done, total = arg(), arg(), number(), number()
    local lease = leaseHeldBy(token, worker)
    if not lease then return { told(), 'lost' } end
    local moved = done > lease.done
    lease.lease = at + leaseMs
    if moved then lease.silent = at + silenceMs end
    lease.done, lease.total = math.max(lease.done, done), math.max(lease.total, total)
    -- The answer to this heartbeat tells the component to stop; from now on its time to do so runs.
    if lease.kill then lease.kill = math.min(lease.kill, at + graceMs) end
    keepClocks(lease)
    if not lease.begun then redis.call('HSET', lease.key, 'begun', '1') end
    for _, other in ipairs(besides(lease)) do
      -- The answer of another claim may never have reached the worker.
      if other.at == lease.at then leaveServer(other) end
      other.lease = at + leaseMs
      if moved and other.begun then other.silent = at + silenceMs end
      keepClocks(other)
    end
    return { told(), lease.cancelled and 'cancelled' or 'on' }`),
  arriving: writing(`
    local token, whole, answer = arg(), arg() == '1', arg()
    local lease = leaseOf(token)
    if not lease then return { told(), 1 } end
    leaveServer(lease)
    if answer ~= '' then
      local first = get(lease.key, 'answer')
      if first and first ~= answer then return { told(), 0 } end
      redis.call('HSET', lease.key, 'answer', answer)
    end
    if whole then
      lease.silent = math.huge
    else
      lease.lease, lease.silent = at + leaseMs, at + silenceMs
    end
    keepClocks(lease)
    return { told(), 1 }`),
  answerOf: script(`return { told(), redis.call('HGET', P .. 'answers', arg()) }`),
  look: script(`
    local token, worker = arg(), arg()
    local lease = leaseHeldBy(token, worker)
    if lease then return { told(), shown(lease) } end
    return { told(), redis.call('ZSCORE', P .. 'settled', token) and 'settled' or 'lost' }`),
  release: writing(`
    local token, worker, begun = arg(), arg(), arg() == '1'
    local lease = leaseHeldBy(token, worker)
    if lease then giveBack(lease, begun) end
    return { told(), lease and 1 or 0 }`),
  reject: writing(`
    local token, why = arg(), arg()
    local lease = leaseOf(token)
    if lease then lose(lease, why) end
    return { told(), lease and 1 or 0 }`),
  forget: writing(`
    local lease = leaseOf(arg())
    if lease then
      local item = itemOf(lease.id)
      free(lease, item)
      remove(item)
    end
    return { told() }`),
  gone: writing(`
    local worker, counted, why = arg(), arg() == '1', arg()
    local held = leasesOfWorker(worker)
    if counted then
      loseOrSetApart(held, why)
    else
      for _, lease in ipairs(held) do giveBack(lease, true) end
    end
    return { told() }`),
  alive: writing(`
    local ms, lostMs, returnMs, node, knows = number(), number(), number(), arg(), arg()
    local holder = redis.call('GET', P .. 'node:' .. node)
    if holder and holder ~= server then return { told(), {}, 0, holder, 0 } end
    redis.call('SET', P .. 'node:' .. node, server, 'PX', ms)
    redis.call('SET', P .. 'server:' .. server, node, 'PX', ms)
    local wasAbsent = redis.call('SADD', P .. 'servers', server)
    redis.call('HSET', P .. 'knows', server, knows)
    -- When nobody could say anything for so long, it was Redis that was away: all others get their time again, or what one may need
    -- to find a Redis to which it has lost its connection. Of times in which no connection can be lost that goes but once: a server
    -- that is late with each word, and alone, would else never find that the others are dead.
    local silentMs = at - tonumber(redis.call('GET', P .. 'heardOf') or at)
    local wasAway, isLong = silentMs > ms / 2, silentMs > lostMs
    local spareMs = isLong and math.max(ms, returnMs) or ms
    redis.call('SET', P .. 'heardOf', text(at))
    redis.call('SREM', P .. 'spared', server)
    local dead, ownQueues = {}, args(number())
    for _, other in ipairs(redis.call('SMEMBERS', P .. 'servers')) do
      local key = P .. 'server:' .. other
      if other ~= server and wasAway and (redis.call('SADD', P .. 'spared', other) == 1 or isLong) then
        redis.call('SET', key, redis.call('GET', key) or '', 'PX', spareMs)
        -- What it holds must not run out before it is heard of or is dead: that would cost an attempt.
        redis.call('SET', P .. 'granted', text(spareMs))
      elseif redis.call('EXISTS', key) == 0 then
        dead[#dead + 1] = other
        removeServer(other, ownQueues)
      end
    end
    return { told(), dead, redis.call('SCARD', P .. 'servers'), '', wasAbsent }`),
  there: script(`
    -- Not by its key, which is gone after a time in which Redis itself was away.
    return { told(), redis.call('SISMEMBER', P .. 'servers', arg()) }`),
  left: writing(`
    local node = redis.call('GET', P .. 'server:' .. server)
    if node and redis.call('GET', P .. 'node:' .. node) == server then redis.call('DEL', P .. 'node:' .. node) end
    redis.call('DEL', P .. 'server:' .. server)
    -- It has answered all claims before it went: who outlives it has got what it was given.
    for _, token in ipairs(redis.call('SMEMBERS', P .. 'v:' .. server)) do
      local lease = leaseOf(token)
      if lease then leaveServer(lease) end
    end
    removeServer(server, args(number()))
    return { told() }`),
  unavailable: writing(`
    local queue, why = arg(), arg()
    local unable = P .. 'unable:' .. queue
    -- What one server cannot serve another may: only when all of them have said so, and one has said why, is it lost.
    redis.call('HSET', unable, server, why)
    redis.call('EXPIRE', unable, UNABLE_SECONDS)
    local isOwn = string.sub(queue, -#server - 1) == '@' .. server
    for _, other in ipairs(isOwn and {} or redis.call('SMEMBERS', P .. 'servers')) do
      local says = redis.call('HGET', unable, other)
      if not says then return { told() } end
      if why == '' then why = says end
    end
    if why == '' then return { told() } end
    for _, id in ipairs(redis.call('ZRANGE', P .. 'since:' .. queue, 0, -1)) do
      local item = itemOf(id)
      if item then
        unwait(item)
        tell(item, 'lost', '', why)
      end
    end
    return { told() }`),
  expire: writing(`
    local stalledMs, gapMs, limit = number(), number(), number()
    -- When no server was there to be told of heartbeats, that was nobody's silence either.
    local before = tonumber(redis.call('GET', P .. 'looked') or '')
    if before and at - before > gapMs then stalledMs = math.max(stalledMs, at - before) end
    -- While one server stood still others have looked, and heard heartbeats.
    if before then stalledMs = math.min(stalledMs, at - before) end
    redis.call('SET', P .. 'looked', text(at))
    stalledMs = stalledMs + tonumber(redis.call('GET', P .. 'granted') or '0')
    redis.call('DEL', P .. 'granted')
    if stalledMs > 0 then
      for _, token in ipairs(redis.call('ZRANGE', P .. 'due', 0, -1)) do
        local lease = leaseOf(token)
        if lease then
          lease.lease, lease.silent, lease.whole = lease.lease + stalledMs, lease.silent + stalledMs, lease.whole + stalledMs
          if lease.kill then lease.kill = lease.kill + stalledMs end
          keepClocks(lease)
        end
      end
    end
    local expired = {}
    for _, token in ipairs(redis.call('ZRANGEBYSCORE', P .. 'due', '-inf', text(at), 'LIMIT', 0, limit)) do
      local lease = leaseOf(token)
      if lease then
        local why
        if lease.kill and at >= lease.kill then
          why = 'did not stop within ' .. text(graceMs) .. ' ms of being cancelled'
        elseif at >= lease.lease then
          why = 'no heartbeat for ' .. text(leaseMs) .. ' ms'
        elseif at >= lease.silent then
          why = 'no progress for ' .. text(silenceMs) .. ' ms'
        else
          why = 'not done after ' .. text(wholeMs) .. ' ms'
        end
        local held = besides(lease)
        if isUnheardOf(lease, held) then
          giveBack(lease, false)
        else
          expired[#expired + 1] = { shown(lease), why }
          table.insert(held, 1, lease)
          loseOrSetApart(held, why)
        end
      end
    end
    return { told(), expired }`),
  news: script(`
    local found = {}
    -- All that it writes takes something away: a full Redis lets that pass.
    for _, id in ipairs(redis.call('ZRANGE', P .. 'news', 0, number() - 1)) do
      local told = fieldsOf(P .. 'i:' .. id, 4, 'what', 'j', 'l', 'why')
      if told then found[#found + 1] = told else redis.call('ZREM', P .. 'news', id) end
    end
    return { told(), found }`),
  dismiss: writing(`
    local what, id, attempt = arg(), arg(), number()
    local item = itemOf(id)
    if item and item.state == 'told' and item.what == what and item.attempt == attempt then remove(item) end
    return { told() }`),
  announce: script(`
    for _, queue in ipairs(redis.call('SMEMBERS', P .. 'queues')) do offered[queue] = true end
    return { told() }`),
  queues: script(`
    local found = {}
    for _, queue in ipairs(redis.call('SMEMBERS', P .. 'queues')) do
      local figures = figuresOf(queue)
      if figures[2] + figures[3] > 0 then
        local oldest = redis.call('ZRANGE', P .. 'since:' .. queue, 0, 0, 'WITHSCORES')[2]
        figures[4] = oldest and text(at - tonumber(oldest)) or '0'
        found[#found + 1] = figures
      else
        redis.call('SREM', P .. 'queues', queue)
      end
    end
    return { told(), found }`),
  leases: script(`
    local found = {}
    for _, token in ipairs(redis.call('ZRANGE', P .. 'due', 0, -1)) do
      local lease = leaseOf(token)
      if lease then found[#found + 1] = shown(lease) end
    end
    return { told(), found }`),
  known: writing(`
    local actor, found = arg(), {}
    for _, id in ipairs(redis.call('SMEMBERS', P .. 'of:' .. actor)) do
      local item = itemOf(id)
      if not item then
        redis.call('SREM', P .. 'of:' .. actor, id)
      else
        found[#found + 1] = id
        -- Its lease cannot be read: nobody answers for it any more.
        if item.state == 'held' and not leaseOf(item.token) then
          freeQueue(item)
          wait(item, item.releases)
        end
      end
    end
    return { told(), found }`),
  schemas: script(`
    return { told(), redis.call('HVALS', P .. 'knows') }`),
  status: script(`
    local queues = {}
    for _, queue in ipairs(redis.call('SMEMBERS', P .. 'queues')) do
      if waitingIn(queue) > 0 then queues[#queues + 1] = queue end
    end
    local found = {}
    for _ = 1, number() do
      local actor = arg()
      local leases, ahead = {}, {}
      for _, id in ipairs(redis.call('SMEMBERS', P .. 'of:' .. actor)) do
        local item = itemOf(id)
        local lease = item and item.state == 'held' and leaseOf(item.token)
        if lease then leases[#leases + 1] = shown(lease) end
      end
      for _, queue in ipairs(queues) do
        local before = 0
        for priority = PRIORITIES, 0, -1 do
          local rank = redis.call('ZRANK', P .. 'turns:' .. queue .. ':' .. priority, actor)
          if rank then
            ahead[#ahead + 1] = { queue, before + rank }
            break
          end
          before = before + tonumber(redis.call('HGET', P .. 'depth', queue .. ':' .. priority) or '0')
        end
      end
      found[#found + 1] = { leases, ahead }
    end
    return { told(), found }`),
} as const;

export type LedgerVerb = keyof typeof LEDGER_SCRIPTS;
