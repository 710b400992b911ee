-- include rules/ledger.lua

return { told(), redis.call('HGET', P .. 'answers', arg()) }
