local report = require("timing")
local function work(n)
  local s = 0.0
  for i = 0, n - 1 do s = s + i ^ 2 end
  return s
end
report(function() return work(100000) end)
