// Helpers that bodies share, in terms of the exact vocabulary: signs, polynomials, small integers as floats, powers of
// two. T is Vec (eager) or Expr (lowering); both have Element and Integer. Helpers are always inlined: vectors must not
// travel through memory between them.
#pragma once

#include "stdlib/ops/elementwise/bodies/info.hpp"

namespace covec::ops {

template <class T>
inline constexpr bool is_single = sizeof(typename T::Element) == 4;

template <class T>
inline constexpr auto infinity = static_cast<typename T::Element>(__builtin_inf());

// The layout of the float type: fraction bits, exponent bias, and 1.5·2^fraction: adding it rounds to an integer, which
// then stands in the low bits.
template <class T>
struct Layout {
  using I = typename T::Integer::Element;
  // IEEE 754: binary32 and binary64.
  static constexpr int fraction = is_single<T> ? 23 : 52;
  static constexpr int bias = is_single<T> ? 127 : 1023;
  static constexpr typename T::Element magic = is_single<T> ? 12582912.0 : 6755399441055744.0;
  static constexpr I magic_bits = is_single<T> ? I(0x4b400000) : I(0x4338000000000000);
  static constexpr I sign = I(I(1) << (8 * sizeof(I) - 1));
  static constexpr I magnitude = I(~sign);
};

template <class T>
[[gnu::always_inline]] inline T magnitude(T x) {
  using I = typename T::Integer;
  return from_bits(bits(x) & I(Layout<T>::magnitude));
}
template <class T>
[[gnu::always_inline]] inline T signed_zero(T from) {
  using I = typename T::Integer;
  return from_bits(bits(from) & I(Layout<T>::sign));
}
template <class T>
[[gnu::always_inline]] inline T copy_sign(T x, T from) {
  using I = typename T::Integer;
  return from_bits((bits(x) & I(Layout<T>::magnitude)) | (bits(from) & I(Layout<T>::sign)));
}

// The terms of a polynomial, and the same with neighbours joined: c0 + c1·x, c2 + c3·x, … as coefficients of a
// polynomial in x².
template <class T, int count>
struct Terms {
  T term[count];
};
template <class T, int count>
[[gnu::always_inline]] inline T joined(const Terms<T, count>& terms, T x) {
  if constexpr (count == 1) {
    return terms.term[0];
  } else if constexpr (count == 2) {
    return fma(terms.term[1], x, terms.term[0]);
  } else {
    Terms<T, (count + 1) / 2> pairs;
    for (int i = 0; i < count / 2; ++i) pairs.term[i] = fma(terms.term[2 * i + 1], x, terms.term[2 * i]);
    if constexpr (count % 2 != 0) pairs.term[count / 2] = terms.term[count - 1];
    return joined(pairs, x * x);
  }
}
// c0 + c1·x + c2·x² + …. All but c0 by Estrin's scheme, with half the latency of Horner's, which is what bounds these
// functions; c0 last, so that it is rounded once.
template <class T, class C, class... Rest>
[[gnu::always_inline]] inline T polynomial(T x, C c, Rest... rest) {
  using E = typename T::Element;
  return fma(joined(Terms<T, sizeof...(Rest)>{{T(static_cast<E>(rest))...}}, x), x, T(static_cast<E>(c)));
}

// An integer in a float's low bits (after adding the magic number), and the float of a small integer.
template <class T>
[[gnu::always_inline]] inline typename T::Integer small_integer(T shifted) {
  using I = typename T::Integer;
  return bits(shifted) - I(Layout<T>::magic_bits);
}
template <class T>
[[gnu::always_inline]] inline T small_float(typename T::Integer n) {
  using I = typename T::Integer;
  return from_bits(n + I(Layout<T>::magic_bits)) - T(Layout<T>::magic);
}

// x·2^n by adding to the exponent: for results in the normal range only. n's high bits do not matter: with shifted = n
// + magic it may be bits(shifted).
template <class T>
[[gnu::always_inline]] inline T add_exponent(T x, typename T::Integer n) {
  using I = typename T::Integer;
  return from_bits(bits(x) + shift_left(n, I(Layout<T>::fraction)));
}
// 2^n for n in the normal range; n's high bits do not matter here either.
template <class T>
[[gnu::always_inline]] inline T power_of_two(typename T::Integer n) {
  using I = typename T::Integer;
  return from_bits(shift_left(n + I(Layout<T>::bias), I(Layout<T>::fraction)));
}
// x·2^n for any n with |n| < 4·bias, overflowing and underflowing with one rounding.
template <class T>
[[gnu::always_inline]] inline T scale_by_power(T x, typename T::Integer n) {
  using I = typename T::Integer;
  const I half = shift_right(n, I(1));
  return x * power_of_two<T>(half) * power_of_two<T>(n - half);
}

}  // namespace covec::ops
