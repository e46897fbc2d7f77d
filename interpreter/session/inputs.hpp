// What an input of the REPL has beyond another text: a failed one leaves the names of builtins alone, and a comment
// that was typed before it documents its function.
#pragma once

#include <string_view>

#include "frontend/core/builtins.hpp"
#include "frontend/core/core.hpp"
#include "interpreter/eval/values/module.hpp"

namespace covec {

// `sum = f(x)` that failed, as an input of the REPL, has taken the name of a builtin and given it no value: the name is
// the builtin's again.
class ShadowedBuiltins {
 public:
  ShadowedBuiltins(Module& module, const Builtins& builtins)
      : module_(module), builtins_(builtins), known_(module.scope.names.size()) {}
  ~ShadowedBuiltins() {
    for (size_t slot = known_; slot < module_.scope.names.size(); ++slot) {
      const std::string_view name = module_.scope.names[slot];
      if (module_.find(name) == nullptr && builtins_.find(name) != nullptr) module_.scope.slots.erase(name);
    }
  }
  ShadowedBuiltins(const ShadowedBuiltins&) = delete;
  ShadowedBuiltins& operator=(const ShadowedBuiltins&) = delete;

 private:
  Module& module_;
  const Builtins& builtins_;
  const size_t known_;
};

// The function that the unit begins with gets the comment.
void document(const core::Unit& unit, std::string_view comment);

}  // namespace covec
