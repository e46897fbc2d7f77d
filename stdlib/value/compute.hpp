// The types that numbers are computed in. Kernels know only these; a Dtype (dtype.hpp) says what lies in memory.
#pragma once

#include <cstdint>

namespace covec {

enum class Compute : uint8_t { boolean, i32, i64, f32, f64 };
inline constexpr int compute_count = 5;  // enumerators of Compute

}  // namespace covec
