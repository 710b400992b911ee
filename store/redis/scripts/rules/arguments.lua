-- Lua takes no more than some thousands of arguments in a call.
local CHUNK = 1000

-- Reads the words of a call one after the other.
local position = 0
local function arg() position = position + 1; return ARGV[position] end
local function args(n)
  local taken = {}
  for i = 1, n do taken[i] = arg() end
  return taken
end
local function number() return tonumber(arg()) end

-- Calls with many arguments, some at a time: Lua takes no more than some thousands.
local function inChunks(command, key, values)
  for from = 1, #values, CHUNK do
    redis.call(command, key, unpack(values, from, math.min(from + CHUNK - 1, #values)))
  end
end
