-- Arguments of one call: Lua refuses a call with more than some thousands.
local CHUNK = 1000

-- The next argument of the script.
local position = 0
local function arg() position = position + 1; return ARGV[position] end
local function args(n)
  local taken = {}
  for i = 1, n do taken[i] = arg() end
  return taken
end
local function number() return tonumber(arg()) end

-- Runs a command with many arguments as several calls of at most CHUNK arguments.
local function inChunks(command, key, values)
  for from = 1, #values, CHUNK do
    redis.call(command, key, unpack(values, from, math.min(from + CHUNK - 1, #values)))
  end
end
