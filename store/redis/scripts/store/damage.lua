-- include rules/reading.lua

local actor = arg()
for key, kind in pairs({ ['a:'] = 'hash', ['r:'] = 'hash', ['k:'] = 'zset', ['n-of:'] = 'set' }) do
  local is = redis.call('TYPE', S .. key .. actor).ok
  if is ~= kind and is ~= 'none' then return S .. key .. actor .. ' is a ' .. is .. ' and no ' .. kind end
end
return ''
