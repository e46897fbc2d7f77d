// A request to emit one scalar operation on vectors.
#pragma once

#include <optional>

#include "jit/simd/vector/vector_registers.hpp"

namespace covec::simd {

struct VectorRequest {
  ops::ScalarOp op = ops::ScalarOp::add;
  Dtype to = Dtype::f64;
  Dtype from = Dtype::f64;           // of the last operand
  Operand_ operands[3];              // registers; the last may be memory where may_be_memory() says so
  bool dies[3] = {};                 // not needed any more: its register may take the result
  std::optional<uint64_t> constant;  // the last operand, where it is one
  bool selects_zero = false;         // its operand 1 is 0
  bool halves = false;               // of i64: no operand has anything in its upper half
};

}  // namespace covec::simd
