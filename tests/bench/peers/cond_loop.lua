local report = require("timing")
local function work(n)
  local s = 0
  for i = 0, n - 1 do
    if i % 2 == 0 then s = s + i else s = s - i end
  end
  return s
end
report(function() return work(10000) end)
