// Elementary functions of one float: exp, log, sin, cos, tanh and sqrt to one unit in the last place or better, sigmoid
// to two. Integers and bools are taken as f64.
#pragma once

#include "stdlib/ops/elementwise/bodies/arctangent.hpp"
#include "stdlib/ops/elementwise/bodies/exponential.hpp"
#include "stdlib/ops/elementwise/bodies/trigonometric.hpp"

namespace covec::ops {

struct Sqrt {
  static constexpr PointwiseInfo info{
      .name = "sqrt",
      .doc = "The square root, elementwise; NaN of negative numbers.\nThe derivative at 0 is inf.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::floating,
      .gradient = Gradient::partial,
      .keeps = keep_result,
      .action = "take the square root of {}",
      .first_ulp = 2,
      .second_ulp = 6};
  template <class T>
  static T body(T x) {
    return sqrt(x);
  }
  template <class E>
  static E partial(unsigned, const E*, const E& y) {
    return 0.5 / y;
  }
  static constexpr PointwiseSample samples[] = {{"[4.0, 2.0, 0.25]", "[2.0, 1.4142135623730951, 0.5]", "mpfr", 0, true},
                                                {"[0.0, inf, -1.0]", "[0.0, inf, nan]"},
                                                {"[4, 9]", "[2.0, 3.0]"}};
};

struct Exp {
  static constexpr PointwiseInfo info{.name = "exp",
                                      .doc = "e to the power x, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep_result,
                                      .action = "take exp of {}",
                                      .ulp = 1,
                                      .first_ulp = 1,
                                      .second_ulp = 1};
  template <class T>
  static T body(T x) {
    return exponential(x);
  }
  template <class E>
  static E partial(unsigned, const E*, const E& y) {
    return y;
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 1.0, -1.0, 0.5]", "[1.0, 2.718281828459045, 0.36787944117144233, 1.6487212707001282]", "mpfr", 1, true},
      {"[inf, -inf, 710.0, -746.0, nan]", "[inf, 0.0, inf, 0.0, nan]"}};
};

struct Log {
  static constexpr PointwiseInfo info{.name = "log",
                                      .doc = "The natural logarithm, elementwise; −inf of 0, NaN of negative numbers.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take the logarithm of {}",
                                      .ulp = 1,
                                      .first_ulp = 0.5,
                                      .second_ulp = 2};
  template <class T>
  static T body(T x) {
    return logarithm(x);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return 1.0 / x[0];
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, 10.0, 0.5, 1.0]", "[0.6931471805599453, 2.302585092994046, -0.6931471805599453, 0.0]", "mpfr", 1, true},
      {"[0.0, inf, -1.0, nan]", "[-inf, inf, nan, nan]"}};
};

struct Cos;

struct Sin {
  static constexpr PointwiseInfo info{.name = "sin",
                                      .doc = "The sine of an angle in radians, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take the sine of {}",
                                      .ulp = 1,
                                      .first_ulp = 1,
                                      .second_ulp = 1};
  template <class T>
  static T body(T x) {
    return circular(x, 0);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<Cos>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.5, -1.0, 3.0]", "[0.479425538604203, -0.8414709848078965, 0.1411200080598672]", "mpfr", 1, true},
      {"[-0.0, inf, 1e22]", "[-0.0, nan, -0.8522008497671888]", "mpfr", 1}};
};

struct Cos {
  static constexpr PointwiseInfo info{.name = "cos",
                                      .doc = "The cosine of an angle in radians, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take the cosine of {}",
                                      .ulp = 1,
                                      .first_ulp = 1,
                                      .second_ulp = 1};
  template <class T>
  static T body(T x) {
    return circular(x, 1);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return -E::template apply<Sin>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.5, -1.0, 3.0]", "[0.8775825618903728, 0.5403023058681398, -0.9899924966004454]", "mpfr", 1, true},
      {"[0.0, -inf, 1e22]", "[1.0, nan, 0.5232147853951389]", "mpfr", 1}};
};

// 1 − tanh x for x ≥ 0 as quotient·(1 + residue/2).
template <class T>
struct Complement {
  T quotient;
  T residue;
};

struct TanhDerivative;

struct Tanh {
  static constexpr PointwiseInfo info{.name = "tanh",
                                      .doc = "The hyperbolic tangent, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take the hyperbolic tangent of {}",
                                      .ulp = 1,
                                      .first_ulp = 3,
                                      .second_ulp = 6};
  // x + x³·tail(x²) for small x; else 1 − 2/(e^2|x| + 1), which no longer cancels: with what the difference loses.
  template <class T>
  static T body(T x) {
    constexpr typename T::Element bound = 0.55;
    const T size = magnitude(x), z = x * x;
    const T small = fma(x * z, tail(z), x);
    const Complement<T> c = complement(size);
    const T rest = T(1) - c.quotient;
    const T large = rest + (((T(1) - rest) - c.quotient) - c.residue * (T(0.5) * c.quotient));
    return copy_sign(select(size >= T(bound), large, small), x);
  }
  // Where e^2|x| leaves the range, and 2/(e^2|x| + 1) the normal numbers.
  template <class T>
  static constexpr typename T::Element limit = is_single<T> ? 43 : 354;
  template <class T>
  static Complement<T> complement(T size) {
    const T twice = select(size < T(limit<T>), size, T(limit<T>)) * T(2);
    const ExponentialParts<T> parts = exponential_parts(twice);
    const T e = add_exponent(parts.mantissa, bits(parts.shifted));
    const T sum = e + T(1), lost = e - (sum - T(1));
    const T quotient = T(2) / sum;
    return {quotient, fma(-quotient, lost, fma(-quotient, sum, T(2)))};
  }
  template <class T>
  static T tail(T z) {
    if constexpr (is_single<T>) {
      return polynomial(z, -0x1.55554cp-2, 0x1.110d5ap-3, -0x1.b92718p-5, 0x1.58fa74p-6, -0x1.98de7ep-8);
    } else {
      return polynomial(z, -0x1.55555555554fap-2, 0x1.1111111107379p-3, -0x1.ba1ba1aff0b50p-5, 0x1.664f4614a2469p-6,
                        -0x1.226de2da030b1p-7, 0x1.d6c685c98405bp-9, -0x1.7cf5730d66c11p-10, 0x1.2fa1aa44e9cfbp-11,
                        -0x1.b8c99e6b1f42ap-13, 0x1.aacb4d470675dp-15);
    }
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<TanhDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, -1.0, 3.0]", "[0.24491866240370913, -0.7615941559557649, 0.9950547536867305]", "mpfr", 1, true},
      {"[-0.0, inf, -inf, nan]", "[-0.0, 1.0, -1.0, nan]"}};
};

struct SigmoidDerivative;

struct Sigmoid {
  static constexpr PointwiseInfo info{.name = "sigmoid",
                                      .doc = "1/(1 + exp(−x)), elementwise, without overflow.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take the sigmoid of {}",
                                      .ulp = 2,
                                      .first_ulp = 2.5,
                                      .second_ulp = 6};
  // The quotient is corrected by what it and the sum under it have lost.
  template <class T>
  static T body(T x) {
    const T small = exponential(-magnitude(x));
    const T top = select(x >= T(0), T(1), small), sum = T(1) + small, lost = small - (sum - T(1));
    const T quotient = top / sum;
    const T residue = fma(-quotient, lost, fma(-quotient, sum, top));
    return fma(residue, fma(small, T(-0.457), T(0.957)), quotient);  // residue/sum, roughly
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<SigmoidDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 1.0, -2.0]", "[0.5, 0.7310585786300049, 0.11920292202211756]", "mpfr", 2, true},
      {"[800.0, -800.0, nan]", "[1.0, 0.0, nan]"}};
};

struct Relu {
  static constexpr PointwiseInfo info{
      .name = "relu",
      .doc = "x where it is positive, else 0, elementwise; NaN stays.\nThe derivative at 0 is 0.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::numeric,
      .gradient = Gradient::partial,
      .keeps = keep(0),
      .action = "take relu of {}",
      .first_ulp = 0.5,
      .second_ulp = 0.5};
  template <class T>
  static T body(T x) {
    return select(x <= T(0), T(0), x);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return x[0] > 0.0;
  }
  static constexpr PointwiseSample samples[] = {{"[1.5, -2.0, 0.25]", "[1.5, 0.0, 0.25]", "numpy", 0, true},
                                                {"[nan, -0.0, inf]", "[nan, 0.0, inf]"},
                                                {"[-3, 7]", "[0, 7]"}};
};

struct AngleDerivative;

struct Atan2 {
  static constexpr PointwiseInfo info{
      .name = "atan2",
      .doc =
          "The angle in radians of the point (x, y), in [−π, π], with IEEE's values at zeros and infinities.\n"
          "The derivative at the origin is NaN.",
      .parameters = {"y", "x"},
      .arity = 2,
      .types = TypeClass::floating,
      .gradient = Gradient::partial,
      .keeps = keep(0) | keep(1),
      .action = "take atan2 of {} and {}",
      .ulp = 2,
      .first_ulp = 2.5,
      .second_ulp = 7};
  // The smaller coordinate by the larger one is the tangent of a part, from the axis that is nearer.
  template <class T>
  static T body(T y, T x) {
    using E = typename T::Element;
    using I = typename T::Integer;
    const T across = magnitude(x), up = magnitude(y);
    const auto steep = up > across;
    const auto behind = bits(x) < I(0);
    const T larger = select(steep, up, across), smaller = select(steep, across, up);
    const T diagonal = select(larger > T(E(0)), T(E(1)), T(E(0)));  // 0/0 is taken as 0, inf/inf as 1
    const T t = select(smaller == larger, diagonal, smaller / larger);
    const T rest = arctangent_rest(t);
    const auto back = steep ^ behind;
    const auto axis = [&](E quarter, E half) { return select(steep, T(quarter), select(behind, T(half), T(E(0)))); };
    const T high = is_single<T> ? axis(E(0x1.921fb6p+0), E(0x1.921fb6p+1))
                                : axis(E(0x1.921fb54442d18p+0), E(0x1.921fb54442d18p+1));
    const T low = is_single<T> ? axis(E(-0x1.777a5cp-25), E(-0x1.777a5cp-24))
                               : axis(E(0x1.1a62633145c07p-54), E(0x1.1a62633145c07p-53));
    return copy_sign((high + select(back, -t, t)) + (select(back, -rest, rest) + low), y);
  }
  template <class E>
  static E partial(unsigned i, const E* p, const E&) {
    const E first = E::template apply<AngleDerivative>(p[1 - i], p[i]);
    return i == 0 ? first : -first;
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.0, -1.0, 1.0, -3.0, 0.25, 0.5], [2.0, 2.0, -2.0, -0.5, 4.0, -0.75]",
       "[0.4636476090008061, -0.4636476090008061, 2.677945044588987, -1.7359450042095235, 0.06241880999595735, "
       "2.5535900500422257]",
       "mpfr", 2, true},
      {"[0.0, -0.0, 0.0, -0.0, inf, -inf, 1.0, nan], [1.0, 1.0, -0.0, -1.0, inf, -inf, inf, 1.0]",
       "[0.0, -0.0, 3.141592653589793, -3.141592653589793, 0.7853981633974483, -2.356194490192345, 0.0, nan]"},
      {"[1e308, 1e-320, 5e-324], [1e308, 1e-320, -1e300]",
       "[0.7853981633974483, 0.7853981633974483, 3.141592653589793]"}};
};

using Functions = List<Sqrt, Exp, Log, Sin, Cos, Tanh, Sigmoid, Relu, Atan2>;

}  // namespace covec::ops
