-- include rules/ledger.lua

-- Not by the key of the server, which expires while Redis is away.
return { told(), redis.call('SISMEMBER', P .. 'servers', arg()) }
