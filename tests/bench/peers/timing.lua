-- Prints the nanoseconds of one call, three times; n grows until a block lasts long enough to be read off a clock.
local function seconds(work, n)
  local start = os.clock()
  for _ = 1, n do work() end
  return os.clock() - start
end

return function(work)
  local n = 1
  local spent = seconds(work, n)
  while spent < 0.02 do
    n = n * 2
    spent = seconds(work, n)
  end
  for _ = 1, 3 do print(string.format("%.3f", seconds(work, n) / n * 1e9)) end
end
