// What numbers are computed with. Kernels know these alone; what lies in memory is a Dtype (dtype.hpp).
#pragma once

#include <cstdint>

namespace covec {

enum class Compute : uint8_t { boolean, i32, i64, f32, f64 };
inline constexpr int compute_count = 5;

}  // namespace covec
