// Looks names up, from the inside out. The order is comprehension targets, the function's own slots, sibling functions,
// the enclosing functions, the module, the builtins. A name of an enclosing function is captured by every function on
// the way.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frontend/core/builtins.hpp"
#include "frontend/core/module_scope.hpp"
#include "frontend/scopes/scope.hpp"

namespace covec::resolve {

// What a name means where it stands.
struct Found {
  enum class Kind : uint8_t { nothing, local, target, capture, global, builtin, function } kind = Kind::nothing;
  uint32_t index = 0;
  const Builtin* builtin = nullptr;
  FunctionScope* function = nullptr;  // a sibling, or the function itself
};

class Lookup {
 public:
  Lookup(const ModuleScope& module, const Builtins& builtins)
      : module_(module), builtins_(builtins), earlier_(module.names.size()) {}

  // Of an interned name.
  Found find(FunctionScope& scope, std::string_view name) const;
  // The slot that a name assigned in `scope` has.
  std::optional<core::Slot> assigned(const FunctionScope& scope, std::string_view name) const;
  // What the program names itself, and all that can be named in `scope`, for suggestions.
  std::vector<std::string_view> own_names(const FunctionScope& scope) const;
  std::vector<std::string_view> visible_names(const FunctionScope& scope) const;
  bool is_builtin(std::string_view name) const { return builtins_.find(name) != nullptr; }
  bool is_of_earlier_text(std::string_view name) const {
    const auto slot = module_.slots.find(name);
    return slot != module_.slots.end() && slot->second < earlier_;
  }
  bool is_module(std::string_view name) const;
  bool module_has(std::string_view module, std::string_view name) const { return builtins_.module_has(module, name); }
  // The only module of the library that has this name; "" where none has it, or several.
  std::string_view module_with(std::string_view name) const;

 private:
  Found find_in_module(std::string_view name) const;

  const ModuleScope& module_;
  const Builtins& builtins_;
  const size_t earlier_;  // names of the module that texts before this one gave it
};

}  // namespace covec::resolve
