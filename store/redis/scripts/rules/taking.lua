-- Changes of the items that a claim takes. They are written with one command for each key when the script ends, or before another part
-- of the script reads these keys.
local later = { due = {}, worker = {}, server = {}, held = {}, depth = {}, since = {}, jobs = {}, lines = {} }

local function append(list, ...)
  for _, value in ipairs({ ... }) do list[#list + 1] = value end
end

local function listOf(lists, key)
  if not lists[key] then lists[key] = {} end
  return lists[key]
end

-- The next actor of a user, read page by page. If this server cannot read one of them, each is checked again at each turn.
local function nextActor(key)
  local jobs = later.jobs[key]
  if not jobs then
    local page = math.min(max, CHUNK)
    local actors = redis.call('ZRANGE', key, 0, page - 1)
    jobs = { actors = actors, place = 1, isWhole = #actors < page, gone = {}, moved = {} }
    for _, actor in ipairs(actors) do
      if not isReadable(actor) then jobs.isMixed = true end
    end
    later.jobs[key] = jobs
  end
  if jobs.isMixed then return firstReadable(key) end
  return jobs.actors[jobs.place]
end

local function saveJobs(key, jobs)
  local moved = {}
  for actor, turn in pairs(jobs.moved) do append(moved, turn, actor) end
  inChunks('ZREM', key, jobs.gone)
  inChunks('ZADD', key, moved)
  later.jobs[key] = nil
end

-- Ends the turn of the actor of this item, even if more of its items wait.
local function takeTurn(key, item, turn)
  local jobs = later.jobs[key]
  if jobs.isMixed then
    if item.isLast then redis.call('ZREM', key, item.actor) else redis.call('ZADD', key, turn, item.actor) end
    return
  end
  jobs.place = jobs.place + 1
  if item.isLast then
    append(jobs.gone, item.actor)
    jobs.moved[item.actor] = nil
  else
    jobs.moved[item.actor] = turn
    if jobs.isWhole then append(jobs.actors, item.actor) end
  end
  -- More actors follow after this page, perhaps some that were moved.
  if not jobs.isWhole and jobs.place > #jobs.actors then saveJobs(key, jobs) end
end

-- The same as `unwait`, but written at the end.
local function take(item, turn)
  if item.isLast then append(later.lines, lineOf(item)) else redis.call('ZREM', lineOf(item), item.id) end
  append(listOf(later.since, P .. 'since:' .. item.queue), item.id)
  local level = item.queue .. ':' .. item.priority
  later.depth[level] = (later.depth[level] or 0) - 1
  takeTurn(jobsKey(item.queue, item.priority, item.user), item, turn)
  endTurn(item, turn)
  stopWaiting(item)
end

local function saveAll()
  for key, jobs in pairs(later.jobs) do saveJobs(key, jobs) end
  for key, ids in pairs(later.since) do inChunks('ZREM', key, ids) end
  for level, by in pairs(later.depth) do
    if redis.call('HINCRBY', P .. 'depth', level, by) < 0 then redis.call('HDEL', P .. 'depth', level) end
  end
  for queue, by in pairs(later.held) do redis.call('HINCRBY', P .. 'held', queue, by) end
  if #later.lines > 0 then inChunks('DEL', later.lines[1], later.lines) end
  inChunks('ZADD', P .. 'due', later.due)
  inChunks('ZADD', P .. 'w:' .. worker, later.worker)
  inChunks('SADD', P .. 'v:' .. server, later.server)
  later = { due = {}, worker = {}, server = {}, held = {}, depth = {}, since = {}, jobs = {}, lines = {} }
end
