// Branches and loops that only the run decides, for all that stages some: operators on lists, sweeps, examples.
// Regions (regions.hpp) walks their paths and merges what these leave; it uses most of what uses this interface.
#pragma once

#include <functional>

#include "interpreter/compiler.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ir {

// The regions that a branch's paths are the adjoints of, by serial; 0: none.
struct AdjointOf {
  uint32_t first = 0, second = 0;
  uint32_t sweep = 0;  // Region::sweep
};

class ControlFlow {
 public:
  using Variables = Staging::Variables;
  using Path = std::function<void()>;
  using Pass = std::function<Value(const Value& index)>;  // an iteration; gives whether to go on; none: yes

  virtual void branch(const Value& condition, const Variables& variables, const Path& then, const Path& otherwise,
                      AdjointOf paths = {}) = 0;
  virtual void repeat(const Value& count, const Variables& variables, const Pass& body) = 0;
  // As the adjoint of a loop's body.
  struct Back {
    uint32_t adjoint_of = 0;
    uint64_t memory = 0;  // Region::memory
    bool whole = false;   // no iteration may be peeled off
    // Zeros that variable i may be where it has no cotangent, if it is like this one elsewhere; none: nothing may.
    std::function<Value(size_t i, const Value& like)> zeros = nullptr;
  };
  virtual void repeat_back(const Value& count, const Variables& variables, const Pass& body, Back back) = 0;

 protected:
  ~ControlFlow() = default;
};

}  // namespace covec::ir
