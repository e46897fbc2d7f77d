// f16 and bf16 in memory. A vector of them is a vector of floats, widened when it is loaded and rounded when it is
// stored (value/half.hpp defines the meaning). This header is compiled once per instruction set and shares no code.
#pragma once

#include "stdlib/simd/convert.hpp"
#include "stdlib/simd/memory.hpp"

namespace covec::COVEC_ISA {

struct F16 {
  static constexpr bool is_half = true;
  uint16_t bits;
};
struct Bf16 {
  static constexpr bool is_half = true;
  uint16_t bits;
};

// value/half.hpp: odd_float_of, odd_double_of.
[[gnu::always_inline]] inline float odd_float(double x) {
  const float nearest = static_cast<float>(x);
  uint32_t around;
  __builtin_memcpy(&around, &nearest, sizeof around);
  if (x != x || static_cast<double>(nearest) == x || (around & 1) != 0) return nearest;
  around += __builtin_fabs(x) > static_cast<double>(__builtin_fabsf(nearest)) ? 1u : ~0u;
  float odd;
  __builtin_memcpy(&odd, &around, sizeof odd);
  return odd;
}
[[gnu::always_inline]] inline double odd_double(int64_t x) {
  constexpr int64_t exact = int64_t{1} << 53;  // 2^53: f64 has each integer up to it exactly (IEEE 754)
  if (x > -exact && x < exact) return static_cast<double>(x);
  return static_cast<double>((x >> 12) | ((x & 0xfff) != 0 ? 1 : 0)) * 4096.0;
}

typedef uint16_t Ru16 __attribute__((vector_size(2 * lanes)));

template <class Half>
[[gnu::always_inline]] inline Ru16 halves_at(const Half* p) {
  Ru16 r;
  __builtin_memcpy(&r, p, sizeof r);
  return r;
}
[[gnu::always_inline]] inline Vec<int32_t> zero_extended(Ru16 h) {
#if COVEC_ISA_LEVEL == 2
  return Vec<int32_t>((Ri32)_mm512_cvtepu16_epi32((__m256i)h));
#elif COVEC_ISA_LEVEL == 1
  return Vec<int32_t>((Ri32)_mm256_cvtepu16_epi32((__m128i)h));
#else
  return Vec<int32_t>(__builtin_convertvector(h, Ri32));
#endif
}
// The lower halves of the lanes.
[[gnu::always_inline]] inline Ru16 lower_halves(Vec<int32_t> v) {
#if COVEC_ISA_LEVEL == 2
  return (Ru16)_mm512_cvtepi32_epi16((__m512i)v.part[0]);
#elif COVEC_ISA_LEVEL == 1
  const __m256i x = (__m256i)v.part[0];
  return (Ru16)_mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
#else
  return __builtin_convertvector((Ru32)v.part[0], Ru16);
#endif
}

[[gnu::always_inline]] inline Vec<float> widened(Ru16 h, Bf16) {
  return from_bits(shift_left(zero_extended(h), Vec<int32_t>(16)));
}
[[gnu::always_inline]] inline Ru16 rounded(Vec<float> v, Bf16) {
  const Vec<int32_t> b = bits(v), upper = shift_right_logical(b, Vec<int32_t>(16));
  const Vec<int32_t> nearest = shift_right_logical(b + 0x7fff + (upper & 1), Vec<int32_t>(16));
  return lower_halves(select(v != v, upper | 0x40, nearest));
}

#if COVEC_ISA_LEVEL == 2
[[gnu::always_inline]] inline Vec<float> widened(Ru16 h, F16) { return Vec<float>(_mm512_cvtph_ps((__m256i)h)); }
[[gnu::always_inline]] inline Ru16 rounded(Vec<float> v, F16) {
  return (Ru16)_mm512_cvtps_ph(v.part[0], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#elif COVEC_ISA_LEVEL == 1
[[gnu::always_inline]] inline Vec<float> widened(Ru16 h, F16) { return Vec<float>(_mm256_cvtph_ps((__m128i)h)); }
[[gnu::always_inline]] inline Ru16 rounded(Vec<float> v, F16) {
  return (Ru16)_mm256_cvtps_ph(v.part[0], _MM_FROUND_TO_NEAREST_INT);
}
#else
// As value/half.hpp has it for one number.
[[gnu::always_inline]] inline Vec<float> widened(Ru16 h, F16) {
  const Vec<int32_t> b = zero_extended(h), sign = shift_left(b & 0x8000, Vec<int32_t>(16)), rest = b & 0x7fff;
  const Vec<int32_t> fraction = shift_left(rest, Vec<int32_t>(13));
  const Vec<float> tiny = convert<float>(rest) * Vec<float>(0x1p-24f);
  const Vec<int32_t> quiet = select(rest > 0x7c00, Vec<int32_t>(0x400000), Vec<int32_t>(0));
  const Vec<int32_t> special = fraction | 0x7f800000 | quiet, normal = fraction + (112 << 23);
  const Vec<int32_t> magnitude = select(rest < 0x400, bits(tiny), select(rest >= 0x7c00, special, normal));
  return from_bits(magnitude | sign);
}
[[gnu::always_inline]] inline Ru16 rounded(Vec<float> v, F16) {
  const Vec<int32_t> b = bits(v), m = b & 0x7fffffff, digit = shift_right_logical(m, Vec<int32_t>(13));
  const Vec<int32_t> sign = shift_right_logical(b, Vec<int32_t>(16)) & 0x8000;
  const Vec<int32_t> nan = (digit & 0x3ff) | 0x7e00;
  const Vec<int32_t> tiny = bits(from_bits(m) + Vec<float>(0.5f)) - 0x3f000000;
  const Vec<int32_t> normal = shift_right_logical(m + 0xfff + (digit & 1), Vec<int32_t>(13)) - (112 << 10);
  const Vec<int32_t> large = select(m > 0x7f800000, nan, Vec<int32_t>(0x7c00));
  return lower_halves(select(m < 0x38800000, tiny, select(m >= 0x477ff000, large, normal)) | sign);
}
#endif

template <class Half>
[[gnu::always_inline]] inline Vec<float> load_half(const Half* p) {
  return widened(halves_at(p), Half{});
}
template <class Half>
[[gnu::always_inline]] inline Vec<float> load_half_first(const Half* p, int64_t count) {
  Half buffer[lanes] = {};
  for (int64_t i = 0; i < count; ++i) buffer[i] = p[i];
  return load_half(buffer);
}
template <class Half>
requires(Half::is_half) [[gnu::always_inline]] inline void store(Half* p, Vec<float> v) {
  const Ru16 h = rounded(v, Half{});
  __builtin_memcpy(p, &h, sizeof h);
}
template <class Half>
requires(Half::is_half) [[gnu::always_inline]] inline void store_first(Half* p, Vec<float> v, int64_t count) {
  Half buffer[lanes];
  store(buffer, v);
  for (int64_t i = 0; i < count; ++i) p[i] = buffer[i];
}

}  // namespace covec::COVEC_ISA
