local report = require("timing")
local function add(x, y) return x + y end
local sum = 0.0
local function work()
  sum = add(sum, 1.5)
end
report(work)
