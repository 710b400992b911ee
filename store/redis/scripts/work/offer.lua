-- include rules/ledger.lua
-- include rules/also-when-full.lua

for _ = 1, number() do offer(described()) end
return { told() }
