-- include rules/ledger.lua

-- Not by its key, which is gone after a time in which Redis itself was away.
return { told(), redis.call('SISMEMBER', P .. 'servers', arg()) }
