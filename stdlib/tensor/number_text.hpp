// Writes numbers as decimal digits: the shortest text that reads back, or rounded to a number of significant digits.
// Printing and format specifications lay them out.
#pragma once

#include <string>
#include <string_view>

#include "stdlib/value/value.hpp"

namespace covec {

// A finite number's digits, without trailing zeros (but at least one): 0.d₀d₁… · 10^(exponent + 1).
struct Decimal {
  std::string digits;
  int exponent = 0;  // of the first digit: 123.4 has 2
  bool negative = false;
  bool zero() const { return digits == "0"; }
  int fraction() const;  // digits that stand behind the point when written without exponent, ≥ 0
};

Decimal shortest_decimal(double value);
Decimal shortest_decimal(float value);
// Of an f16 or bf16: what the fewest digits that read back are as an f64, whose own shortest form they are.
double shown_half(const Value& scalar);
// Rounded half to even to `significant` digits, unless the shortest form has no more.
Decimal rounded_decimal(double value, int significant);
Decimal rounded_decimal(float value, int significant);

// "123.4", at least `fraction` digits behind the point.
std::string fixed_text(const Decimal& decimal, int fraction);
// "1.234e+02", exactly `fraction` digits behind the point (which goes when there are none), at least `exponent_digits`
// in the exponent.
std::string scientific_text(const Decimal& decimal, int fraction, int exponent_digits = 2);

// A rank-0 number as print shows it: 1.0, 1e+300, true, -0.0, nan. `digits` 0: the shortest form that reads back.
std::string number_text(const Value& scalar, int digits = 0);

// Of decimal digits that no float is near: whether they are too small, not too large.
bool is_tiny(std::string_view digits);

}  // namespace covec
