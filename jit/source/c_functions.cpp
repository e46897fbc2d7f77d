#include "jit/source/c_functions.hpp"

#include <iterator>

#include "jit/source/filled.hpp"

namespace covec::source {

namespace {

constexpr const char* bit_functions[] = {
    R"(COVEC_FUNCTION float covec_f32(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
)",
    R"(COVEC_FUNCTION double covec_f64(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
)",
    R"(COVEC_FUNCTION int32_t covec_bits_i32(float x) { int32_t bits; memcpy(&bits, &x, 4); return bits; }
)",
    R"(COVEC_FUNCTION int64_t covec_bits_i64(double x) { int64_t bits; memcpy(&bits, &x, 8); return bits; }
)",
    R"(COVEC_FUNCTION float covec_bits_f32(int32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
)",
    R"(COVEC_FUNCTION double covec_bits_f64(int64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
)",
};

// f16 and bf16 are 16 bits in memory, and float in variables.
constexpr const char* number_functions[] = {
    R"(COVEC_FUNCTION float covec_negate_f32(float x) { return covec_bits_f32(covec_bits_i32(x) ^ INT32_MIN); }
)",
    R"(COVEC_FUNCTION double covec_negate_f64(double x) { return covec_bits_f64(covec_bits_i64(x) ^ INT64_MIN); }
)",
    R"(COVEC_FUNCTION float covec_of_f16(uint16_t bits) {
  const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return covec_f32(sign | 0x7f800000u | fraction << 13 | (fraction != 0 ? 0x400000u : 0));
  if (exponent == 0) return covec_f32(sign | (uint32_t)covec_bits_i32((float)fraction * 5.9604644775390625e-8f));
  return covec_f32(sign | (exponent + 112) << 23 | fraction << 13);
}
)",
    R"(COVEC_FUNCTION uint16_t covec_to_f16(float x) {
  const uint32_t bits = (uint32_t)covec_bits_i32(x), sign = bits >> 16 & 0x8000, m = bits & 0x7fffffff;
  if (m > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (m >> 13 & 0x3ff));
  if (m >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
  if (m < 0x38800000) return (uint16_t)(sign | ((uint32_t)covec_bits_i32(covec_f32(m) + 0.5f) - 0x3f000000));
  return (uint16_t)(sign | (((m + 0xfff + (m >> 13 & 1)) >> 13) - (112u << 10)));
}
)",
    R"(COVEC_FUNCTION float covec_of_bf16(uint16_t bits) { return covec_f32((uint32_t)bits << 16); }
)",
    R"(COVEC_FUNCTION uint16_t covec_to_bf16(float x) {
  const uint32_t bits = (uint32_t)covec_bits_i32(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
)",
    R"(COVEC_FUNCTION int32_t covec_saturate_i32(double x) {
  if (x != x) return 0;
  if (x >= 2147483648.0) return INT32_MAX;
  if (x < -2147483648.0) return INT32_MIN;
  return (int32_t)x;
}
)",
    R"(COVEC_FUNCTION int64_t covec_saturate_i64(double x) {
  if (x != x) return 0;
  if (x >= 9223372036854775808.0) return INT64_MAX;
  if (x < -9223372036854775808.0) return INT64_MIN;
  return (int64_t)x;
}
)",
};

// {T} is an integer's type, {U} the same without a sign.
constexpr const char* integer_functions[] = {
    R"(COVEC_FUNCTION {T} covec_floor_divide_{NAME}({T} a, {T} b) {
  {T} q;
  if (b == 0) return 0;
  if (b == -1) return ({T})(0 - ({U})a);
  q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
)",
    R"(COVEC_FUNCTION {T} covec_floor_modulo_{NAME}({T} a, {T} b) {
  {T} r;
  if (b == 0 || b == -1) return 0;
  r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
)",
    R"(COVEC_FUNCTION {T} covec_integer_power_{NAME}({T} a, {T} n) {
  {U} result = 1, base = ({U})a;
  if (n < 0) return 0;
  for (; n > 0; n >>= 1, base *= base) if (n & 1) result *= base;
  return ({T})result;
}
)",
    R"(COVEC_FUNCTION {T} covec_common_divisor_{NAME}({T} a, {T} b) {
  {U} u = a < 0 ? 0 - ({U})a : ({U})a, v = b < 0 ? 0 - ({U})b : ({U})b;
  while (v != 0) {
    const {U} rest = u % v;
    u = v;
    v = rest;
  }
  return ({T})u;
}
)",
};

}  // namespace

std::vector<std::string> c_bit_functions() { return {std::begin(bit_functions), std::end(bit_functions)}; }

std::vector<std::string> c_number_functions() {
  std::vector<std::string> functions(std::begin(number_functions), std::end(number_functions));
  for (const char* const function : integer_functions) {
    functions.push_back(filled(function, {{"{T}", "int32_t"}, {"{U}", "uint32_t"}, {"{NAME}", "i32"}}));
    functions.push_back(filled(function, {{"{T}", "int64_t"}, {"{U}", "uint64_t"}, {"{NAME}", "i64"}}));
  }
  return functions;
}

}  // namespace covec::source
