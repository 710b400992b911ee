-- include rules/ledger.lua

generation = readGeneration()

-- All waiting users of a level, each with the number of its waiting items there and above: the input of `countAhead` of store/turns.
local levels, numbers = {}, {}
local function numberOf(queue, priority)
  local key = placesKey(queue, priority)
  if numbers[key] then return numbers[key] end
  local places = {}
  for i, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    local place = placeOf(member)
    local user, above = userOf(queue, place.user), 0
    for other, waits in pairs(user.waits) do
      if other > priority then above = above + waits end
    end
    places[i] = { place.user, place.weight, place.held + above, text(place.pass), text(place.turn), user.waits[priority] or 0 }
  end
  levels[#levels + 1] = { text(timeOf(levelKey(queue, priority)).at), places }
  numbers[key] = #levels
  return #levels
end

local function aheadOf(item)
  local before = 0
  for priority = HIGHEST_PRIORITY, item.priority + 1, -1 do
    before = before + tonumber(get(P .. 'depth', item.queue .. ':' .. priority) or '0')
  end
  local rank = generation and redis.call('ZRANK', jobsKey(item.queue, item.priority, item.user), item.actor) or 0
  return { item.queue, before, rank, item.user, generation and numberOf(item.queue, item.priority) or 0 }
end

local found = {}
for _ = 1, number() do
  local actor = arg()
  local leases, ahead, firsts = {}, {}, {}
  for _, id in ipairs(redis.call('SMEMBERS', P .. 'of:' .. actor)) do
    local item = itemOf(id)
    local lease = item and item.state == 'held' and leaseOf(item.token)
    if lease then leases[#leases + 1] = shown(lease, item.json) end
    if item and item.state == 'waiting' then
      local known = firsts[item.queue]
      if not known or known.priority < item.priority then firsts[item.queue] = item end
    end
  end
  for _, item in pairs(firsts) do ahead[#ahead + 1] = aheadOf(item) end
  found[#found + 1] = { leases, ahead }
end
return { told(), found, levels }
