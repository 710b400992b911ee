-- include rules/ledger.lua

for _, queue in ipairs(redis.call('SMEMBERS', P .. 'queues')) do offered[queue] = true end
return { told() }
