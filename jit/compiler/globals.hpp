// Module-level names in a function that is staged: what it reads becomes hidden arguments (numbers and tensors) and
// part of the key (functions, structure), so that a change of either is noticed at the next call.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "interpreter/compiler.hpp"
#include "jit/compiler/specialization.hpp"

namespace covec::jit {

class StagedGlobals {
 public:
  using Symbols = std::function<Value(const Value& value)>;
  StagedGlobals(Walker& walker, Specialization& made, Symbols symbols)
      : walker_(walker), made_(made), symbols_(std::move(symbols)) {}
  // The globals as the body of `function` is to see them.
  Value* of(const core::Function& function, Value* real);

 private:
  static constexpr size_t most = size_t{1} << 16;  // names of a module; see Globals
  static constexpr size_t bytes = most * sizeof(Value);
  static Value* reserve();
  struct Release {
    size_t used = 0;
    void operator()(Value* values) const;
  };
  Walker& walker_;
  Specialization& made_;
  const Symbols symbols_;
  std::map<Value*, std::unique_ptr<Value, Release>> seen_;
};

}  // namespace covec::jit
