// The C++ functions that generated code calls for operations without an instruction. A table in front of the code holds
// their addresses (Executable).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "stdlib/ops/contract/scalar_builder.hpp"
#include "stdlib/ops/elementwise/kernels/table.hpp"

namespace covec::simd {

enum class Helper : uint8_t {
  // result[k] = op(a[k], b[k]) for `count` lanes; result may be a: LanesFunction
  floor_divide_i32,
  floor_divide_i64,
  floor_modulo_i32,
  floor_modulo_i64,
  integer_power_i32,
  integer_power_i64,
  common_divisor_i32,
  common_divisor_i64,
  remainder_f32,
  remainder_f64,
  call_outlined,  // OutlinedFunction
  // CheckFunction: what checked code asks before it reads or writes (checks.cpp)
  check_element,
  check_item,
  check_room,
  check_stack,
  check_drawn,
  check_lanes,
};
inline constexpr size_t helper_count = 17;  // enumerators of Helper

using LanesFunction = void (*)(void* result, const void* a, const void* b, int64_t count) noexcept;

// The lanes of an outlined operator (loops::KernelInstruction::outlined), in the frame of the kernel that calls it.
struct OutlinedCall {
  std::byte operands[3][64];
  std::byte result[64];
  uint32_t entry;  // of the eager kernels behind the table of helpers
  uint32_t lanes;
  int64_t parameter;
};
using OutlinedFunction = void (*)(OutlinedCall* call, const kernels::PointwiseKernel* kernels) noexcept;

// Of floor_divide, floor_modulo, integer_power, common_divisor or remainder of two `dtype`s.
Helper helper_for(ops::ScalarOp op, Dtype dtype);
std::array<const void*, helper_count> helper_table();

}  // namespace covec::simd
