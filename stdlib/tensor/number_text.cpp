// Writes numbers as digits. Digits come from std::to_chars, which is exact; the layout is Python's. Start at
// number_text.
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/value/half.hpp"

#include <locale.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace covec {

namespace {

// Takes "-1.234e+05" apart.
Decimal parse(const char* first, const char* last) {
  Decimal out;
  if (*first == '-') {
    out.negative = true;
    ++first;
  }
  const char* e = std::find(first, last, 'e');
  for (const char* c = first; c < e; ++c) {
    if (*c != '.') out.digits += *c;
  }
  while (out.digits.size() > 1 && out.digits.back() == '0') out.digits.pop_back();
  const char* exponent = e + 1;
  if (exponent < last && *exponent == '+') ++exponent;
  std::from_chars(exponent, last, out.exponent);
  return out;
}

template <class T>
Decimal shortest(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  return parse(text, end);
}

template <class T>
Decimal rounded(T value, int significant) {
  Decimal out = shortest(value);
  if (static_cast<int>(out.digits.size()) <= significant) return out;
  char text[128];
  const auto end = std::to_chars(text, text + sizeof text, static_cast<double>(value), std::chars_format::scientific,
                                 significant - 1)
                       .ptr;
  return parse(text, end);
}

// Python writes an exponent below 1e-4 and from 1e16 on.
std::string plain_text(const Decimal& decimal) {
  if (decimal.zero() || (decimal.exponent >= -4 && decimal.exponent < 16)) return fixed_text(decimal, 1);
  return scientific_text(decimal, static_cast<int>(decimal.digits.size()) - 1);
}

template <class T>
std::string float_text(T value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return plain_text(digits == 0 ? shortest(value) : rounded(value, digits));
}

}  // namespace

int Decimal::fraction() const { return std::max(static_cast<int>(digits.size()) - 1 - exponent, 0); }

Decimal shortest_decimal(double value) { return shortest(value); }
Decimal shortest_decimal(float value) { return shortest(value); }
double shown_half(const Value& scalar) {
  constexpr int most = 5;  // digits that any half needs
  const auto exact = static_cast<double>(scalar.half());
  char text[64];
  double shown = exact;
  for (int digits = 1; digits <= most && std::isfinite(exact); ++digits) {
    const auto end = std::to_chars(text, text + sizeof text, exact, std::chars_format::scientific, digits - 1).ptr;
    std::from_chars(text, end, shown);
    if (Value::half(scalar.scalar_dtype(), odd_float_of(shown)).half() == scalar.half()) break;
  }
  return shown;
}

Decimal rounded_decimal(double value, int significant) { return rounded(value, significant); }
Decimal rounded_decimal(float value, int significant) { return rounded(value, significant); }

std::string fixed_text(const Decimal& decimal, int fraction) {
  std::string out = decimal.negative ? "-" : "";
  const auto count = static_cast<int>(decimal.digits.size());
  for (int i = 0; i <= std::max(decimal.exponent, 0); ++i) {  // the integer part
    const int digit = i + std::min(decimal.exponent, 0);
    out += digit >= 0 && digit < count ? decimal.digits[static_cast<size_t>(digit)] : '0';
  }
  fraction = std::max(fraction, decimal.fraction());
  if (fraction > 0) out += '.';
  for (int i = 1; i <= fraction; ++i) {
    const int digit = decimal.exponent + i;
    out += digit >= 0 && digit < count ? decimal.digits[static_cast<size_t>(digit)] : '0';
  }
  return out;
}

std::string scientific_text(const Decimal& decimal, int fraction, int exponent_digits) {
  std::string out = decimal.negative ? "-" : "";
  out += decimal.digits[0];
  if (fraction > 0) out += '.';
  for (int i = 1; i <= fraction; ++i) {
    out += i < static_cast<int>(decimal.digits.size()) ? decimal.digits[static_cast<size_t>(i)] : '0';
  }
  const std::string exponent = std::to_string(std::abs(decimal.exponent));
  out += decimal.exponent < 0 ? "e-" : "e+";
  out.append(static_cast<size_t>(std::max(exponent_digits - static_cast<int>(exponent.size()), 0)), '0');
  return out + exponent;
}

std::string number_text(const Value& scalar, int digits) {
  const Dtype dtype = scalar.scalar_dtype();
  if (dtype == Dtype::boolean) return scalar.boolean() ? "true" : "false";
  if (!is_float(dtype)) return std::to_string(scalar.integer());
  if (is_half(dtype)) return float_text(shown_half(scalar), digits);
  return dtype == Dtype::f32 ? float_text(scalar.f32(), digits) : float_text(scalar.f64(), digits);
}

// from_chars does not say, and strtod follows the process's locale.
bool is_tiny(std::string_view digits) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  return std::abs(strtod_l(std::string(digits).c_str(), nullptr, plain)) < 1;
}

}  // namespace covec
