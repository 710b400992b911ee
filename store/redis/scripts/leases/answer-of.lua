-- include rules/ledger.lua

local token = arg()
return { told(), isRemembered(token) and redis.call('HGET', P .. 'answers', token) }
