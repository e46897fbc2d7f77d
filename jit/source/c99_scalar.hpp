// Writes the scalar operations in C: an expression per operation over named operands. The prelude defines the functions
// that they call.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "stdlib/ops/contract/scalar_builder.hpp"

namespace covec::source {

std::string_view c_type(Dtype dtype);
// How elements lie in memory (f16 and bf16 are f32 in variables), as one is read and as it is written.
std::string_view c_memory_type(Dtype dtype);
std::string c_loaded(Dtype dtype, const std::string& element);
std::string c_stored(Dtype dtype, const std::string& number);
std::string c_constant(Dtype dtype, uint64_t bits);
// The number in the low bytes of the uint64_t that `word` is, and back: the other bytes are zero.
std::string c_from_word(Dtype dtype, const std::string& word);
std::string c_to_word(Dtype dtype, const std::string& number);

struct ScalarExpression {
  ops::ScalarOp op = ops::ScalarOp::add;
  Dtype dtype = Dtype::f64;    // of the result
  Dtype operand = Dtype::f64;  // of the first operand
  uint8_t arity = 0;
  std::array<std::string, 3> operands;
  std::string fma = "fma";  // what the function is called
};
std::string c_expression(const ScalarExpression& expression);

}  // namespace covec::source
