-- include rules/ledger.lua
-- include rules/also-when-full.lua

local stalledMs, gapMs, limit = number(), number(), number()
local reasons = { cancelled = arg(), lease = arg(), silence = arg(), whole = arg() }
-- While no server ran, components could not send heartbeats. This time does not count.
local before = tonumber(redis.call('GET', P .. 'looked') or '')
if before and at - before > gapMs then stalledMs = math.max(stalledMs, at - before) end
-- While one server was stalled, other servers received heartbeats.
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
    local expiry = 'whole'
    if lease.kill and at >= lease.kill then
      expiry = 'cancelled'
    elseif at >= lease.lease then
      expiry = 'lease'
    elseif at >= lease.silent then
      expiry = 'silence'
    end
    local why = reasons[expiry]
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
return { told(), expired, redis.call('ZCARD', P .. 'due') }
