// Handles module-level names in a staged function. Numbers and tensors that it reads become hidden arguments; functions
// and structure become part of the key. So the next call notices a change of either.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>

#include "frontend/core/core.hpp"
#include "jit/specialize/specialization.hpp"

namespace covec::jit {

class StagedGlobals {
 public:
  using Symbols = std::function<Value(const Value& value)>;
  StagedGlobals(Specialization& made, Symbols symbols) : made_(made), symbols_(std::move(symbols)) {}
  // The globals as the body of `function` is to see them. One that reads those `given_rules` while functions run is
  // left to the interpreter: who gives the rule may be called from where the walk does not come.
  Value* of(const core::Function& function, Value* real, std::span<const uint32_t> given_rules);

 private:
  static constexpr size_t most = size_t{1} << 16;  // names of a module; see Globals
  static constexpr size_t bytes = most * sizeof(Value);
  static Value* reserve();
  struct Release {
    size_t used = 0;
    void operator()(Value* values) const;
  };
  Specialization& made_;
  const Symbols symbols_;
  std::map<Value*, std::unique_ptr<Value, Release>> seen_;
};

}  // namespace covec::jit
