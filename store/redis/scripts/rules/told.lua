-- The worker knows of its lease, so the lease no longer ends with the server that handed it out. Only for workers that run without
-- that server.
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

-- News for the calling server. Other servers receive the queues on the channel `offered`.
local function told()
  saveUsers()
  local queues = {}
  for queue in pairs(offered) do
    local figures = figuresOf(queue)
    if figures[2] > 0 then queues[#queues + 1] = figures end
  end
  if #queues > 0 then redis.call('PUBLISH', KEYS[1] .. 'offered', cjson.encode({ server = server, queues = queues })) end
  return { queues, news }
end
