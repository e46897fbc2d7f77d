// The kinds of numbers that are drawn.
#pragma once

#include <cstdint>

namespace covec::ops {

// Floats in [0, 1), normal ones, and words of 64 bits, of which integers are made.
enum class Numbers : uint8_t { even_f64, even_f32, normal_f64, normal_f32, words };
inline constexpr uint32_t kinds_of_numbers = 5;  // enumerators of Numbers

}  // namespace covec::ops
