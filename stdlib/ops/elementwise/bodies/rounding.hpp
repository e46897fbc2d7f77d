// Rounding to whole numbers (ceil, round, trunc; floor is arithmetic), the sign of another number, and tests for kinds
// of numbers (isnan and its like).
#pragma once

#include <algorithm>
#include <iterator>

#include "stdlib/ops/elementwise/bodies/bits.hpp"
#include "stdlib/ops/elementwise/bodies/gamma.hpp"

namespace covec::ops {

struct Ceil {
  static constexpr PointwiseInfo info{.name = "ceil",
                                      .doc = "The smallest integer not below x, elementwise, as x's dtype.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "take the ceil of {}"};
  template <class T>
  static T body(T x) {
    if constexpr (T::is_float)
      return ceil(x);
    else
      return x;
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.5, -1.5, -0.25, -0.0, 1e300, -inf, nan]", "[2.0, -1.0, -0.0, -0.0, 1e300, -inf, nan]"},
      {"[3, -4]", "[3, -4]"}};
};

struct Round {
  static constexpr PointwiseInfo info{.name = "round",
                                      .doc =
                                          "The nearest integer, the even one of two, elementwise, as x's dtype.\n"
                                          "The sign of zero is kept. With `digits`, an integer, the nearest number of "
                                          "so many decimals (of tens, hundreds… where it is negative): x·10^digits is "
                                          "rounded and divided again.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "round {}"};
  template <class T>
  static T body(T x) {
    if constexpr (T::is_float)
      return round_even(x);
    else
      return x;
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.5, 1.5, 2.5, -0.5, -2.75, 1e300, inf, nan]", "[0.0, 2.0, 2.0, -0.0, -3.0, 1e300, inf, nan]"},
      {"[0.49999999999999994, 4503599627370497.5]", "[0.0, 4503599627370498.0]"},
      {"[3, -4]", "[3, -4]"},
      {"[2.675, -1.25, 0.125], 2", "[2.68, -1.25, 0.12]"},
      {"[1234.5, 1250.0, -1350.0], -2", "[1200.0, 1200.0, -1400.0]"},
      {"[1e300, inf, nan, 4503599627370497.5], digits=3", "[1e300, inf, nan, 4503599627370497.5]", "the definition"},
      {"[15, 25, -15, 1234], -1", "[20, 20, -20, 1230]"},
      {"[15, -7], digits=2", "[15, -7]"},
      {"f32([2.25, 0.3]), 1", "f32([2.2, 0.3])"}};
};

#define COVEC_TENS(t) 1e##t##0, 1e##t##1, 1e##t##2, 1e##t##3, 1e##t##4, 1e##t##5, 1e##t##6, 1e##t##7, 1e##t##8, 1e##t##9
inline constexpr double powers_of_ten[] = {
    COVEC_TENS(0),  COVEC_TENS(1),  COVEC_TENS(2),  COVEC_TENS(3),  COVEC_TENS(4),  COVEC_TENS(5),  COVEC_TENS(6),
    COVEC_TENS(7),  COVEC_TENS(8),  COVEC_TENS(9),  COVEC_TENS(10), COVEC_TENS(11), COVEC_TENS(12), COVEC_TENS(13),
    COVEC_TENS(14), COVEC_TENS(15), COVEC_TENS(16), COVEC_TENS(17), COVEC_TENS(18), COVEC_TENS(19), COVEC_TENS(20),
    COVEC_TENS(21), COVEC_TENS(22), COVEC_TENS(23), COVEC_TENS(24), COVEC_TENS(25), COVEC_TENS(26), COVEC_TENS(27),
    COVEC_TENS(28), COVEC_TENS(29), 1e300,          1e301,          1e302,          1e303,          1e304,
    1e305,          1e306,          1e307,          1e308};
#undef COVEC_TENS

// To `digits` decimals; what stands in for round(x, digits).
struct RoundDigits {
  static constexpr PointwiseInfo info{.name = "round_digits",
                                      .doc = "The nearest number of so many decimals.",
                                      .parameters = {"x", "digits"},
                                      .arity = 2,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "round {}",
                                      .internal = true,
                                      .parameter = true};
  // A number that is whole already when it is moved stays as it is. Beyond 10^308 it is moved twice.
  template <class T>
  static T in_f64(T x, int64_t digits) {
    constexpr int64_t most = std::size(powers_of_ten) - 1;
    if (digits < -most) return select(magnitude(x) < T(infinity<T>), x * T(0), x);
    const T first(powers_of_ten[std::min(digits < 0 ? -digits : digits, most)]);
    const T second(powers_of_ten[std::clamp<int64_t>(digits - most, 0, most)]);
    const T moved = digits < 0 ? x / first : x * first * second, whole = round_even(moved);
    const auto inside = magnitude(moved) < T(0x1p52);
    return select(inside, digits < 0 ? whole * first : whole / second / first, x);
  }
  template <class T>
  static T body(T x, int64_t digits) {
    using E = typename T::Element;
    if constexpr (T::is_float) {
      return in_double(x, [digits](auto a) { return in_f64(a, digits); });
    } else {
      if (digits >= 0) return x;
      constexpr int64_t most = sizeof(E) == 4 ? 9 : 18;  // the last power of 10 that i32 and i64 have
      if (digits < -most) return x - x;
      E power = 1;
      for (int64_t i = 0; i < -digits; ++i) power = static_cast<E>(power * 10);
      const T times = floor_divide(x, T(power)), rest = x - times * T(power);
      const T half(static_cast<E>(power / 2));
      const T odd = times - floor_divide(times, T(2)) * T(2);
      const auto up = (rest > half) | ((rest == half) & (odd == T(1)));
      return select(up, (times + T(1)) * T(power), times * T(power));
    }
  }
  static constexpr PointwiseSample samples[] = {{"[2.675], 2", "[2.68]"}};
};

struct Trunc {
  static constexpr PointwiseInfo info{.name = "trunc",
                                      .doc = "x without what is behind the point, elementwise, as x's dtype.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "truncate {}"};
  template <class T>
  static T body(T x) {
    if constexpr (T::is_float)
      return trunc(x);
    else
      return x;
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.75, -1.75, -0.25, 1e300, -inf, nan]", "[1.0, -1.0, -0.0, 1e300, -inf, nan]"}, {"[3, -4]", "[3, -4]"}};
};

struct CopySign {
  static constexpr PointwiseInfo info{.name = "copysign",
                                      .doc =
                                          "|x| with the sign of y, elementwise; zeros have signs, NaNs none: |x|.\n"
                                          "The derivative by x is 1 or −1, that by y is 0.",
                                      .parameters = {"x", "y"},
                                      .arity = 2,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1),
                                      .action = "give {} the sign of {}",
                                      .first_ulp = 0.5,
                                      .second_ulp = 0.5};
  template <class T>
  static T body(T x, T y) {
    return copy_sign(x, select(y == y, y, T(0)));
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    if (i == 1) return E::number(x[0], 0.0);
    return E::template apply<CopySign>(E(1.0), x[0]) * E::template apply<CopySign>(E(1.0), x[1]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.5, -2.0, 0.25], [-1.0, -3.0, 2.0]", "[-1.5, -2.0, 0.25]", "numpy", 0, true},
      {"[0.0, inf, 3.0, 3.0], [-0.0, -1.0, -inf, 0.0]", "[-0.0, -inf, -3.0, 3.0]"},
      {"[2, 3], [-1, 1]", "[-2.0, 3.0]"},
      {"[-1.0, 2.0, 0.0], [nan, -nan, -nan]", "[1.0, 2.0, 0.0]", "the language: a NaN has no sign"}};
};

// Derivatives of products carry powers of two apart, which makes no difference to the bits of what neither overflows
// nor underflows.
struct BinaryExponent {
  static constexpr PointwiseInfo info{.name = "binary_exponent",
                                      .doc = "The e of 1 ≤ |x|·2^-e < 2, as x's dtype; 0 of zeros, infinities and NaN.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "take the exponent of {}",
                                      .internal = true};
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    using I = typename T::Integer;
    constexpr E least = is_single<T> ? 0x1p-126 : 0x1p-1022;  // below it there are fewer digits
    constexpr E more = is_single<T> ? 24 : 53, grown = is_single<T> ? 0x1p24 : 0x1p53;
    const T size = magnitude(x);
    const auto small = size < T(least);
    const I stored = shift_right(bits(select(small, size * T(grown), size)), I(Layout<T>::fraction));
    const T exponent = small_float<T>(stored - I(Layout<T>::bias)) - select(small, T(more), T(0));
    return select((size > T(0)) & (size < T(infinity<T>)), exponent, T(0));
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.0, -2.0, 0.75, 3.9, 1e300]", "[0.0, 1.0, -1.0, 1.0, 996.0]", "the definition"},
      {"[0.0, -0.0, inf, nan, 5e-324, 2.3e-308]", "[0.0, 0.0, 0.0, 0.0, -1074.0, -1022.0]", "the definition"},
      {"f32([1e-45, 1e-38, 3e38])", "f32([-149.0, -127.0, 127.0])", "the definition"}};
};

struct ScaleExponent {
  static constexpr PointwiseInfo info{.name = "scale_exponent",
                                      .doc = "`x·2^e` for a whole number `e`, rounded once; 0 stays 0.",
                                      .parameters = {"x", "e"},
                                      .arity = 2,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::linear,
                                      .keeps = keep(1),
                                      .linear_in = keep(0),
                                      .action = "scale {} by 2 to the power of {}",
                                      .internal = true};
  template <class T>
  static T body(T x, T e) {
    using E = typename T::Element;
    constexpr E most = 2 * Layout<T>::bias - 2;
    const T bounded = select(e > T(most), T(most), select(e < T(-most), T(-most), e));
    return scale_by_power(x, small_integer(bounded + T(Layout<T>::magic)));
  }
  template <class E>
  static E transpose(unsigned, const E* x, const E& cotangent) {
    return E::template apply<ScaleExponent>(cotangent, x[1]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.5, -3.0, 1.0, 0.0], [1.0, -2.0, 1023.0, 5000.0]", "[3.0, -0.75, 8.98846567431158e307, 0.0]",
       "the definition"},
      {"[1.0, 1.5, 1.0, -1.0], [-1074.0, -1074.0, -9999.0, 9999.0]", "[5e-324, 1e-323, 0.0, -inf]", "the definition"},
      {"f32([1.0, 3.0, 0.0]), f32([-149.0, 200.0, 999.0])", "f32([1e-45, inf, 0.0])", "the definition"}};
};

struct IsNan {
  static constexpr PointwiseInfo info{.name = "isnan",
                                      .doc = "Whether x is NaN, elementwise; no integer is.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::comparison,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "look for NaN in {}"};
  template <class T>
  static auto body(T x) {
    return x != x;
  }
  static constexpr PointwiseSample samples[] = {{"[1.5, nan, inf, -0.0]", "[false, true, false, false]"},
                                                {"[1, 0]", "[false, false]"}};
};

struct IsInf {
  static constexpr PointwiseInfo info{.name = "isinf",
                                      .doc = "Whether x is inf or −inf, elementwise; no integer is.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::comparison,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "look for inf in {}"};
  template <class T>
  static auto body(T x) {
    if constexpr (T::is_float)
      return magnitude(x) == T(infinity<T>);
    else
      return x != x;
  }
  static constexpr PointwiseSample samples[] = {{"[1.5, nan, inf, -inf]", "[false, false, true, true]"},
                                                {"[1, 0]", "[false, false]"}};
};

struct IsFinite {
  static constexpr PointwiseInfo info{.name = "isfinite",
                                      .doc = "Whether x is neither NaN nor infinite, elementwise; all integers are.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::comparison,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "look for what is not finite in {}"};
  template <class T>
  static auto body(T x) {
    if constexpr (T::is_float)
      return magnitude(x) < T(infinity<T>);
    else
      return x == x;
  }
  static constexpr PointwiseSample samples[] = {{"[1.5, nan, inf, -inf]", "[true, false, false, false]"},
                                                {"[1, 0]", "[true, true]"}};
};

using Rounding = List<Ceil, Round, RoundDigits, Trunc, CopySign, BinaryExponent, ScaleExponent, IsNan, IsInf, IsFinite>;

}  // namespace covec::ops
