local report = require("timing")
local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end
report(function() return fib(25) end)
