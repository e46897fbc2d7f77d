// The scalar vocabulary in C: an expression per operation, and the few functions that they call (prelude).
#include <cinttypes>
#include <cstdio>

#include "jit/source/c99.hpp"
#include "jit/source/c99_prelude.hpp"

namespace covec::source {

using loops::Body;
using loops::Instruction;
using ops::ScalarOp;

std::string_view c_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::boolean: return "uint8_t";
    case Dtype::i32: return "int32_t";
    case Dtype::i64: return "int64_t";
    case Dtype::f32: return "float";
    case Dtype::f64: return "double";
  }
  return "?";
}

namespace {

std::string value(uint32_t id) { return "v" + std::to_string(id); }

std::string call(std::string_view function, const Instruction& i) {
  std::string text(function);
  text += "(";
  for (unsigned operand = 0; operand < i.arity; ++operand) {
    if (operand > 0) text += ", ";
    text += value(i.operands[operand]);
  }
  return text + ")";
}

// Integers wrap: computed unsigned.
std::string wrapping(const char* op, const Instruction& i) {
  const std::string u = i.dtype == Dtype::i32 ? "(uint32_t)" : "(uint64_t)";
  return "(" + std::string(c_type(i.dtype)) + ")(" + u + value(i.operands[0]) + " " + op + " " + u + value(i.operands[1]) + ")";
}

std::string infix(const char* op, const Instruction& i) { return value(i.operands[0]) + " " + op + " " + value(i.operands[1]); }

std::string arithmetic(const char* op, const Instruction& i) {
  return is_float(i.dtype) || i.dtype == Dtype::boolean ? infix(op, i) : wrapping(op, i);
}

std::string suffixed(const char* name, const Instruction& i) { return call(name + std::string(i.dtype == Dtype::f32 ? "f" : ""), i); }

std::string typed(const char* name, const Instruction& i) { return call(std::string(name) + "_" + std::string(name_of(i.dtype)), i); }

std::string negation(const Instruction& i) {
  if (is_float(i.dtype)) return "-" + value(i.operands[0]);
  const std::string u = i.dtype == Dtype::i32 ? "(uint32_t)" : "(uint64_t)";
  return "(" + std::string(c_type(i.dtype)) + ")(0 - " + u + value(i.operands[0]) + ")";
}

std::string conversion(Dtype from, const Instruction& i) {
  if (i.dtype == Dtype::boolean) return value(i.operands[0]) + " != 0";
  if (is_float(from) && !is_float(i.dtype)) return typed("covec_saturate", i);
  return "(" + std::string(c_type(i.dtype)) + ")" + value(i.operands[0]);
}

}  // namespace

std::string c99_constant(Dtype dtype, uint64_t bits) {
  char text[64];
  switch (dtype) {
    case Dtype::boolean: std::snprintf(text, sizeof text, "%d", static_cast<int>(bits & 1)); break;
    case Dtype::i32: std::snprintf(text, sizeof text, "(int32_t)UINT32_C(%" PRIu32 ")", static_cast<uint32_t>(bits)); break;
    case Dtype::i64: std::snprintf(text, sizeof text, "(int64_t)UINT64_C(%" PRIu64 ")", bits); break;
    case Dtype::f32: std::snprintf(text, sizeof text, "covec_f32(UINT32_C(0x%08" PRIx32 "))", static_cast<uint32_t>(bits)); break;
    case Dtype::f64: std::snprintf(text, sizeof text, "covec_f64(UINT64_C(0x%016" PRIx64 "))", bits); break;
  }
  return text;
}

std::string c99_expression(const Body& body, const Instruction& i) {
  switch (i.op) {
    case ScalarOp::add: return arithmetic("+", i);
    case ScalarOp::sub: return arithmetic("-", i);
    case ScalarOp::mul: return arithmetic("*", i);
    case ScalarOp::negate: return negation(i);
    case ScalarOp::div: return infix("/", i);
    case ScalarOp::sqrt: return suffixed("sqrt", i);
    case ScalarOp::fma: return suffixed("fma", i);
    case ScalarOp::floor: return suffixed("floor", i);
    case ScalarOp::ceil: return suffixed("ceil", i);
    case ScalarOp::trunc: return suffixed("trunc", i);
    case ScalarOp::round_even: return suffixed("rint", i);
    case ScalarOp::remainder: return suffixed("fmod", i);
    case ScalarOp::lt: return infix("<", i);
    case ScalarOp::le: return infix("<=", i);
    case ScalarOp::eq: return infix("==", i);
    case ScalarOp::ne: return infix("!=", i);
    case ScalarOp::select: return value(i.operands[0]) + " ? " + value(i.operands[1]) + " : " + value(i.operands[2]);
    case ScalarOp::bit_and: return infix("&", i);
    case ScalarOp::bit_or: return infix("|", i);
    case ScalarOp::bit_xor: return infix("^", i);
    case ScalarOp::bit_not: return i.dtype == Dtype::boolean ? "!" + value(i.operands[0]) : "~" + value(i.operands[0]);
    case ScalarOp::shift_left: return wrapping("<<", i);
    case ScalarOp::shift_right: return infix(">>", i);
    case ScalarOp::shift_right_logical: return wrapping(">>", i);
    case ScalarOp::floor_divide: return typed("covec_floor_divide", i);
    case ScalarOp::floor_modulo: return typed("covec_floor_modulo", i);
    case ScalarOp::integer_power: return typed("covec_integer_power", i);
    case ScalarOp::convert: return conversion(body.code[i.operands[0]].dtype, i);
    case ScalarOp::bitcast: return typed("covec_bits", i);
  }
  return "?";
}

const char* c99_prelude() {
  return R"(#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float covec_f32(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
static inline double covec_f64(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
static inline int32_t covec_bits_i32(float x) { int32_t bits; memcpy(&bits, &x, 4); return bits; }
static inline int64_t covec_bits_i64(double x) { int64_t bits; memcpy(&bits, &x, 8); return bits; }
static inline float covec_bits_f32(int32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
static inline double covec_bits_f64(int64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
static inline int32_t covec_saturate_i32(double x) {
  if (x != x) return 0;
  if (x >= 2147483648.0) return INT32_MAX;
  if (x < -2147483648.0) return INT32_MIN;
  return (int32_t)x;
}
static inline int64_t covec_saturate_i64(double x) {
  if (x != x) return 0;
  if (x >= 9223372036854775808.0) return INT64_MAX;
  if (x < -9223372036854775808.0) return INT64_MIN;
  return (int64_t)x;
}
#define COVEC_INTEGERS(T, U, name)                                              \
  static inline T covec_floor_divide_##name(T a, T b) {                         \
    if (b == 0) return 0;                                                       \
    if (b == -1) return (T)(0 - (U)a);                                          \
    T q = a / b;                                                                \
    return (a % b != 0) && ((a < 0) != (b < 0)) ? q - 1 : q;                    \
  }                                                                             \
  static inline T covec_floor_modulo_##name(T a, T b) {                         \
    if (b == 0 || b == -1) return 0;                                            \
    T r = a % b;                                                                \
    return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;                          \
  }                                                                             \
  static inline T covec_integer_power_##name(T a, T n) {                        \
    if (n < 0) return 0;                                                        \
    U result = 1, base = (U)a;                                                  \
    for (; n > 0; n >>= 1, base *= base) if (n & 1) result *= base;             \
    return (T)result;                                                           \
  }
COVEC_INTEGERS(int32_t, uint32_t, i32)
COVEC_INTEGERS(int64_t, uint64_t, i64)

typedef struct covec_array { const void* data; const int64_t* strides; } covec_array;
)";
}

}  // namespace covec::source
