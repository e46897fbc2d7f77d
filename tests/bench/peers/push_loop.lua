local report = require("timing")
report(function()
  local xs = {}
  for i = 0, 99999 do xs[#xs + 1] = i end
  return #xs
end)
