// Roots: 1/√x, the cube root, and the length of a vector of two. At most two units in the last place off.
#pragma once

#include "stdlib/ops/elementwise/bodies/bits.hpp"

namespace covec::ops {

struct Rsqrt {
  static constexpr PointwiseInfo info{.name = "rsqrt",
                                      .doc = "1/√x, elementwise; ±inf of ±0, NaN of negative numbers.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep_result,
                                      .action = "take the reciprocal square root of {}",
                                      .ulp = 1.5,
                                      .first_ulp = 3.5,
                                      .second_ulp = 10};
  template <class T>
  static T body(T x) {
    return T(1) / sqrt(x);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E& y) {
    return -0.5 * y / x[0];
  }
  static constexpr PointwiseSample samples[] = {
      {"[4.0, 2.0, 0.3]", "[0.5, 0.7071067811865475, 1.8257418583505538]", "mpfr", 2, true},
      {"[0.0, -0.0, inf, -1.0, nan]", "[inf, -inf, 0.0, nan, nan]", "ieee: rsqrt(±0) is ±inf"},
      {"[4, 16]", "[0.5, 0.25]"}};
};

// m^(−1/3) for m in [1, 2), roughly.
template <class T>
[[gnu::always_inline]] inline T reciprocal_cube_root(T m) {
  if constexpr (is_single<T>) {
    return polynomial(m, 0x1.635e40p+0, -0x1.eeec14p-2, 0x1.7e8ecap-4);
  } else {
    return polynomial(m, 0x1.e1395a0995c76p+0, -0x1.fc41b5cae296cp+0, 0x1.fa1ba26c212b4p+0, -0x1.45fab586b1d29p+0,
                      0x1.01049bcfc2c44p-1, -0x1.c43bec2990ea9p-4, 0x1.54685de7b34cep-7);
  }
}

// Of positive normal x = z·2^3q, z in [½, 4). From r, nearly z^(−1/3), the root c = z·r² and what it lacks:
// e = 1 − c·r, and the root is c·(1 − e)^(−2/3).
template <class T>
[[gnu::always_inline]] inline T cube_root_normal(T x) {
  using E = typename T::Element;
  using I = typename T::Integer;
  using Bits = typename I::Element;
  constexpr Bits fraction = (Bits(1) << Layout<T>::fraction) - 1;
  constexpr Bits one = Bits(Layout<T>::bias) << Layout<T>::fraction;
  const I exponent = shift_right_logical(bits(x), I(Layout<T>::fraction));
  const T k = from_bits(exponent + I(Layout<T>::magic_bits)) - T(Layout<T>::magic + E(Layout<T>::bias));
  const T m = from_bits((bits(x) & I(fraction)) | I(one));
  const T shifted = fma(k, T(E(0x1.5555555555555p-2)), T(Layout<T>::magic));
  const T rest = fma(T(-3), shifted - T(Layout<T>::magic), k);  // −1, 0 or 1
  const I q = bits(shifted);
  const T z = from_bits(bits(x) - shift_left(q + q + q, I(Layout<T>::fraction)));
  const T turn = select(rest > T(0), T(E(0x1.965fea53d6e3dp-1)),
                        select(rest < T(0), T(E(0x1.428a2f98d728bp+0)), T(1)));  // 2^(−rest/3)
  const T r = reciprocal_cube_root(m) * turn;
  const T c = z * (r * r);
  const T e = fma(-c, r, T(1));
  const T lacks = is_single<T> ? fma(e, fma(e, T(E(40.0 / 81)), T(E(5.0 / 9))), T(E(2.0 / 3)))
                               : fma(e, T(E(5.0 / 9)), T(E(2.0 / 3)));
  return add_exponent(fma(c * e, lacks, c), q);
}

struct CbrtDerivative;

struct Cbrt {
  static constexpr PointwiseInfo info{.name = "cbrt",
                                      .doc =
                                          "The cube root, elementwise; of negative numbers the negative one.\n"
                                          "The derivative at 0 is inf.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep_result,
                                      .action = "take the cube root of {}",
                                      .ulp = 1.5,
                                      .first_ulp = 4,
                                      .second_ulp = 12};
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    constexpr E tiny = is_single<T> ? 0x1p-126 : 0x1p-1022, up = is_single<T> ? 0x1p24 : 0x1p54,
                down = is_single<T> ? 0x1p-8 : 0x1p-18;
    const T size = magnitude(x);
    return rare(~((size >= T(tiny)) & (size < T(infinity<T>))), copy_sign(cube_root_normal(size), x), [=] {
      const auto subnormal = (size > T(0)) & (size < T(tiny));
      return select(subnormal, copy_sign(cube_root_normal(size * T(up)) * T(down), x), x);
    });
  }
  template <class E>
  static E partial(unsigned, const E*, const E& y) {
    return E::template apply<CbrtDerivative>(y);
  }
  static constexpr PointwiseSample samples[] = {
      {"[8.0, -2.0, 0.3]", "[2.0, -1.2599210498948732, 0.6694329500821695]", "mpfr", 1, true},
      {"[-0.0, inf, -inf, nan]", "[-0.0, inf, -inf, nan]"},
      {"[27, 64]", "[3.0, 4.0]"}};
};

// √(x² + y²) where neither the squares nor their sum leave the range.
template <class T>
[[gnu::always_inline]] inline T length_of(T x, T y) {
  return sqrt(fma(x, x, y * y));
}

struct HypotDerivative;

struct Hypot {
  static constexpr PointwiseInfo info{
      .name = "hypot",
      .doc =
          "√(x² + y²), elementwise, without overflow on the way; inf where one is infinite.\n"
          "The derivative at the origin is 0, as that of `norm`.",
      .parameters = {"x", "y"},
      .arity = 2,
      .types = TypeClass::floating,
      .gradient = Gradient::partial,
      .keeps = keep(0) | keep(1),
      .action = "take hypot of {} and {}",
      .ulp = 1.5,
      .first_ulp = 2.5,
      .second_ulp = 7};
  template <class T>
  static T body(T x, T y) {
    using E = typename T::Element;
    constexpr E small = is_single<T> ? 0x1p-50 : 0x1p-450, large = is_single<T> ? 0x1p62 : 0x1p510;
    constexpr E up = is_single<T> ? 0x1p100 : 0x1p600, down = is_single<T> ? 0x1p-100 : 0x1p-600;
    const T a = magnitude(x), b = magnitude(y);
    const auto usual = ((a > T(small)) | (b > T(small))) & (a < T(large)) & (b < T(large));
    return rare(~usual, length_of(x, y), [=] {
      const auto big = (a >= T(large)) | (b >= T(large));
      const T scale = select(big, T(down), T(up)), back = select(big, T(up), T(down));
      const T length = length_of(x * scale, y * scale) * back;
      return select((a == T(infinity<T>)) | (b == T(infinity<T>)), T(infinity<T>), length);
    });
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return E::template apply<HypotDerivative>(x[i], x[1 - i]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[3.0, -1.0, 0.5], [4.0, 2.0, 0.25]", "[5.0, 2.23606797749979, 0.5590169943749475]", "mpfr", 1, true},
      {"[0.0, inf, nan, nan, 3e300, 3e-310], [-0.0, nan, -inf, 1.0, 4e300, 4e-310]",
       "[0.0, inf, inf, nan, 5e300, 5e-310]"},
      {"[3, 5], [4, 12]", "[5.0, 13.0]"}};
};

using Roots = List<Rsqrt, Cbrt, Hypot>;

}  // namespace covec::ops
