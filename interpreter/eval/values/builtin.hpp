// EngineBuiltin: a builtin as the walker sees it. The resolver's nodes point at Builtins, and all Builtins are of this
// kind. So an operator node leads at once to its fast path, and to the number of the builtin's value in a session.
#pragma once

#include "frontend/core/builtins.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec {

// Operators that the walker computes itself on rank-0 numbers of the commonest dtypes, with the bits of the operator.
enum class Quick : uint8_t {
  none,
  add,
  sub,
  mul,
  div,
  floor_div,
  mod,
  pow,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_or,
  negate,
  logical_not,
};

inline constexpr size_t quick_count = static_cast<size_t>(Quick::logical_not) + 1;

struct EngineBuiltin : Builtin {
  Quick quick = Quick::none;
  uint32_t number = 0;
};

inline bool is_binary(Quick quick) { return quick != Quick::none && quick < Quick::negate; }
// Made into a way of their own for nodes that apply them; those of bools and powers go a more general one.
inline bool has_quick_form(Quick quick) { return is_binary(quick) && quick != Quick::pow && quick < Quick::bit_and; }

inline const EngineBuiltin& engine_builtin(const Builtin& builtin) {
  return static_cast<const EngineBuiltin&>(builtin);
}

}  // namespace covec
