-- include rules/ledger.lua
-- include rules/also-when-full.lua

local lease = leaseOf(arg())
if lease then
  local item = itemOf(lease.id)
  free(lease, item)
  remove(item)
end
return { told() }
