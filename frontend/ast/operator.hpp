// Binary and unary operators of the grammar. Which builtin each one is, the composition root says (Builtins::of).
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
  bit_and,
  bit_or,
  negate,
  plus,
  bit_not,
  logical_not,
};

}  // namespace covec
