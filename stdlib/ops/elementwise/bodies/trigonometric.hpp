// sin and cos of any float. |x| is reduced by multiples of π/2 to r = high + low in three fused steps; huge arguments
// are multiplied by the right 192 bits of 2/π in integers (Payne and Hanek), behind rare(). Polynomials:
// polynomials.py. Start at circular().
#pragma once

#include "stdlib/ops/elementwise/bodies/bits.hpp"

namespace covec::ops {

// x = quadrant·π/2 + high − below, |high| ≤ π/4 (and a little); the quadrant's two lowest bits count.
template <class T>
struct Reduced {
  T high;
  T below;
  typename T::Integer quadrant;
};

// π/2 in four parts, each rounded down: of the second so many bits that n·second has no more than a float holds for all
// n below the limit.
template <class T>
struct HalfPi {
  using E = typename T::Element;
  static constexpr E inverse = static_cast<E>(0x1.45f306dc9c883p-1);
  static constexpr E first = is_single<T> ? 0x1.921fb4p+0 : 0x1.921fb54442d18p+0;
  static constexpr E second = is_single<T> ? 0x1.444p-24 : 0x1.1a62632p-54;
  static constexpr E third = is_single<T> ? 0x1.68c234p-39 : 0x1.145c06e0e6894p-82;
  static constexpr E fourth = is_single<T> ? 0x1.898cc4p-64 : 0x1.024e088a67cc7p-135;
  static constexpr E limit = is_single<T> ? 8192 : 33554432;
};

// For |x| < limit. x − n·first is exact: both are multiples of a small power of two and nearly cancel. So is
// high − r: where n·second takes no more than half of r by Sterbenz's lemma, else since r and n·second are multiples of
// second's last place, and few of them. All signs are such that below is +0 where high is −0.
template <class T>
[[gnu::always_inline]] inline Reduced<T> reduce(T x) {
  using Parts = HalfPi<T>;
  const T shifted = fma(x, T(Parts::inverse), T(Layout<T>::magic));
  const T n = shifted - T(Layout<T>::magic);
  const T r = fma(n, T(-Parts::first), x);
  const T high = fma(n, T(-Parts::second), r);
  const T below = fma(n, T(Parts::fourth), fma(n, T(Parts::third), fma(n, T(Parts::second), high - r)));
  return {high, below, bits(shifted)};
}

// 2/π in words of 64 bits, after one of zeros: the integer part.
inline constexpr uint64_t two_over_pi[20] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

// Words q to q + 3 of 2/π, 0 ≤ q ≤ 16: halving the choice for each bit of q.
template <class I>
[[gnu::always_inline]] inline void choose_words(I q, I (&word)[4]) {
  const auto at = [](int i) { return I(static_cast<int64_t>(two_over_pi[i])); };
  const auto bit = [&](int64_t b) { return (q & I(b)) != I(0); };
  const auto sixteen = bit(16), eight = bit(8), four = bit(4), two = bit(2), one = bit(1);
  I a[11], b[7], c[5];
  for (int i = 0; i < 11; ++i) {
    a[i] = i + 8 < 20 ? select(eight, at(i + 8), at(i)) : at(i);
    if (i < 4) a[i] = select(sixteen, at(i + 16), a[i]);
  }
  for (int i = 0; i < 7; ++i) b[i] = select(four, a[i + 4], a[i]);
  for (int i = 0; i < 5; ++i) c[i] = select(two, b[i + 2], b[i]);
  for (int i = 0; i < 4; ++i) word[i] = select(one, c[i + 1], c[i]);
}

// m·(w0 w1 w2) mod 2^192 for m < 2^53: words of 64 bits, the highest first, by limbs of 32.
template <class I>
[[gnu::always_inline]] inline void multiply_words(I m, I (&word)[3]) {
  const I low_bits(0xffffffff), half(32);
  I limb[6];
  for (int i = 0; i < 3; ++i) {
    limb[2 * i] = word[2 - i] & low_bits;
    limb[2 * i + 1] = shift_right_logical(word[2 - i], half);
  }
  const I m_low = m & low_bits, m_high = shift_right_logical(m, half);
  I product[6];
  I carry = limb[0] * m_low;
  product[0] = carry & low_bits;
  for (int i = 1; i < 6; ++i) {
    carry = limb[i] * m_low + shift_right_logical(carry, half);
    product[i] = carry & low_bits;
  }
  carry = limb[0] * m_high + product[1];
  product[1] = carry & low_bits;
  for (int i = 1; i < 5; ++i) {
    carry = limb[i] * m_high + product[i + 1] + shift_right_logical(carry, half);
    product[i + 1] = carry & low_bits;
  }
  for (int i = 0; i < 3; ++i) word[2 - i] = product[2 * i] | shift_left(product[2 * i + 1], half);
}

// The nonnegative fraction with these binary places as high + low, exact to 2^-160: 32 bits at a time, no cancellation.
template <class T, class I>
[[gnu::always_inline]] inline void fraction_of(const I (&word)[3], T& high, T& low) {
  const I low_bits(0xffffffff), half(32);
  const auto part = [&](I w, double weight) { return small_float<T>(w) * T(weight); };
  high = part(shift_right_logical(word[0], half), 0x1p-32);
  low = T(0);
  const T parts[3] = {part(word[0] & low_bits, 0x1p-64), part(shift_right_logical(word[1], half), 0x1p-96),
                      part(word[1] & low_bits, 0x1p-128)};
  for (const T& next : parts) {
    const T sum = high + next;
    low = low + ((high - sum) + next);
    high = sum;
  }
  low = low + part(shift_right_logical(word[2], half), 0x1p-160);
}

// For f64 with |x| ≥ 2^25, finite. x = m·2^e: bits of 2/π above 2^(2−e) only give multiples of 4 quadrants and are left
// out.
template <class T>
[[gnu::always_inline]] inline Reduced<T> reduce_huge(T x) {
  using I = typename T::Integer;
  const I exponent = shift_right_logical(bits(x) & I(0x7ff0000000000000), I(52));
  const I m = (bits(x) & I(0x000fffffffffffff)) | I(0x0010000000000000);
  const I start = exponent - I(1075 - 62);
  I word[4] = {I(0), I(0), I(0), I(0)};
  choose_words(shift_right_logical(start, I(6)), word);
  const I shift = start & I(63);
  I window[3] = {I(0), I(0), I(0)};
  for (int i = 0; i < 3; ++i) {
    // Shifted right in two steps: by 64 − shift, which may be 64.
    window[i] = shift_left(word[i], shift) | shift_right_logical(shift_right_logical(word[i + 1], I(1)), I(63) - shift);
  }
  multiply_words(m, window);
  // Two bits of quadrant, then the fraction, rounded to the nearest: taken as signed.
  I quadrant = shift_right_logical(window[0], I(62));
  for (int i = 0; i < 3; ++i) {
    window[i] = shift_left(window[i], I(2));
    if (i < 2) window[i] = window[i] | shift_right_logical(window[i + 1], I(62));
  }
  const I negative = shift_right(window[0], I(63));
  quadrant = quadrant - negative;
  for (I& w : window) w = w ^ negative;
  T high(0), low(0);
  fraction_of(window, high, low);
  const T product = high * T(HalfPi<T>::first);
  const T lost = fma(high, T(HalfPi<T>::first), -product) +
                 fma(high, T(HalfPi<T>::second + HalfPi<T>::third), low * T(HalfPi<T>::first));
  // The low part is taken with slope 1, so it must be no more than the high one's rounding.
  const T r = product + lost, rest = (product - r) + lost;
  const I sign = (negative ^ bits(x)) & I(Layout<T>::sign);
  const I signed_quadrant = select(x < T(0), -quadrant, quadrant);
  return {from_bits(bits(r) ^ sign), from_bits(bits(-rest) ^ sign), signed_quadrant};
}

// (r − sin r)/r³ and (cos r − 1 + r²/2)/r⁴ in z = r².
template <class T>
[[gnu::always_inline]] inline T sine_tail(T z) {
  if constexpr (is_single<T>) {
    return polynomial(z, 0x1.555556p-3, -0x1.111108p-7, 0x1.a00f38p-13, -0x1.6cb728p-19);
  } else {
    return polynomial(z, 0x1.555555555554cp-3, -0x1.111111110fb4ap-7, 0x1.a01a019c2feb0p-13, -0x1.71de356eb16fbp-19,
                      0x1.ae5e4bb8b64e6p-26, -0x1.5d8744299a66fp-33);
  }
}
template <class T>
[[gnu::always_inline]] inline T cosine_tail(T z) {
  if constexpr (is_single<T>) {
    return polynomial(z, 0x1.55554ep-5, -0x1.6c0e78p-10, 0x1.9a6f18p-16);
  } else {
    return polynomial(z, 0x1.5555555555553p-5, -0x1.6c16c16c16131p-10, 0x1.a01a019e248cep-16, -0x1.27e4f903adfdcp-22,
                      0x1.1eea890fc7415p-29, -0x1.8ff9ae55b2661p-37);
  }
}

// sin(high − below + turn·π/2 + quadrant·π/2). The sums end in the largest term, of cos with 1 taken as
// 7/8 + 1/8: then all before it is below 1/4, and rounded the finer. sin ends in a subtraction that keeps the sign of
// zero.
template <class T>
[[gnu::always_inline]] inline T circular_reduced(const Reduced<T>& r, int turn) {
  using I = typename T::Integer;
  const T z = r.high * r.high;
  const T sine = r.high - fma(r.high * z, sine_tail(z), r.below);
  const T eighth = fma(T(-0.5) * r.high, r.high, fma(r.high, r.below, T(0.125)));
  const T cosine = T(0.875) + fma(z * z, cosine_tail(z), eighth);
  const I quadrant = turn == 0 ? r.quadrant : r.quadrant + I(typename I::Element(turn));
  const T chosen = select((quadrant & I(1)) != I(0), cosine, sine);
  return from_bits(bits(chosen) ^ shift_left(quadrant & I(2), I(8 * sizeof(typename I::Element) - 2)));
}

// What `reduced` gives of x's reduction; NaN of infinities. f32 takes the way of f64 where its own reduction ends.
template <class T, class F>
[[gnu::always_inline]] inline T by_quadrants(T x, F reduced) {
  const auto huge = ~(magnitude(x) < T(HalfPi<T>::limit));
  if constexpr (is_single<T>) {
    return rare(huge, reduced(reduce(x)), [=] { return convert<float>(by_quadrants(convert<double>(x), reduced)); });
  } else {
    return rare(huge, reduced(reduce(x)),
                [=] { return select(magnitude(x) < T(infinity<T>), reduced(reduce_huge(x)), T(__builtin_nan(""))); });
  }
}

// sin(x) for turn 0, cos(x) for turn 1.
template <class T>
[[gnu::always_inline]] inline T circular(T x, int turn) {
  return by_quadrants(x, [turn](const auto& r) { return circular_reduced(r, turn); });
}

}  // namespace covec::ops
