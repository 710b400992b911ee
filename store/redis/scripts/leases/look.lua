-- include rules/ledger.lua

local token, worker = arg(), arg()
local lease = leaseHeldBy(token, worker)
if lease then return { told(), shown(lease) } end
return { told(), isRemembered(token) and 'settled' or 'lost' }
