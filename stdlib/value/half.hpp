// The two dtypes of 16 bits: f16 (IEEE 754's binary16) and bf16 (the upper half of an f32). They are storage formats.
// Computation uses f32, which holds each of their numbers exactly, and rounds once, ties to even. A NaN stays a NaN: it
// becomes quiet and keeps the upper bits of its payload, as the processors' own conversions do.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "stdlib/value/dtype.hpp"

namespace covec {

constexpr float float_of_f16(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) {
    const uint32_t quiet = fraction != 0 ? 0x400000u : 0;
    return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13 | quiet);
  }
  if (exponent == 0) {  // a multiple of 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

constexpr uint16_t f16_of(float number) {
  const uint32_t bits = std::bit_cast<uint32_t>(number), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520 and more
  if (magnitude < 0x38800000u) {                                               // below 2^-14: multiples of 2^-24
    // The sum's unit in the last place is 2^-24, so that the addition rounds.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

constexpr float float_of_bf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

constexpr uint16_t bf16_of(float number) {
  const uint32_t bits = std::bit_cast<uint32_t>(number);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

// Of a half dtype, by name.
constexpr float float_of_half(Dtype dtype, uint16_t bits) {
  return dtype == Dtype::f16 ? float_of_f16(bits) : float_of_bf16(bits);
}
constexpr uint16_t half_of(Dtype dtype, float number) { return dtype == Dtype::f16 ? f16_of(number) : bf16_of(number); }

// The element of an integer dtype or bool that lies there.
inline int64_t integer_at(Dtype dtype, const void* at) {
  return with_element(dtype, [&]<class T>(T number) {
    std::memcpy(&number, at, sizeof number);
    return static_cast<int64_t>(number);
  });
}
// The element of any dtype that lies there; integers of more than 53 bits are rounded.
inline double real_at(Dtype dtype, const void* at) {
  if (is_half(dtype)) {
    uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return static_cast<double>(float_of_half(dtype, bits));
  }
  return with_element(dtype, [&]<class T>(T number) {
    std::memcpy(&number, at, sizeof number);
    return static_cast<double>(number);
  });
}

// An f64 as the f32 beside it from which rounding to fewer digits gives what rounding the f64 would: the odd one of the
// two that it lies between ("round to odd": Boldo & Melquiond, When double rounding is odd, 2005).
constexpr float odd_float_of(double number) {
  const auto nearest = static_cast<float>(number);
  const auto bits = std::bit_cast<uint32_t>(nearest);
  if (number != number || static_cast<double>(nearest) == number || (bits & 1) != 0) return nearest;
  const double magnitude = number < 0 ? -number : number, reached = nearest < 0 ? -nearest : nearest;
  return std::bit_cast<float>(magnitude > reached ? bits + 1 : bits - 1);
}
// An i64 as an f64 of the same kind.
constexpr double odd_double_of(int64_t number) {
  constexpr int64_t exact = int64_t{1} << 53;  // 2^53: f64 has each integer up to it exactly (IEEE 754)
  if (number > -exact && number < exact) return static_cast<double>(number);
  const int64_t low = number & 0xfff;
  return static_cast<double>((number >> 12) | (low != 0 ? 1 : 0)) * 4096.0;
}

}  // namespace covec
