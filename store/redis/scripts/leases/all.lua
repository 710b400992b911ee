-- include rules/ledger.lua

local found = {}
for _, token in ipairs(redis.call('ZRANGE', P .. 'due', 0, -1)) do
  local lease = leaseOf(token)
  if lease then found[#found + 1] = shown(lease) end
end
return { told(), found }
