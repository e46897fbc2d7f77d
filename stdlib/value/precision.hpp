// Precision: the accuracy of matrix products of f32, f16 and bf16 on a device. `full`: as the processor, bit for bit.
// `tf32`: factors rounded to 10 bits after the point. `bf16`: rounded to 7. Sums are f32.
#pragma once

#include <cstdint>

namespace covec {

enum class Precision : uint8_t { full, tf32, bf16 };

}  // namespace covec
