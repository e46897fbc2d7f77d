// The first and second partials of every pointwise operator, as formulas for MPFR, with where they are measured. Start
// at functions_of_one() and functions_of_two().
#pragma once

#include <string>
#include <vector>

#include "tests/ops/exact.hpp"

namespace covec::test {

struct FunctionOfOne {
  const char* entry;
  const char* text;  // of x
  Exact (*first)(const Exact& x);
  Exact (*second)(const Exact& x);
  std::vector<double> intervals;  // pairs: samples are drawn from these as well as from all floats
  double least = 0;               // smaller first derivatives are measured in units of this one's last place
  double below = INFINITY;        // samples lie in (above, below)
  double above = -INFINITY;
};

struct FunctionOfTwo {
  const char* entry;
  const char* text;  // of x and y
  Exact (*first[2])(const Exact& x, const Exact& y);
  Exact (*second[3])(const Exact& x, const Exact& y);  // xx, xy, yy
  bool powers = false;                                 // samples are those that a power is neither 0 nor infinite of
};

std::vector<FunctionOfOne> functions_of_one();
std::vector<FunctionOfTwo> functions_of_two();

}  // namespace covec::test
