// The small C functions that expressions call: one text for the oracle (c99.hpp), for devices and for emitted files.
// Each begins with COVEC_FUNCTION, which stands for a dialect's `static`, and calls only those before it.
#pragma once

#include <string>
#include <vector>

namespace covec::source {

// Between floats and their bits: covec_f32, covec_bits_i32, … Devices have these of their own.
std::vector<std::string> c_bit_functions();
// On numbers: signs, halves, conversions to integers, and the arithmetic of integers. They call the functions on bits
// and name types and limits of <stdint.h>.
std::vector<std::string> c_number_functions();

}  // namespace covec::source
