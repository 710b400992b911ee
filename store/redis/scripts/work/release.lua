-- include rules/ledger.lua
-- include rules/also-when-full.lua

local token, worker, begun = arg(), arg(), arg() == '1'
local lease = leaseHeldBy(token, worker)
if lease then giveBack(lease, begun) end
return { told(), lease and 1 or 0 }
