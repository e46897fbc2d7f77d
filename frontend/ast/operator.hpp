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
};
inline constexpr unsigned operator_count = static_cast<unsigned>(Operator::spread_brackets) + 1;

}  // namespace covec
