// Arithmetic: + − * / // % neg, and what is like them: abs, sign, minimum, maximum, clip, floor, and the zero-cotangent
// product. Start at Add; see info.hpp for what an operator consists of.
#pragma once

#include "stdlib/ops/elementwise/bodies/integer_power.hpp"

namespace covec::ops {

struct Add {
  static constexpr PointwiseInfo info{
      .name = "add",
      .doc = "`a + b`, elementwise.\nTwo bools add as i64. Integers wrap. Two strings are joined.",
      .parameters = {"a", "b"},
      .arity = 2,
      .types = TypeClass::numeric,
      .gradient = Gradient::linear,
      .linear_in = keep(0) | keep(1),
      .action = "add {} and {}"};
  template <class T>
  static T body(T a, T b) {
    return a + b;
  }
  template <class E>
  static E transpose(unsigned, const E*, const E& cotangent) {
    return cotangent;
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.0, 2.5, -3.0], [0.25, 1e16, 3.0]", "[1.25, 10000000000000002.0, 0.0]"},
      {"[9223372036854775807, 1], 1", "[-9223372036854775807 - 1, 2]"},
      {"[[1.5], [2.5]], [10.0, 20.0]", "[[11.5, 21.5], [12.5, 22.5]]", "numpy", 0, true},
      {"[true, false], true", "[2, 1]", "the language: bools add as integers"}};
};

struct Subtract {
  static constexpr PointwiseInfo info{.name = "subtract",
                                      .doc = "`a - b`, elementwise.\nBools count as i64. Integers wrap.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::linear,
                                      .linear_in = keep(0) | keep(1),
                                      .action = "subtract from {} the {}"};
  template <class T>
  static T body(T a, T b) {
    return a - b;
  }
  template <class E>
  static E transpose(unsigned i, const E*, const E& cotangent) {
    return i == 0 ? cotangent : -cotangent;
  }
  static constexpr PointwiseSample samples[] = {{"[1.0, 2.5], [0.25, -1.5]", "[0.75, 4.0]", "numpy", 0, true},
                                                {"[-9223372036854775807, 5], 2", "[9223372036854775807, 3]"}};
};

struct Multiply {
  static constexpr PointwiseInfo info{.name = "multiply",
                                      .doc = "`a * b`, elementwise.\nBools count as i64. Integers wrap.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1),
                                      .action = "multiply {} and {}",
                                      .first_ulp = 0.5,
                                      .second_ulp = 0.5};
  template <class T>
  static T body(T a, T b) {
    return a * b;
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return x[1 - i];
  }
  static constexpr PointwiseSample samples[] = {{"[1.5, -2.0, 1e200], [4.0, 0.1, 1e200]", "[6.0, -0.2, inf]"},
                                                {"[1.5, -2.0], [4.0, 0.1]", "[6.0, -0.2]", "numpy", 0, true},
                                                {"[4611686018427387904, 3], 2", "[-9223372036854775807 - 1, 6]"}};
};

struct Divide {
  static constexpr PointwiseInfo info{
      .name = "divide",
      .doc = "`a / b`, elementwise.\nIntegers and bools divide as f64; by zero it is IEEE's.",
      .parameters = {"a", "b"},
      .arity = 2,
      .types = TypeClass::floating,
      .gradient = Gradient::partial,
      .keeps = keep(1) | keep_result,
      .action = "divide {} by {}",
      .first_ulp = 1.5,
      .second_ulp = 5};
  template <class T>
  static T body(T a, T b) {
    return a / b;
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E& y) {
    return i == 0 ? 1.0 / x[1] : -(y / x[1]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.0, -7.0], [3.0, 2.0]", "[0.3333333333333333, -3.5]", "numpy", 0, true},
      {"[7, 1], 2", "[3.5, 0.5]"},
      {"[1.0, -1.0], 0.0", "[inf, -inf]"}};
};

// The exact remainder with the sign of a (C's fmod): one fused step where the quotient is exact enough.
template <class T>
[[gnu::always_inline]] inline T exact_remainder(T a, T b) {
  constexpr typename T::Element limit = is_single<T> ? 0x1p21 : 0x1p50;
  const T quotient = trunc(a / b);
  const T rest = fma(-quotient, b, a);
  const T usual = select((rest < T(0)) ^ (a < T(0)), rest + copy_sign(b, a), rest);
  const auto plain = (magnitude(quotient) < T(limit)) & (magnitude(b) < T(infinity<T>));
  return rare(~plain, select(rest == T(0), signed_zero(a), usual), [=] { return remainder(a, b); });
}

struct FloorDivide {
  static constexpr PointwiseInfo info{
      .name = "floor_divide",
      .doc =
          "`a // b`: the quotient rounded toward minus infinity, elementwise.\nAn integer divided by zero is an error.",
      .parameters = {"a", "b"},
      .arity = 2,
      .types = TypeClass::numeric,
      .gradient = Gradient::piecewise_constant,
      .action = "divide {} by {}",
      .failure = Failure::divide_by_zero};
  template <class T>
  static T body(T a, T b) {
    if constexpr (T::is_float) {
      const T rest = exact_remainder(a, b);
      const T whole = (a - rest) / b;
      const T lower = select((rest != T(0)) & ((rest < T(0)) ^ (b < T(0))), whole - T(1), whole);
      const T down = floor(lower);
      const T nearest = select(lower - down > T(0.5), down + T(1), down);
      return select(b == T(0), a / b, select(lower == T(0), signed_zero(a / b), nearest));
    } else {
      return floor_divide(a, b);
    }
  }
  template <class T>
  requires(!T::is_float) static auto fails(T, T b) { return b == T(0); }
  static constexpr PointwiseSample samples[] = {
      {"[7, -7, 7, -7], [2, 2, -2, -2]", "[3, -4, -4, 3]"},
      {"[7.5, -7.5, 1e300, 1.0], [2.0, 2.0, 1e-8, 0.0]", "[3.0, -4.0, 1e308, inf]"},
      {"[1.0, -1.0, 6.0], [0.1, 0.1, -4.0]", "[9.0, -10.0, -2.0]"}};
};

struct Modulo {
  static constexpr PointwiseInfo info{
      .name = "mod",
      .doc =
          "`a % b`: the remainder of `a // b`, with the sign of b, elementwise.\nAn integer modulo zero is an error.",
      .parameters = {"a", "b"},
      .arity = 2,
      .types = TypeClass::numeric,
      .gradient = Gradient::partial,
      .keeps = keep(0) | keep(1),
      .action = "take {} modulo {}",
      .failure = Failure::divide_by_zero,
      .first_ulp = 0.5,
      .second_ulp = 0.5};
  template <class T>
  static T body(T a, T b) {
    if constexpr (T::is_float) {
      const T rest = exact_remainder(a, b);
      const T moved = select((rest < T(0)) ^ (b < T(0)), rest + b, rest);
      return select(rest == T(0), signed_zero(b), moved);
    } else {
      return floor_modulo(a, b);
    }
  }
  template <class T>
  requires(!T::is_float) static auto fails(T, T b) { return b == T(0); }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return i == 0 ? E::number(x[0], 1.0) : -E::template apply<FloorDivide>(x[0], x[1]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[7, -7, 7, -7], [3, 3, -3, -3]", "[1, 2, -2, -1]"},
      {"[7.5, -7.5, 5.5, -1.0], [2.0, 2.0, -3.0, inf]", "[1.5, 0.5, -0.5, inf]"},
      {"[7.5, -7.25, 5.5], [2.0, 2.0, -3.0]", "[1.5, 0.75, -0.5]", "numpy", 0, true},
      {"[1e300, 1e22], [3.0, 7.0]", "[0.0, 4.0]", "python: fmod is exact"}};
};

struct Negate {
  static constexpr PointwiseInfo info{.name = "negative",
                                      .doc = "`-x`, elementwise.\nA bool counts as i64.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::linear,
                                      .linear_in = keep(0),
                                      .action = "negate {}"};
  template <class T>
  static T body(T x) {
    return -x;
  }
  template <class E>
  static E transpose(unsigned, const E*, const E& cotangent) {
    return -cotangent;
  }
  static constexpr PointwiseSample samples[] = {{"[1.5, -0.0, inf]", "[-1.5, 0.0, -inf]"},
                                                {"[1.5, -2.0]", "[-1.5, 2.0]", "numpy", 0, true}};
};

struct Positive {
  static constexpr PointwiseInfo info{.name = "positive",
                                      .doc = "`+x`: x itself.\nA bool counts as i64.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::linear,
                                      .linear_in = keep(0),
                                      .action = "take the plus of {}"};
  template <class T>
  static T body(T x) {
    return x;
  }
  template <class E>
  static E transpose(unsigned, const E*, const E& cotangent) {
    return cotangent;
  }
  static constexpr PointwiseSample samples[] = {{"[1.5, -2.0]", "[1.5, -2.0]", "numpy", 0, true}, {"true", "1"}};
};

struct Sign {
  static constexpr PointwiseInfo info{.name = "sign",
                                      .doc = "−1, 0 or 1 by the sign of x, elementwise; NaN gives NaN.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "take the sign of {}"};
  template <class T>
  static T body(T x) {
    const T nonzero = select(x > T(0), T(1), select(x < T(0), T(-1), x));
    return select(x == T(0), T(0), nonzero);
  }
  static constexpr PointwiseSample samples[] = {{"[2.5, -0.0, -inf, nan]", "[1.0, 0.0, -1.0, nan]"},
                                                {"[-3, 0, 7]", "[-1, 0, 1]"}};
};

struct Absolute {
  static constexpr PointwiseInfo info{
      .name = "abs",
      .doc = "The absolute value, elementwise.\nThe derivative at 0 is 0. The smallest integer wraps to itself.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::numeric,
      .gradient = Gradient::partial,
      .keeps = keep(0),
      .action = "take the absolute value of {}",
      .first_ulp = 0.5,
      .second_ulp = 0.5};
  template <class T>
  static T body(T x) {
    if constexpr (T::is_float)
      return magnitude(x);
    else
      return select(x < T(0), -x, x);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<Sign>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {{"[-2.5, 0.5, 3.0]", "[2.5, 0.5, 3.0]", "numpy", 0, true},
                                                {"[-0.0, -inf]", "[0.0, inf]"},
                                                {"[-3, 0, 7]", "[3, 0, 7]"}};
};

struct Abs2 {
  static constexpr PointwiseInfo info{
      .name = "abs2",
      .doc =
          "The square of `abs(x)`, elementwise: x², of complex numbers re² + im².\n"
          "Its derivatives of all orders are right at 0, where those of `abs` are taken as 0.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::numeric,
      .gradient = Gradient::partial,
      .keeps = keep(0),
      .action = "take the squared absolute value of {}",
      .first_ulp = 0.5,
      .second_ulp = 0.5};
  template <class T>
  static T body(T x) {
    return x * x;
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return 2.0 * x[0];
  }
  static constexpr PointwiseSample samples[] = {{"[-2.5, 0.5, 3.0]", "[6.25, 0.25, 9.0]", "numpy", 0, true},
                                                {"[-0.0, -inf]", "[0.0, inf]"},
                                                {"[-3, 0, 7]", "[9, 0, 49]"},
                                                {"complex([3.0, -1.0], [4.0, 0.5])", "[25.0, 1.25]"}};
};

// The square of hypot(x, y), and abs2 of a complex number.
struct HypotSquared {
  static constexpr PointwiseInfo info{.name = "hypot_squared",
                                      .doc = "x² + y², elementwise; inf where one is infinite.",
                                      .parameters = {"x", "y"},
                                      .arity = 2,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1),
                                      .action = "take hypot of {} and {}",
                                      .internal = true,
                                      .ulp = 1.5,
                                      .first_ulp = 0.5,
                                      .second_ulp = 0.5};
  template <class T>
  static T body(T x, T y) {
    const auto infinite = (magnitude(x) == T(infinity<T>)) | (magnitude(y) == T(infinity<T>));
    return select(infinite, T(infinity<T>), x * x + y * y);
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return 2.0 * x[i];
  }
  static constexpr PointwiseSample samples[] = {
      {"[3.0, -1.0, 0.5], [4.0, 2.0, 0.25]", "[25.0, 5.0, 0.3125]", "mpfr", 1, true},
      {"[0.0, inf, nan, nan, 3e200], [-0.0, nan, -inf, 1.0, 4.0]", "[0.0, inf, inf, nan, inf]"},
      {"[3, 5], [4, 12]", "[25.0, 169.0]"}};
};

struct Floor {
  static constexpr PointwiseInfo info{.name = "floor",
                                      .doc = "The largest integer not above x, elementwise, as x's dtype.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "take the floor of {}"};
  template <class T>
  static T body(T x) {
    if constexpr (T::is_float)
      return floor(x);
    else
      return x;
  }
  static constexpr PointwiseSample samples[] = {{"[1.5, -1.5, -0.0, 1e300, inf]", "[1.0, -2.0, -0.0, 1e300, inf]"},
                                                {"[3, -4]", "[3, -4]"}};
};

// Of two numbers the larger; any NaN gives NaN, +0 is larger than −0 (equal numbers differ in nothing else).
template <class T>
[[gnu::always_inline]] inline T larger(T a, T b) {
  const T strict = select(a > b, a, b);
  if constexpr (T::is_float)
    return select(a == b, from_bits(bits(a) & bits(b)), select((a < b) | (a > b), strict, a + b));
  else
    return strict;
}
template <class T>
[[gnu::always_inline]] inline T smaller(T a, T b) {
  const T strict = select(a < b, a, b);
  if constexpr (T::is_float)
    return select(a == b, from_bits(bits(a) | bits(b)), select((a < b) | (a > b), strict, a + b));
  else
    return strict;
}

struct Minimum {
  static constexpr PointwiseInfo info{.name = "minimum",
                                      .doc =
                                          "The smaller of a and b, elementwise.\nAny NaN gives NaN, −0 is smaller than "
                                          "+0. The derivative at a tie goes to the first.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::ordered,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1),
                                      .action = "take the minimum of {} and {}",
                                      .first_ulp = 0.5,
                                      .second_ulp = 0.5};
  template <class T>
  static T body(T a, T b) {
    return smaller(a, b);
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return i == 0 ? x[0] <= x[1] : x[1] < x[0];
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.0, nan, 0.0, -0.0], [2.0, 1.0, -0.0, 0.0]", "[1.0, nan, -0.0, -0.0]", "the language: −0 < +0"},
      {"[1.0, 4.0], [2.0, 3.0]", "[1.0, 3.0]", "numpy", 0, true},
      {"[1, 5], 3", "[1, 3]"}};
};

struct Maximum {
  static constexpr PointwiseInfo info{.name = "maximum",
                                      .doc =
                                          "The larger of a and b, elementwise.\nAny NaN gives NaN, +0 is larger than "
                                          "−0. The derivative at a tie goes to the first.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::ordered,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1),
                                      .action = "take the maximum of {} and {}",
                                      .first_ulp = 0.5,
                                      .second_ulp = 0.5};
  template <class T>
  static T body(T a, T b) {
    return larger(a, b);
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return i == 0 ? x[0] >= x[1] : x[1] > x[0];
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.0, nan, 0.0, -0.0], [2.0, 1.0, -0.0, 0.0]", "[2.0, nan, 0.0, 0.0]", "the language: +0 > −0"},
      {"[1.0, 4.0], [2.0, 3.0]", "[2.0, 4.0]", "numpy", 0, true},
      {"[1, 5], 3", "[3, 5]"}};
};

struct Clip {
  static constexpr PointwiseInfo info{
      .name = "clip",
      .doc = "`minimum(maximum(x, low), high)`, elementwise.\nAt the edges the derivative goes to x.",
      .parameters = {"x", "low", "high"},
      .arity = 3,
      .types = TypeClass::ordered,
      .gradient = Gradient::partial,
      .keeps = keep(0) | keep(1) | keep(2),
      .action = "clip {} to {} and {}",
      .first_ulp = 0.5,
      .second_ulp = 0.5};
  template <class T>
  static T body(T x, T low, T high) {
    return smaller(larger(x, low), high);
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    if (i == 0) return (x[0] >= x[1]) & (x[0] <= x[2]);
    if (i == 1) return (x[0] < x[1]) & (x[1] <= x[2]);
    return (x[0] > x[2]) | (x[1] > x[2]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[-1.0, 0.5, 2.0], 0.0, 1.0", "[0.0, 0.5, 1.0]", "numpy", 0, true},
      {"[-1.5, 0.5, 2.5], [-1.0, 0.0, 1.0], [0.25, 0.25, 1.5]", "[-1.0, 0.25, 1.5]", "numpy", 0, true},
      {"[nan, 5.0], 0.0, 1.0", "[nan, 1.0]"},
      {"[-3, 7], 0, 5", "[0, 5]"}};
};

struct FusedMultiplyAdd {
  static constexpr PointwiseInfo info{.name = "fma",
                                      .doc = "`a * b + c`, elementwise, rounded once.\nIntegers count as f64.",
                                      .parameters = {"a", "b", "c"},
                                      .arity = 3,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1),
                                      .action = "multiply {} by {} and add {}",
                                      .first_ulp = 0.5,
                                      .second_ulp = 0.5};
  template <class T>
  static T body(T a, T b, T c) {
    return fma(a, b, c);
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return i == 2 ? E(1.0) : x[1 - i];
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.5, -2.0, 0.1], [4.0, 0.1, 10.0], [1.0, 0.25, -1.0]", "[7.0, 0.05, 5.551115123125783e-17]", "mpfr", 0, true},
      {"134217729.0, 134217729.0, -18014398777917440.0", "1.0", "mpfr"},
      {"[2, 3], 4, [true, false]", "[9.0, 12.0]"},
      {"[inf, -0.0], [0.0, 1.0], [1.0, -0.0]", "[nan, -0.0]", "the language: IEEE's fusedMultiplyAdd"}};
};

// The product in derivatives: a cotangent of ±0 gives 0 whatever the factor, so that a branch not taken (where the
// factor may be inf or NaN) does not poison a gradient. Its own derivative is the product's, taken by the same rule.
struct Scale {
  static constexpr PointwiseInfo info{.name = "scale",
                                      .doc = "`cotangent * factor`, but 0 where the cotangent is ±0.",
                                      .parameters = {"cotangent", "factor"},
                                      .arity = 2,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::scaled,
                                      .keeps = keep(0) | keep(1),
                                      .action = "scale {} by {}",
                                      .internal = true};
  template <class T>
  static T body(T cotangent, T factor) {
    return select(cotangent == T(0), T(0), cotangent * factor);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, -0.0, 2.0], [inf, nan, 3.0]", "[0.0, 0.0, 6.0]", "the language: zero cotangents"}};
};

// What the derivative of `scale` by its factor is made of: the cotangent that came in and the one of then both count.
struct ScaleBoth {
  static constexpr PointwiseInfo info{.name = "scale_both",
                                      .doc = "`a * b`, but 0 where either is ±0.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::scaled,
                                      .keeps = keep(0) | keep(1),
                                      .action = "scale {} by {}",
                                      .internal = true};
  template <class T>
  static T body(T a, T b) {
    return select((a == T(0)) | (b == T(0)), T(0), a * b);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, -0.0, 2.0, inf], [inf, nan, 3.0, -0.0]", "[0.0, 0.0, 6.0, 0.0]", "the language: zero cotangents"}};
};

using Arithmetic =
    List<Add, Subtract, Multiply, Divide, FloorDivide, Modulo, Negate, Positive, Sign, Absolute, Abs2, HypotSquared,
         Floor, Minimum, Maximum, Clip, FusedMultiplyAdd, Scale, ScaleBoth, Power, IntegerPower>;

}  // namespace covec::ops
