-- include rules/ledger.lua
-- include rules/also-when-full.lua

local token, why = arg(), arg()
local lease = leaseOf(token)
if lease then lose(lease, why) end
return { told(), lease and 1 or 0 }
