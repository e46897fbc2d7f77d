// First and second derivatives of elementary functions, where an expression of other operators would lose digits. They
// are about as exact as the functions themselves, from the smallest arguments to infinity. Third derivatives are
// expressions. Start at SigmoidDerivative.
#pragma once

#include "stdlib/ops/elementwise/bodies/functions.hpp"

namespace covec::ops {

// From here on 1 and x² are x², which may leave the range.
template <class T>
inline constexpr typename T::Element large = is_single<T> ? 0x1p60 : 0x1p500;

// q − q² for q = 1/(1 + e^|x|), where nothing cancels.
struct SigmoidDerivative {
  static constexpr PointwiseInfo info = derivative_info("sigmoid_derivative", "The derivative of sigmoid.",
                                                        "take the derivative of sigmoid of {}", keep(0) | keep_result);
  template <class T>
  static T body(T x) {
    const T q = falling_sigmoid(exponential(-magnitude(x)));
    return fma(-q, q, q);
  }
  // e/(1 + e), with what the quotient and the sum lose.
  template <class T>
  static T falling_sigmoid(T e) {
    const T sum = T(1) + e, lost = e - (sum - T(1)), quotient = e / sum;
    const T residue = fma(-quotient, lost, fma(-quotient, sum, e));
    return fma(residue, fma(e, T(-0.457), T(0.957)), quotient);  // residue/sum, roughly
  }
  template <class E>
  static E partial(unsigned, const E* x, const E& y) {
    return -(y * E::template apply<Tanh>(0.5 * x[0]));
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 1.0, -2.0, 30.0]", "[0.25, 0.19661193324148185, 0.10499358540350652, 9.357622968838423e-14]", "mpfr", 2,
       true},
      {"[inf, -inf, 800.0, nan]", "[0.0, 0.0, 0.0, nan]"}};
};

// 1/cosh²x as q·(2 − q) with q = 1 − tanh|x| = 2/(e^2|x| + 1), found as tanh finds it.
struct TanhDerivative {
  static constexpr PointwiseInfo info = derivative_info("tanh_derivative", "The derivative of tanh: 1/cosh²x.",
                                                        "take the derivative of tanh of {}", keep(0) | keep_result);
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    constexpr E last = is_single<T> ? 60 : 380;  // beyond, it is below all numbers
    const T size = magnitude(x);
    const Complement<T> c = Tanh::complement(size);
    const T q = fma(c.residue, T(0.5) * c.quotient, c.quotient);
    return rare(~(size < T(Tanh::limit<T>)), fma(-q, q, q + q), [=] {
      const ExponentialParts<T> parts = exponential_parts(T(-2) * select(size < T(last), size, T(last)));
      const T tail = scale_by_power(T(4) * parts.mantissa, small_integer(parts.shifted));
      return select(x == x, tail, x);
    });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E& y) {
    return -2.0 * (y * E::template apply<Tanh>(x[0]));
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.25, -1.0, 3.0, 20.0]",
       "[1.0, 0.940014848806378, 0.4199743416140261, 0.00986603716544019, 1.6993417021166355e-17]", "mpfr", 3, true},
      {"[inf, -inf, 400.0, nan]", "[0.0, 0.0, 0.0, nan]"}};
};

// 1 + y², of which the derivative of tan is made: with one rounding.
struct OneAndSquare {
  static constexpr PointwiseInfo info =
      derivative_info("one_and_square", "1 + y², rounded once.", "take one and the square of {}");
  template <class T>
  static T body(T y) {
    return fma(y, y, T(1));
  }
  template <class E>
  static E partial(unsigned, const E* y, const E&) {
    return 2.0 * y[0];
  }
  static constexpr PointwiseSample samples[] = {{"[0.5, -3.0, inf]", "[1.25, 10.0, inf]", "numpy", 0, true}};
};

// 1/(3y²), the derivative of cbrt by its result, with what the square loses.
struct CbrtDerivative {
  static constexpr PointwiseInfo info = derivative_info("cbrt_derivative", "1/(3y²), the derivative of cbrt.",
                                                        "take the derivative of cbrt of {}", keep(0) | keep_result);
  template <class T>
  static T body(T y) {
    using E = typename T::Element;
    const T square = y * y, d = T(3) * square;
    const T d_low = fma(T(3), square, -d) + T(3) * fma(y, y, -square);
    const T quotient = T(1) / d;
    const T lost = fma(-quotient, d_low, fma(-quotient, d, T(1)));
    return select((d > T(E(0))) & (d < T(infinity<T>)), fma(quotient, lost, quotient), quotient);
  }
  template <class E>
  static E partial(unsigned, const E* y, const E& first) {
    return -2.0 * (first / y[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, -1.5, 0.5]", "[0.08333333333333333, 0.14814814814814814, 1.3333333333333333]", "mpfr", 1, true},
      {"[0.0, -0.0, inf, nan]", "[inf, inf, 0.0, nan]"}};
};

struct AsinDerivative {
  static constexpr PointwiseInfo info = derivative_info("asin_derivative", "The derivative of asin: 1/√(1 − x²).",
                                                        "take the derivative of asin of {}", keep(0) | keep_result);
  template <class T>
  static T body(T x) {
    return T(1) / sqrt((T(1) - x) * (T(1) + x));
  }
  template <class E>
  static E partial(unsigned, const E* x, const E& y) {
    return x[0] * (y * y * y);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.25, -0.5, 0.9]", "[1.0, 1.0327955589886444, 1.1547005383792515, 2.2941573387056176]", "mpfr", 2, true},
      {"[1.0, -1.0, 1.5, nan]", "[inf, inf, nan, nan]"}};
};

struct AtanSecondDerivative;

struct AtanDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("atan_derivative", "The derivative of atan: 1/(1 + x²).", "take the derivative of atan of {}");
  template <class T>
  static T body(T x) {
    return rare(~(magnitude(x) < T(large<T>)), T(1) / fma(x, x, T(1)), [=] { return T(1) / x / x; });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<AtanSecondDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.25, -1.0, 3.0]", "[1.0, 0.9411764705882353, 0.5, 0.1]", "mpfr", 1, true},
      {"[inf, -inf, 1e160, nan]", "[0.0, 0.0, 1e-320, nan]"}};
};

struct AtanSecondDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("atan_second_derivative", "The second derivative of atan: −2x/(1 + x²)².",
                      "take the second derivative of atan of {}");
  template <class T>
  static T body(T x) {
    const T first = T(1) / fma(x, x, T(1));
    return rare(~(magnitude(x) < T(large<T>)), (T(-2) * x * first) * first, [=] { return T(-2) / x / x / x; });
  }
  // s²·(6x²s − 2s), where x²s is 1 − s.
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    const E first = E::template apply<AtanDerivative>(x[0]);
    return first * first * (6.0 - 8.0 * first);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.25, -1.0, 3.0]", "[-0.0, -0.4429065743944637, 0.5, -0.06]", "mpfr", 3, true},
      {"[inf, -inf, 1e200, nan]", "[-0.0, 0.0, -0.0, nan]"}};
};

struct AsinhSecondDerivative;

struct AsinhDerivative {
  static constexpr PointwiseInfo info = derivative_info("asinh_derivative", "The derivative of asinh: 1/√(1 + x²).",
                                                        "take the derivative of asinh of {}");
  template <class T>
  static T body(T x) {
    return rare(~(magnitude(x) < T(large<T>)), T(1) / sqrt(fma(x, x, T(1))), [=] { return T(1) / magnitude(x); });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<AsinhSecondDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.25, -1.0, 3.0]", "[1.0, 0.9701425001453319, 0.7071067811865476, 0.31622776601683794]", "mpfr", 2, true},
      {"[inf, -inf, 1e160, nan]", "[0.0, 0.0, 1e-160, nan]"}};
};

struct AsinhSecondDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("asinh_second_derivative", "The second derivative of asinh: −x/(1 + x²)^1.5.",
                      "take the second derivative of asinh of {}");
  template <class T>
  static T body(T x) {
    const T first = T(1) / sqrt(fma(x, x, T(1)));
    return rare(~(magnitude(x) < T(large<T>)), -(x * first) * (first * first),
                [=] { return T(-1) / x / magnitude(x); });
  }
  // s³·(3x²s² − 1), where x²s² is 1 − s².
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    const E first = E::template apply<AsinhDerivative>(x[0]);
    return first * first * first * (2.0 - 3.0 * first * first);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.25, -1.0, 3.0]", "[-0.0, -0.2282688235636075, 0.35355339059327373, -0.09486832980505137]", "mpfr", 4,
       true},
      {"[inf, -inf, 1e100, nan]", "[-0.0, 0.0, -1e-200, nan]"}};
};

struct AcoshSecondDerivative;

struct AcoshDerivative {
  static constexpr PointwiseInfo info = derivative_info(
      "acosh_derivative", "The derivative of acosh: 1/√(x² − 1); NaN below 1.", "take the derivative of acosh of {}");
  template <class T>
  static T body(T x) {
    return rare(~((x >= T(1)) & (x < T(large<T>))), T(1) / sqrt((x - T(1)) * (x + T(1))),
                [=] { return select(x >= T(1), T(1) / x, T(__builtin_nan(""))); });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<AcoshSecondDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.25, 2.0, 10.0]", "[1.3333333333333333, 0.5773502691896258, 0.10050378152592121]", "mpfr", 2, true},
      {"[1.0, 0.5, -2.0, inf, 1e160, nan]", "[inf, nan, nan, 0.0, 1e-160, nan]"}};
};

struct AcoshSecondDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("acosh_second_derivative", "The second derivative of acosh: −x/(x² − 1)^1.5; NaN below 1.",
                      "take the second derivative of acosh of {}");
  template <class T>
  static T body(T x) {
    const T first = T(1) / sqrt((x - T(1)) * (x + T(1)));
    return rare(~((x >= T(1)) & (x < T(large<T>))), -(x * first) * (first * first),
                [=] { return select(x >= T(1), T(-1) / x / x, T(__builtin_nan(""))); });
  }
  // s³·(3x²s² − 1), where x²s² is 1 + s².
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    const E first = E::template apply<AcoshDerivative>(x[0]);
    return first * first * first * (2.0 + 3.0 * first * first);
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.25, 2.0, 10.0]", "[-2.962962962962963, -0.3849001794597505, -0.010151897123830424]", "mpfr", 4, true},
      {"[1.0, 0.5, -2.0, inf, 1e100, nan]", "[-inf, nan, nan, -0.0, -1e-200, nan]"}};
};

struct AtanhDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("atanh_derivative", "The derivative of atanh: 1/(1 − x²); NaN beyond ±1.",
                      "take the derivative of atanh of {}", keep(0) | keep_result);
  template <class T>
  static T body(T x) {
    return select(magnitude(x) <= T(1), T(1) / ((T(1) - x) * (T(1) + x)), T(__builtin_nan("")));
  }
  template <class E>
  static E partial(unsigned, const E* x, const E& y) {
    return 2.0 * x[0] * (y * y);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.25, -0.5, 0.9]", "[1.0, 1.0666666666666667, 1.3333333333333333, 5.2631578947368425]", "mpfr", 2, true},
      {"[1.0, -1.0, 1.5, inf, nan]", "[inf, inf, nan, nan, nan]"}};
};

// A value beside its derivative by x. A function of a complex number is computed from the parts by operators whose own
// derivatives may lose digits on the way; this gives the result the derivative of the function. Its rule is by hand
// (make_entry.hpp).
struct WithDerivative {
  static constexpr PointwiseInfo info{.name = "with_derivative",
                                      .doc = "`y`, of which `derivative` is the derivative by x.",
                                      .parameters = {"y", "x", "derivative"},
                                      .arity = 3,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::scaled,
                                      .keeps = keep(2),
                                      .action = "give {} by {} the derivative {}",
                                      .internal = true};
  template <class T>
  static T body(T y, T, T) {
    return y;
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.0, nan, -0.0], [2.0, 3.0, inf], [4.0, 5.0, nan]", "[1.0, nan, -0.0]", "the definition"}};
};

using Derivatives = List<SigmoidDerivative, TanhDerivative, OneAndSquare, CbrtDerivative, AsinDerivative,
                         AtanDerivative, AtanSecondDerivative, AsinhDerivative, AsinhSecondDerivative, AcoshDerivative,
                         AcoshSecondDerivative, AtanhDerivative, WithDerivative>;

}  // namespace covec::ops
