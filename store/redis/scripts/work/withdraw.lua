-- include rules/ledger.lua
-- include rules/also-when-full.lua

for _ = 1, number() do withdraw(described()) end
return { told() }
