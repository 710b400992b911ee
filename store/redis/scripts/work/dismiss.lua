-- include rules/ledger.lua
-- include rules/also-when-full.lua

local what, id, attempt = arg(), arg(), number()
local item = itemOf(id)
if item and item.state == 'told' and item.what == what and item.attempt == attempt then remove(item) end
return { told() }
