// The C++ functions that generated code calls: operations without an instruction. Reached through a table in front of
// the code (Executable).
#pragma once

#include <array>
#include <cstdint>

#include "stdlib/ops/scalar_builder.hpp"

namespace covec::simd {

enum class Helper : uint8_t {
  // result[k] = op(a[k], b[k]) for `count` lanes; result may be a: LanesFunction
  floor_divide_i32,
  floor_divide_i64,
  floor_modulo_i32,
  floor_modulo_i64,
  integer_power_i32,
  integer_power_i64,
  remainder_f32,
  remainder_f64,
};
inline constexpr size_t helper_count = 8;

using LanesFunction = void (*)(void* result, const void* a, const void* b, int64_t count) noexcept;

// Of floor_divide, floor_modulo, integer_power or remainder of two `dtype`s.
Helper helper_for(ops::ScalarOp op, Dtype dtype);
std::array<const void*, helper_count> helper_table();

}  // namespace covec::simd
