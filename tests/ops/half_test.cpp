// f16 and bf16 against what else there is: the compiler's _Float16, and exact arithmetic for bf16.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/elementwise/casts.hpp"
#include "stdlib/ops/elementwise/kernels/table.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/value/half.hpp"

namespace covec {
namespace {

uint16_t bits_of(_Float16 half) {
  uint16_t bits = 0;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}
_Float16 f16_from(uint16_t bits) {
  _Float16 half{};
  std::memcpy(&half, &bits, sizeof half);
  return half;
}
bool is_nan(Dtype dtype, uint16_t bits) { return std::isnan(float_of_half(dtype, bits)); }

// The nearest bf16, the even one of two: of a finite number, by neighbours, whose middle an f64 holds exactly.
uint16_t nearest_bf16(double number) {
  const double size = std::fabs(number);
  uint16_t below = 0;
  for (int bit = 14; bit >= 0; --bit) {
    const auto tried = static_cast<uint16_t>(below | 1 << bit);
    if (tried < 0x7f80 && static_cast<double>(float_of_bf16(tried)) <= size) below = tried;
  }
  const double low = float_of_bf16(below);
  const double high = below == 0x7f7f ? 0x1p128 : static_cast<double>(float_of_bf16(static_cast<uint16_t>(below + 1)));
  const double middle = low / 2 + high / 2;
  const bool up = size > middle || (size == middle && (below & 1) != 0);
  return static_cast<uint16_t>((below + up) | (std::signbit(number) ? 0x8000 : 0));
}

TEST(Half, EveryOneIsTheCompilers) {
  for (uint32_t k = 0; k < 0x10000; ++k) {
    const auto bits = static_cast<uint16_t>(k);
    const auto wanted = static_cast<float>(f16_from(bits));
    const float got = float_of_f16(bits);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(got)) << bits;
      EXPECT_TRUE(is_nan(Dtype::f16, f16_of(got))) << bits;
    } else {
      ASSERT_EQ(std::memcmp(&wanted, &got, sizeof got), 0) << bits;
      ASSERT_EQ(f16_of(got), bits);
      ASSERT_EQ(bf16_of(float_of_bf16(bits)), is_nan(Dtype::bf16, bits) ? (bits | 0x40) : bits);
    }
  }
}

// Every 1009th float, the floats in the middle between two halves and those beside them.
TEST(Half, FloatsAreRoundedToTheNearestEvenOne) {
  const auto check = [](uint32_t word) {
    const auto number = std::bit_cast<float>(word);
    if (std::isnan(number)) return;
    ASSERT_EQ(f16_of(number), bits_of(static_cast<_Float16>(number))) << std::hexfloat << number;
    if (std::isfinite(number)) {
      ASSERT_EQ(bf16_of(number), nearest_bf16(number)) << std::hexfloat << number;
    }
  };
  for (uint64_t word = 0; word <= UINT32_MAX; word += 1009) check(static_cast<uint32_t>(word));
  for (uint32_t k = 0; k < 0x7c00; ++k) {
    const float middle = (float_of_f16(static_cast<uint16_t>(k)) + float_of_f16(static_cast<uint16_t>(k + 1))) / 2;
    for (int offset = -1; offset <= 1; ++offset) {
      if (std::isfinite(middle)) check(std::bit_cast<uint32_t>(middle) + static_cast<uint32_t>(offset));
      check((k << 16 | 0x8000) + static_cast<uint32_t>(offset));
    }
  }
}

// One rounding, not two: f64 and i64 that an f32 would take to the middle.
TEST(Half, WideNumbersAreRoundedOnce) {
  for (uint32_t k = 1; k < 0x7bff; k += 3) {
    const double low = float_of_f16(static_cast<uint16_t>(k)), high = float_of_f16(static_cast<uint16_t>(k + 1));
    for (const double off : {-0x1p-40, -0x1p-52, 0.0, 0x1p-52, 0x1p-40}) {
      for (const double sign : {1.0, -1.0}) {
        const double number = sign * ((low + high) / 2 * (1 + off));
        ASSERT_EQ(f16_of(odd_float_of(number)), bits_of(static_cast<_Float16>(number))) << std::hexfloat << number;
        const double other =
            sign * (static_cast<double>(float_of_bf16(static_cast<uint16_t>(k))) * (1 + 0x1p-8) * (1 + off));
        if (k >= 0x80) {
          ASSERT_EQ(bf16_of(odd_float_of(other)), nearest_bf16(other)) << std::hexfloat << other;
        }
      }
    }
  }
  for (int shift = 8; shift < 63; ++shift) {
    const int64_t tie = (int64_t{1} << shift) + (int64_t{1} << (shift - 8));
    for (const int64_t number : {tie, tie + 1, tie - 1, -tie, -tie - 1, -tie + 1}) {
      const int64_t size = number < 0 ? -number : number;  // exactly: the f64 beside the tie that lies on its side
      const double stands_for =
          size == tie ? static_cast<double>(tie) : std::nextafter(static_cast<double>(tie), size > tie ? 0x1p64 : 0.0);
      ASSERT_EQ(bf16_of(odd_float_of(odd_double_of(number))), nearest_bf16(number < 0 ? -stands_for : stands_for))
          << number;
    }
  }
}

// The kernels of every instruction set, and the conversions that code is made of.
TEST(Half, KernelsAgree) {
  std::vector<float> numbers;
  for (uint64_t word = 0; word <= UINT32_MAX; word += 65537 * 3)
    numbers.push_back(std::bit_cast<float>(static_cast<uint32_t>(word)));
  for (uint32_t k = 0; k < 0x10000; ++k) numbers.push_back(std::bit_cast<float>(k << 16 | 0x8000));
  for (uint32_t k = 0; k < 0x7c00; ++k) numbers.push_back(float_of_f16(static_cast<uint16_t>(k)) * (1 + 0x1p-12f));
  const auto n = static_cast<int64_t>(numbers.size());
  for (int isa = 0; isa <= static_cast<int>(ops::detect_isa()); ++isa) {
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
      std::vector<uint16_t> halves(numbers.size());
      std::vector<float> back(numbers.size());
      const void* in = numbers.data();
      ops::cast_kernel_for(static_cast<ops::Isa>(isa), Dtype::f32, dtype)(halves.data(), &in, n, 0, 0);
      in = halves.data();
      ops::cast_kernel_for(static_cast<ops::Isa>(isa), dtype, Dtype::f32)(back.data(), &in, n, 0, 0);
      for (size_t i = 0; i < numbers.size(); ++i) {
        const uint16_t wanted = half_of(dtype, numbers[i]);
        ASSERT_EQ(halves[i], wanted) << isa << " " << name_of(dtype) << " " << std::hexfloat << numbers[i];
        const float widened = float_of_half(dtype, wanted);
        ASSERT_EQ(std::memcmp(&back[i], &widened, sizeof widened), 0) << isa << " " << name_of(dtype) << " " << wanted;
      }
    }
  }
}

}  // namespace
}  // namespace covec
