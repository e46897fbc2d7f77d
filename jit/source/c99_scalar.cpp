#include "jit/source/c99_scalar.hpp"

#include <cinttypes>
#include <cstdio>

#include "stdlib/value/half.hpp"

namespace covec::source {

using ops::ScalarOp;

std::string_view c_type(Dtype dtype) { return info_of(computing_dtype(dtype)).c_type; }

std::string_view c_memory_type(Dtype dtype) { return info_of(dtype).c_type; }

std::string c_loaded(Dtype dtype, const std::string& element) {
  if (is_narrow_integer(dtype)) return "(" + std::string(c_type(dtype)) + ")" + element;
  return is_half(dtype) ? c_from_word(dtype, element) : element;
}

std::string c_stored(Dtype dtype, const std::string& number) {
  if (is_narrow_integer(dtype)) return "(" + std::string(c_memory_type(dtype)) + ")" + number;
  return is_half(dtype) ? "(uint16_t)" + c_to_word(dtype, number) : number;
}

namespace {

// The lower bits of a number that is computed with, as the narrow integer that they are.
std::string c_wrapped(Dtype dtype, const std::string& number) {
  const std::string type = "(" + std::string(c_type(dtype)) + ")";
  const uint64_t range = uint64_t{1} << (8 * size_of(dtype));
  const std::string lower = "(" + type + "(" + number + " & " + std::to_string(range - 1) + "u))";
  if (is_unsigned(dtype)) return lower;
  const std::string half = std::to_string(range / 2);
  return "((" + lower + " ^ " + half + ") - " + half + ")";
}

}  // namespace

std::string c_constant(Dtype dtype, uint64_t bits) {
  char text[64];
  if (is_narrow_integer(dtype)) bits = static_cast<uint64_t>(integer_at(dtype, &bits));
  const auto low = static_cast<uint32_t>(bits);
  if (is_half(dtype)) return c_from_word(dtype, std::to_string(low & 0xffff));
  switch (compute_of(dtype)) {
    case Compute::boolean: std::snprintf(text, sizeof text, "%d", static_cast<int>(bits & 1)); break;
    case Compute::i32: std::snprintf(text, sizeof text, "(int32_t)UINT32_C(%" PRIu32 ")", low); break;
    case Compute::i64: std::snprintf(text, sizeof text, "(int64_t)UINT64_C(%" PRIu64 ")", bits); break;
    case Compute::f32: std::snprintf(text, sizeof text, "covec_f32(UINT32_C(0x%08" PRIx32 "))", low); break;
    case Compute::f64: std::snprintf(text, sizeof text, "covec_f64(UINT64_C(0x%016" PRIx64 "))", bits); break;
  }
  return text;
}

std::string c_from_word(Dtype dtype, const std::string& word) {
  if (is_narrow_integer(dtype)) return c_wrapped(dtype, word);
  if (is_half(dtype)) return "covec_of_" + std::string(name_of(dtype)) + "((uint16_t)" + word + ")";
  switch (compute_of(dtype)) {
    case Compute::boolean: return "(uint8_t)" + word;
    case Compute::i32: return "(int32_t)(uint32_t)" + word;
    case Compute::i64: return "(int64_t)" + word;
    case Compute::f32: return "covec_f32((uint32_t)" + word + ")";
    case Compute::f64: return "covec_f64(" + word + ")";
  }
  return "?";
}

std::string c_to_word(Dtype dtype, const std::string& number) {
  if (is_narrow_integer(dtype)) return "(uint64_t)(int64_t)" + number;
  if (is_half(dtype)) return "(uint64_t)covec_to_" + std::string(name_of(dtype)) + "(" + number + ")";
  switch (compute_of(dtype)) {
    case Compute::boolean:
    case Compute::i64: return "(uint64_t)" + number;
    case Compute::i32: return "(uint64_t)(uint32_t)" + number;
    case Compute::f32: return "(uint64_t)(uint32_t)covec_bits_i32(" + number + ")";
    case Compute::f64: return "(uint64_t)covec_bits_i64(" + number + ")";
  }
  return "?";
}

namespace {

std::string call(std::string_view function, const ScalarExpression& e) {
  std::string text(function);
  text += "(";
  for (unsigned operand = 0; operand < e.arity; ++operand) text += (operand > 0 ? ", " : "") + e.operands[operand];
  return text + ")";
}

std::string infix(const char* op, const ScalarExpression& e) { return e.operands[0] + " " + op + " " + e.operands[1]; }

const char* unsigned_cast(Dtype dtype) { return dtype == Dtype::i32 ? "(uint32_t)" : "(uint64_t)"; }

// Integers wrap: computed unsigned.
std::string wrapping(const char* op, const ScalarExpression& e) {
  const std::string u = unsigned_cast(e.dtype);
  return "(" + std::string(c_type(e.dtype)) + ")(" + u + e.operands[0] + " " + op + " " + u + e.operands[1] + ")";
}

std::string arithmetic(const char* op, const ScalarExpression& e) {
  return is_float(e.dtype) ? infix(op, e) : wrapping(op, e);
}

std::string integer_negation(const ScalarExpression& e) {
  return "(" + std::string(c_type(e.dtype)) + ")(0 - " + unsigned_cast(e.dtype) + e.operands[0] + ")";
}

std::string inverted(const ScalarExpression& e) { return (e.dtype == Dtype::boolean ? "!" : "~") + e.operands[0]; }

// The C library's function of the dtype, whose result is exactly defined.
std::string library(const char* name, const ScalarExpression& e) {
  return call(name + std::string(e.dtype == Dtype::f32 ? "f" : ""), e);
}

std::string prelude(const char* name, const ScalarExpression& e) {
  return call(std::string(name) + "_" + std::string(name_of(e.dtype)), e);
}

// GCC makes −(a·b) − c of −fma(a, b, c), which is +0 instead of −0 where the sum is 0: so the sign is changed by hand.
std::string negation(const ScalarExpression& e) {
  return is_float(e.dtype) ? prelude("covec_negate", e) : integer_negation(e);
}

std::string conversion(const ScalarExpression& e) {
  if (is_narrow(e.operand) && e.dtype == computing_dtype(e.operand)) return e.operands[0];
  if (is_narrow_integer(e.dtype)) return c_wrapped(e.dtype, e.operands[0]);
  if (is_half(e.dtype) && !is_half(e.operand)) return c_from_word(e.dtype, c_to_word(e.dtype, e.operands[0]));
  if (e.dtype == Dtype::boolean) return e.operands[0] + " != 0";
  if (is_float(e.operand) && !is_float(e.dtype)) return prelude("covec_saturate", e);
  return "(" + std::string(c_type(e.dtype)) + ")" + e.operands[0];
}

}  // namespace

std::string c_expression(const ScalarExpression& e) {
  switch (e.op) {
    case ScalarOp::add: return arithmetic("+", e);
    case ScalarOp::sub: return arithmetic("-", e);
    case ScalarOp::mul: return arithmetic("*", e);
    case ScalarOp::negate: return negation(e);
    case ScalarOp::div: return infix("/", e);
    case ScalarOp::sqrt: return library("sqrt", e);
    case ScalarOp::fma: return library(e.fma.c_str(), e);
    case ScalarOp::floor: return library("floor", e);
    case ScalarOp::ceil: return library("ceil", e);
    case ScalarOp::trunc: return library("trunc", e);
    case ScalarOp::round_even: return library("rint", e);
    case ScalarOp::remainder: return library("fmod", e);
    case ScalarOp::lt: return infix("<", e);
    case ScalarOp::le: return infix("<=", e);
    case ScalarOp::eq: return infix("==", e);
    case ScalarOp::ne: return infix("!=", e);
    case ScalarOp::select: return e.operands[0] + " ? " + e.operands[1] + " : " + e.operands[2];
    case ScalarOp::bit_and: return infix("&", e);
    case ScalarOp::bit_or: return infix("|", e);
    case ScalarOp::bit_xor: return infix("^", e);
    case ScalarOp::bit_not: return inverted(e);
    case ScalarOp::shift_left: return wrapping("<<", e);
    case ScalarOp::shift_right: return infix(">>", e);
    case ScalarOp::shift_right_logical: return wrapping(">>", e);
    case ScalarOp::floor_divide: return prelude("covec_floor_divide", e);
    case ScalarOp::floor_modulo: return prelude("covec_floor_modulo", e);
    case ScalarOp::integer_power: return prelude("covec_integer_power", e);
    case ScalarOp::common_divisor: return prelude("covec_common_divisor", e);
    case ScalarOp::convert: return conversion(e);
    case ScalarOp::bitcast: return prelude("covec_bits", e);
  }
  return "?";
}

}  // namespace covec::source
