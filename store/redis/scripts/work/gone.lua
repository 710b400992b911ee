-- include rules/ledger.lua
-- include rules/also-when-full.lua

local worker, counted, why = arg(), arg() == '1', arg()
local held = leasesOfWorker(worker)
if counted then
  loseOrSetApart(held, why)
else
  for _, lease in ipairs(held) do giveBack(lease, true) end
end
return { told() }
