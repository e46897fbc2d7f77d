// What the resolver must know of the builtins: names, parameters and an opaque handle. The composition root implements
// Builtins over stdlib's entries; the frontend itself knows no tensors.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontend/ast/operator.hpp"

namespace covec::ops {
struct Entry;  // opaque here; see stdlib/ops/contract/entry.hpp
}

namespace covec {

struct BuiltinParameter {
  std::string_view name;
  bool required = true;
  bool tensors = false;  // a sequence of tensors: brackets written for it are a tuple of their items
  std::string_view other_name = {};
};

struct Builtin {
  const ops::Entry* entry = nullptr;
  std::string_view name;
  std::vector<BuiltinParameter> parameters;
  // Variadic: parameters[variadic_at] takes all positional arguments from there on (print, zip, zeros: 0; reshape: 1,
  // so that reshape(x, 2, 3) has args {x, nullptr} and rest {2, 3}); by keyword it is as others.
  bool variadic = false;
  uint8_t variadic_at = 0;
  bool acts = false;                 // it does something besides giving a value
  bool stops = false;                // breakpoint(): a function that applies it is interpreted, and keeps its variables
  bool method = false;               // the first parameter is a tensor (or a list): callable as x.name(...)
  const Builtin* squared = nullptr;  // what name(...)^2 is, with the 2 as written
};

class Builtins {
 public:
  virtual ~Builtins() = default;
  virtual const Builtin* find(std::string_view name) const = 0;  // nullptr when there is none
  virtual const Builtin& of(Operator op) const = 0;
  virtual std::vector<std::string_view> names() const = 0;  // for suggestions and completion
  // The library's modules, and whether one of them has a name; for suggestions, too.
  virtual std::vector<std::string_view> modules() const { return {}; }
  virtual bool module_has(std::string_view /*module*/, std::string_view /*name*/) const { return false; }
};

}  // namespace covec
