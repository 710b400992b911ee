-- include rules/ledger.lua

return { told(), redis.call('HVALS', P .. 'knows') }
