// Binary and unary operators of the grammar. The composition root maps each to a builtin (Builtins::of).
#pragma once

#include <cstdint>

namespace covec {

enum class Operator : uint8_t {
  add,
  sub,
  mul,
  div,
  floor_div,
  mod,
  pow,
  matmul,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  in,
  not_in,
  bit_and,
  bit_or,
  shift_left,
  shift_right,
  negate,
  plus,
  bit_not,
  logical_not,
  // What is written with brackets and spreads: operators of any number of parts.
  make_map,
  spread_fields,
  spread_tuple,
  spread_brackets,
  // The first argument of `max(x, 0)` and `min(x, 0)`, which may be meant as bounds: warns of a vector.
  reduced_not_bounded,
};
inline constexpr unsigned operator_count = static_cast<unsigned>(Operator::reduced_not_bounded) + 1;

}  // namespace covec
