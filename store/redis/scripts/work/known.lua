-- include rules/ledger.lua
-- include rules/also-when-full.lua

local actor, found = arg(), {}
for _, id in ipairs(redis.call('SMEMBERS', P .. 'of:' .. actor)) do
  local item = itemOf(id)
  if not item then
    redis.call('SREM', P .. 'of:' .. actor, id)
  else
    found[#found + 1] = id
    -- Its lease is unreadable, so no worker will answer for it.
    if item.state == 'held' and not leaseOf(item.token) then
      freeQueue(item)
      wait(item, item.releases)
    end
  end
end
return { told(), found }
