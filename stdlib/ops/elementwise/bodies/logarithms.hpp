// Functions close to exp and log: e^x − 1, ln(1 + x) and ln(1 + e^x), which keep their digits near 0, and the
// logarithms of other bases.
#pragma once

#include "stdlib/ops/elementwise/bodies/functions.hpp"

namespace covec::ops {

// With x = n·ln 2 + r: e^x − 1 = (2^n − 1) + 2^n·r + 2^n·(e^r − 1 − r), the last the smallest.
template <class T>
[[gnu::always_inline]] inline T exponential_less_one(T x) {
  using E = typename T::Element;
  constexpr E limit = is_single<T> ? 87 : 708;
  const T shifted = fma(x, T(Ln2<T>::inverse), T(Layout<T>::magic));
  const T n = shifted - T(Layout<T>::magic);
  const T r = fma(n, T(-Ln2<T>::low), fma(n, T(-Ln2<T>::high), x));
  const T power = power_of_two<T>(bits(shifted));
  const T sum = fma(power, r * r * exponential_tail(r), fma(power, r, power - T(1)));
  return rare(~(magnitude(x) < T(limit)), copy_sign(sum, x), [=] { return select(x < T(0), T(-1), exponential(x)); });
}

struct Expm1 {
  static constexpr PointwiseInfo info{.name = "expm1",
                                      .doc = "e^x − 1, elementwise, exact near 0, too.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take expm1 of {}",
                                      .ulp = 1.5,
                                      .first_ulp = 1,
                                      .second_ulp = 1};
  template <class T>
  static T body(T x) {
    return exponential_less_one(x);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<Exp>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.5, -1.0, 2.0, 1e-10]", "[0.6487212707001282, -0.6321205588285577, 6.38905609893065, 1.00000000005e-10]",
       "mpfr", 1, true},
      {"[-0.0, inf, -inf, 710.0, -800.0, nan]", "[-0.0, inf, -1.0, inf, -1.0, nan]"}};
};

struct Log1p {
  static constexpr PointwiseInfo info{.name = "log1p",
                                      .doc = "ln(1 + x), elementwise, exact near 0, too; −inf of −1, NaN below.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take log1p of {}",
                                      .ulp = 1.5,
                                      .first_ulp = 1.5,
                                      .second_ulp = 4};
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    constexpr E limit = is_single<T> ? 0x1p100 : 0x1p1000;  // 1 + x is x
    return rare(~((x > T(-1)) & (x < T(limit))), copy_sign(logarithm_one_plus(x), x), [=] {
      return select(x == T(-1), T(-infinity<T>), select(x > T(-1), logarithm(x), T(__builtin_nan(""))));
    });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return 1.0 / (1.0 + x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.5, -0.5, 2.0, 1e-10]", "[0.4054651081081644, -0.6931471805599453, 1.0986122886681098, 9.9999999995e-11]",
       "mpfr", 1, true},
      {"[-0.0, -1.0, -2.0, inf, 1e300, nan]", "[-0.0, -inf, nan, inf, 690.7755278982137, nan]"}};
};

// log of x to the base whose 1/ln is inverse + inverse_low, and whose log 2 is two + two_low, with k·two exact.
template <class T>
[[gnu::always_inline]] inline T logarithm_of_base(T x, double inverse, double inverse_low, double two, double two_low) {
  using E = typename T::Element;
  const auto number = [](double c) { return T(static_cast<E>(c)); };
  const auto normal = [&](T positive, E shift) {
    const LogarithmParts<T> parts = logarithm_parts(positive);
    const T k = parts.k + T(shift), f = parts.m - T(1);
    const T small = fma(f, number(inverse_low), logarithm_rest(f, T(0)) * number(inverse));
    return fma(k, number(two), fma(f, number(inverse), fma(k, number(two_low), small)));
  };
  return logarithm_by(x, normal);
}

struct Log2 {
  static constexpr PointwiseInfo info{
      .name = "log2",
      .doc = "The logarithm to base 2, elementwise, exact of powers of 2; −inf of 0, NaN of negative numbers.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::floating,
      .gradient = Gradient::partial,
      .keeps = keep(0),
      .action = "take the logarithm of {}",
      .ulp = 1.5,
      .first_ulp = 1.5,
      .second_ulp = 3};
  template <class T>
  static T body(T x) {
    if constexpr (is_single<T>)
      return logarithm_of_base(x, 0x1.715476p+0, 0x1.4ae0cp-26, 1, 0);
    else
      return logarithm_of_base(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1, 0);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return 0x1.71547652b82fep+0 / x[0];  // 1/ln 2
  }
  static constexpr PointwiseSample samples[] = {
      {"[8.0, 10.0, 0.3, 1.0]", "[3.0, 3.321928094887362, -1.7369655941662063, 0.0]", "mpfr", 1, true},
      {"[0.0, inf, -1.0, nan, 5e-324]", "[-inf, inf, nan, nan, -1074.0]"}};
};

struct Log10 {
  static constexpr PointwiseInfo info{
      .name = "log10",
      .doc = "The logarithm to base 10, elementwise, exact of powers of 10; −inf of 0, NaN of negative numbers.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::floating,
      .gradient = Gradient::partial,
      .keeps = keep(0),
      .action = "take the logarithm of {}",
      .ulp = 1.5,
      .first_ulp = 1.5,
      .second_ulp = 3};
  template <class T>
  static T body(T x) {
    if constexpr (is_single<T>)
      return logarithm_of_base(x, 0x1.bcb7b2p-2, -0x1.5b235ep-27, 0x1.344p-2, 0x1.3509f8p-18);
    else
      return logarithm_of_base(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.34413509f6p-2,
                               0x1.9fef311f12b36p-42);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return 0x1.bcb7b1526e50ep-2 / x[0];  // 1/ln 10
  }
  static constexpr PointwiseSample samples[] = {
      {"[1000.0, 2.0, 0.3, 1.0]", "[3.0, 0.3010299956639812, -0.5228787452803376, 0.0]", "mpfr", 1, true},
      {"[0.0, inf, -1.0, nan, 1e-310, 1e22]", "[-inf, inf, nan, nan, -310.0, 22.0]"}};
};

struct Softplus {
  static constexpr PointwiseInfo info{.name = "softplus",
                                      .doc = "ln(1 + e^x), elementwise, without overflow.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take softplus of {}",
                                      .ulp = 2,
                                      .first_ulp = 2,
                                      .second_ulp = 2.5};
  // max(x, 0) + ln(1 + e) with e = e^−|x| in (0, 1].
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    constexpr E limit = is_single<T> ? 87 : 708;
    const T size = magnitude(x);
    const ExponentialParts<T> parts = exponential_parts(-size);
    const T e = add_exponent(parts.mantissa, bits(parts.shifted));
    const auto halved = e > T(E(0.41421356237309503));
    const T f = select(halved, fma(T(E(0.5)), e, T(E(-0.5))), e), k = select(halved, T(1), T(0));
    const T upper = logarithm_sum(f, k, T(0));
    return rare(~(size < T(limit)), select(x > T(0), x, T(0)) + upper,
                [=] { return select(x > T(0), x, exponential(x)); });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<Sigmoid>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 1.5, -2.0, 20.0]", "[0.6931471805599453, 1.7014132779827524, 0.1269280110429725, 20.000000002061153]",
       "mpfr", 1, true},
      {"[800.0, -800.0, inf, -inf, nan]", "[800.0, 0.0, inf, 0.0, nan]"}};
};

// e^(y + low)·2^small_integer(shifted) for |y| ≤ ln 2/2. What each sum loses is put back, so that powers that are
// floats are exact.
template <class T>
[[gnu::always_inline]] inline T power_mantissa(T y, T low) {
  const T tail = y * y * exponential_tail(y);
  const T first = y + T(0.125), first_lost = y - (first - T(0.125));
  const T rest = first + tail, rest_lost = tail - (rest - first);
  const T sum = T(0.875) + rest, sum_lost = rest - (sum - T(0.875));
  return sum + (sum_lost + (rest_lost + fma(low, sum, first_lost)));
}

// What 2^x and 10^x are made of, for f64 and f32: log₂ of the base, one by it, the base's natural logarithm, and how
// far results are normal numbers, and beyond any number.
struct BaseTwo {
  static constexpr double inverse = 1;
  // ln 2 as the sum of two floats. Exponents by IEEE 754: `usual` gives normal numbers, which begin at 2^−1022 (f32:
  // 2^−126); beyond `largest` all is inf, from 2^1024 (2^128) on; below `smallest` all is 0, from 2^−1075 (2^−150)
  // down.
  static constexpr double step[] = {1, 1}, step_low[] = {0, 0};
  static constexpr double log[] = {0x1.62e42fefa39efp-1, 0x1.62e43p-1};
  static constexpr double log_low[] = {0x1.abc9e3b39803fp-56, -0x1.05c61p-29};
  static constexpr double usual[] = {1021, 126}, largest[] = {1030, 130}, smallest[] = {-1080, -155};
};
struct BaseTen {
  // log₂ 10, log₁₀ 2 and ln 10, the latter as sums of two floats. Exponents: as for BaseTwo, times log₁₀ 2.
  static constexpr double inverse = 0x1.a934f0979a371p+1;
  static constexpr double step[] = {0x1.34413509f79ffp-2, 0x1.3441360000000p-2},
                          step_low[] = {-0x1.9dc1da994fd21p-59, -0x1.ec10c00000000p-27};
  static constexpr double log[] = {0x1.26bb1bbb55516p+1, 0x1.26bb1c0000000p+1};
  static constexpr double log_low[] = {-0x1.f48ad494ea3e9p-53, -0x1.12aaba0000000p-25};
  static constexpr double usual[] = {307, 37}, largest[] = {310, 40}, smallest[] = {-325, -47};
};

template <class Base, class T>
[[gnu::always_inline]] inline T mantissa_of_power(T x, T shifted) {
  using E = typename T::Element;
  constexpr int at = is_single<T> ? 1 : 0;
  constexpr E step = E(Base::step[at]), step_low = E(Base::step_low[at]);
  constexpr E log = E(Base::log[at]), log_low = E(Base::log_low[at]);
  const T n = shifted - T(Layout<T>::magic);
  const T high = fma(n, T(-step), x), r = fma(n, T(-step_low), high);
  const T r_low = fma(n, T(-step_low), high - r);
  const T y = r * T(log);
  return power_mantissa(y, fma(r_low, T(log), fma(r, T(log_low), fma(r, T(log), -y))));
}

template <class Base, class T>
[[gnu::always_inline]] inline T power_of_base(T x) {
  using E = typename T::Element;
  constexpr int at = is_single<T> ? 1 : 0;
  constexpr E usual = E(Base::usual[at]), largest = E(Base::largest[at]), smallest = E(Base::smallest[at]);
  const auto shifted = [](T from) { return fma(from, T(E(Base::inverse)), T(Layout<T>::magic)); };
  const T n = shifted(x);
  return rare(~(magnitude(x) < T(usual)), add_exponent(mantissa_of_power<Base>(x, n), bits(n)), [=] {
    const T clamped = select(x > T(largest), T(largest), select(x < T(smallest), T(smallest), x));
    const T edge = shifted(clamped);
    const T power = scale_by_power(mantissa_of_power<Base>(clamped, edge), small_integer(edge));
    return select(x == x, power, x);
  });
}

struct Exp2 {
  static constexpr PointwiseInfo info{.name = "exp2",
                                      .doc = "2 to the power x, elementwise; exact where x is an integer.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep_result,
                                      .action = "take exp2 of {}",
                                      .ulp = 1,
                                      .first_ulp = 2,
                                      .second_ulp = 3};
  template <class T>
  static T body(T x) {
    return power_of_base<BaseTwo>(x);
  }
  template <class E>
  static E partial(unsigned, const E*, const E& y) {
    return 0.6931471805599453 * y;
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.5, -1.25, 3.0, 0.1]", "[1.4142135623730951, 0.42044820762685725, 8.0, 1.0717734625362931]", "mpfr", 1, true},
      {"[0.0, -1.0, 10.0, 1023.0, -1022.0, -1074.0]",
       "[1.0, 0.5, 1024.0, 8.98846567431158e307, 2.2250738585072014e-308, 5e-324]"},
      {"[inf, -inf, 1024.0, -1076.0, nan]", "[inf, 0.0, inf, 0.0, nan]"},
      {"[3]", "[8.0]"}};
};

struct Exp10 {
  static constexpr PointwiseInfo info{.name = "exp10",
                                      .doc = "10 to the power x, elementwise; exact where the result is a float.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep_result,
                                      .action = "take exp10 of {}",
                                      .ulp = 1,
                                      .first_ulp = 2,
                                      .second_ulp = 3};
  template <class T>
  static T body(T x) {
    return power_of_base<BaseTen>(x);
  }
  template <class E>
  static E partial(unsigned, const E*, const E& y) {
    return 2.302585092994046 * y;
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.5, -1.25, 0.1]", "[3.1622776601683795, 0.05623413251903491, 1.2589254117941673]", "mpfr", 1, true},
      {"[0.0, 1.0, 2.0, 10.0, 15.0, 22.0, -1.0, -5.0]", "[1.0, 10.0, 100.0, 1e10, 1e15, 1e22, 0.1, 1e-5]"},
      {"[inf, -inf, 309.0, -324.0, nan]", "[inf, 0.0, inf, 0.0, nan]"},
      {"[3]", "[1000.0]"}};
};

using Logarithms = List<Expm1, Log1p, Log2, Log10, Softplus, Exp2, Exp10>;

}  // namespace covec::ops
