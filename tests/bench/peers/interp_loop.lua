local report = require("timing")
report(function()
  local s = 0
  for i = 0, 999999 do s = s + i * i end
  return s
end)
