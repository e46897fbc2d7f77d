// Calls of recursive functions, for the adjoints of such functions: these are recursive functions again. Recursions
// (recursion.hpp) stages them.
#pragma once

#include <functional>
#include <optional>

#include "interpreter/compiler.hpp"

namespace covec::ir {

// The calls that an adjoint goes back through: what stands for their arguments in the function, and those.
struct PrimalCall {
  std::vector<Value> heads, arguments;
};

struct FunctionSource {
  const void* key = nullptr;     // tells it from other functions
  std::vector<Value> captured;   // the same in all calls
  Staging::Variables arguments;  // what a frame holds where the function begins
  std::function<Value()> body;   // gives what the function gives
  unsigned depth = 0;            // of the calls that are open
  PrimalCall primal_call = {};
  uint32_t adjoint_of = 0, sweep = 0;
};

class RecursiveCalls {
 public:
  // What the function gives. None where it must be walked as it stands: two arguments are one value.
  virtual std::optional<Value> call(FunctionSource source) = 0;
  // A call from inside of the function's walk; none where no walk is open in which it could be one of its calls.
  virtual std::optional<Value> call_inside(const void* key, std::span<const Value> captured,
                                           std::span<const Value> args, unsigned depth,
                                           const PrimalCall& primal_call = {}) = 0;

 protected:
  ~RecursiveCalls() = default;
};

}  // namespace covec::ir
