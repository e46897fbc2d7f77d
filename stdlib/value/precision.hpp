// Precision: with how many digits a device may multiply matrices of f32 and of halves. full: as the processor, bit for
// bit. tf32: factors rounded to 10 bits after the point; bf16: to 7. Sums are f32.
#pragma once

#include <cstdint>

namespace covec {

enum class Precision : uint8_t { full, tf32, bf16 };

}  // namespace covec
