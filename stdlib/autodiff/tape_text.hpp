// A tape as text, for people and for tests: an entry a line, in program order.
//
//   %3: f64[2] = multiply(%1*, 2*)     %1 and %3 are nodes; * is kept for the reverse
//   %4*: f64[2] = exp(%3)
//   %5: f64 = sum(%4, none, false)     attributes are always kept
//   %6: f64 = add(%5, _)               a constant that nobody keeps
//   %7, %8 = composite(%6)             a function with a rule of its own
#pragma once

#include <string>

#include "stdlib/autodiff/tape.hpp"

namespace covec::autodiff {

std::string text_of(const Tape& tape);

}  // namespace covec::autodiff
