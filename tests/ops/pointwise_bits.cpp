// One meaning, the same bits: each operator's kernels on all instruction sets that this machine has, and its lowering
// evaluated in plain C++, on special values and random ones; tails of every length; strides, broadcasting and threads.
#include <gtest/gtest.h>

#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/casts.hpp"
#include "stdlib/ops/elementwise/family.hpp"
#include "stdlib/value/error.hpp"
#include "tests/ops/pointwise_evaluator.hpp"
#include "tests/ops/pointwise_support.hpp"

namespace covec::ops {
namespace {

constexpr Dtype dtypes[] = {Dtype::boolean, Dtype::i32, Dtype::i64, Dtype::f32, Dtype::f64};

template <class E>
std::vector<E> special_floats() {
  using L = std::numeric_limits<E>;
  std::vector<E> xs = {0,
                       1,
                       2,
                       3,
                       E(0.5),
                       E(0.1),
                       10,
                       100,
                       1e5,
                       E(1e30),
                       L::max(),
                       L::min(),
                       L::denorm_min(),
                       L::min() / 2,
                       L::infinity(),
                       L::quiet_NaN(),
                       E(0.55),
                       88,
                       90,
                       708,
                       745,
                       104,
                       E(3.14159265358979),
                       E(1.5707963267948966),
                       8192,
                       E(33554432),
                       E(2147483648.0),
                       E(9.3e18),
                       E(2.5),
                       E(4503599627370497.0),
                       7};
  for (size_t i = xs.size(); i-- > 0;) xs.push_back(-xs[i]);
  return xs;
}
template <class E>
std::vector<E> special_integers() {
  using L = std::numeric_limits<E>;
  return {0, 1, -1, 2, -2, 3, -3, 7, -7, 10, 63, 64, 1000, -1000, L::max(), L::min(), E(L::max() - 1), E(L::min() + 1)};
}

// Elements of a dtype as their bytes: special ones in all pairs' order, then mixed bits.
std::vector<std::byte> elements(Dtype dtype, int which, size_t count) {
  std::vector<std::byte> bytes(count * size_of(dtype));
  Mixer mixer{static_cast<uint64_t>(which) * 977};
  const auto fill = [&](auto specials) {
    using E = typename decltype(specials)::value_type;
    E* to = reinterpret_cast<E*>(bytes.data());
    for (size_t i = 0; i < count; ++i) {
      const size_t stride = which == 0 ? 1 : which == 1 ? specials.size() : 7;
      if (i < specials.size() * specials.size())
        to[i] = specials[i / stride % specials.size()];
      else if (std::is_floating_point_v<E> && i % 2)
        to[i] = static_cast<E>((mixer.unit() - 0.5) * 40);
      else {
        const uint64_t bits = mixer.next();
        std::memcpy(&to[i], &bits, sizeof(E));
      }
    }
  };
  switch (compute_of(dtype)) {
    case Compute::boolean:
      for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(mixer.next() & 1);
      break;
    case Compute::i32: fill(special_integers<int32_t>()); break;
    case Compute::i64: fill(special_integers<int64_t>()); break;
    case Compute::f32: fill(special_floats<float>()); break;
    case Compute::f64: fill(special_floats<double>()); break;
  }
  return bytes;
}

bool same_element(Dtype dtype, const std::byte* a, const std::byte* b) {
  if (dtype == Dtype::f32) return same_bits(*reinterpret_cast<const float*>(a), *reinterpret_cast<const float*>(b));
  if (dtype == Dtype::f64) return same_bits(*reinterpret_cast<const double*>(a), *reinterpret_cast<const double*>(b));
  return std::memcmp(a, b, size_of(dtype)) == 0;
}

Dtype result_dtype(const PointwiseOperator& op, Dtype compute) {
  return op.info.types == TypeClass::comparison ? Dtype::boolean : compute;
}
Dtype operand_dtype(const PointwiseOperator& op, unsigned i, Dtype compute) {
  return op.info.types == TypeClass::choice && i == 0 ? Dtype::boolean : compute;
}

struct Case {
  const Entry* entry;
  Dtype compute;
  int64_t parameter;
  unsigned operands;
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const Entry* entry : elementwise_family()) {
    const PointwiseOperator* op = entry->pointwise;
    if (op == nullptr || op->info.types == TypeClass::cast) continue;
    for (Dtype dtype : dtypes) {
      if (op->rows[0]->by_compute[static_cast<int>(compute_of(dtype))] == nullptr) continue;
      const unsigned operands = op->info.arity - (op->info.parameter ? 1u : 0u);
      if (!op->info.parameter)
        result.push_back({entry, dtype, 0, operands});
      else
        for (int64_t n : {-3, -1, 0, 1, 2, 3, 7, 16})
          if (n >= 0 || is_float(dtype)) result.push_back({entry, dtype, n, operands});
    }
  }
  return result;
}

std::string name_of_case(const Case& c) { return std::string(c.entry->name) + " " + std::string(name_of(c.compute)); }

struct Outcome {
  std::vector<std::byte> out;
  int64_t failed;
};
Outcome run_kernel(const Case& c, Isa isa, const std::vector<std::vector<std::byte>>& in, int64_t n,
                   unsigned splat = 0) {
  Outcome result{std::vector<std::byte>(static_cast<size_t>(n) * 8 + 64, std::byte{0xab}), -1};
  const void* pointers[3];
  for (unsigned i = 0; i < c.operands; ++i) pointers[i] = in[i].data();
  const auto kernel =
      c.entry->pointwise->rows[static_cast<int>(isa)]->by_compute[static_cast<int>(compute_of(c.compute))];
  result.failed = kernel(result.out.data(), pointers, n, splat, c.parameter);
  return result;
}

std::vector<std::vector<std::byte>> operands_of(const Case& c, size_t count) {
  std::vector<std::vector<std::byte>> in;
  for (unsigned i = 0; i < c.operands; ++i)
    in.push_back(elements(operand_dtype(*c.entry->pointwise, i, c.compute), static_cast<int>(i), count));
  return in;
}

// The failing elements replaced, so that all of the integers' division and powers is seen.
void avoid_failures(const Case& c, std::vector<std::vector<std::byte>>& in) {
  if (c.entry->pointwise->info.failure == Failure::none || is_float(c.compute)) return;
  const auto fix = [&](auto element) {
    auto* b = reinterpret_cast<decltype(element)*>(in[1].data());
    for (size_t i = 0; i < in[1].size() / sizeof(element); ++i) {
      if (c.entry->pointwise->info.failure == Failure::divide_by_zero && b[i] == 0) b[i] = 5;
      if (c.entry->pointwise->info.failure != Failure::divide_by_zero && b[i] < 0) b[i] = ~b[i];
    }
  };
  if (c.compute == Dtype::i32)
    fix(int32_t{});
  else
    fix(int64_t{});
}

TEST(PointwiseBits, InstructionSetsAgree) {
  const size_t count = 9000;
  size_t compared = 0;
  for (const Case& c : cases()) {
    auto in = operands_of(c, count);
    avoid_failures(c, in);
    const Outcome first = run_kernel(c, Isa::baseline, in, count);
    const Dtype dtype = result_dtype(*c.entry->pointwise, c.compute);
    for (Isa isa : runnable()) {
      const Outcome other = run_kernel(c, isa, in, count);
      ASSERT_EQ(other.failed, -1) << name_of_case(c);
      for (size_t i = 0; i < count; ++i, ++compared) {
        const size_t at = i * size_of(dtype);
        ASSERT_TRUE(same_element(dtype, &first.out[at], &other.out[at]))
            << name_of_case(c) << " at " << i << " on " << static_cast<int>(isa);
      }
    }
  }
  std::printf("%zu elements compared\n", compared);
}

TEST(PointwiseBits, LoweringAgrees) {
  const size_t count = 4200;
  for (const Case& c : cases()) {
    auto in = operands_of(c, count);
    avoid_failures(c, in);
    const PointwiseOperator& op = *c.entry->pointwise;
    const Outcome kernel = run_kernel(c, runnable().back(), in, count);
    ASSERT_EQ(kernel.failed, -1) << name_of_case(c);
    const Dtype dtype = result_dtype(op, c.compute);
    for (size_t i = 0; i < count; i += 1 + i / 1000) {
      Evaluator evaluator;
      std::vector<ScalarRef> operands;
      for (unsigned k = 0; k < c.operands; ++k) {
        const Dtype given = operand_dtype(op, k, c.compute);
        uint64_t bits = 0;
        std::memcpy(&bits, &in[k][i * size_of(given)], size_of(given));
        operands.push_back(evaluator.constant(given, bits));
      }
      const ScalarRef result = op.lower(evaluator, c.compute, operands, c.parameter);
      ASSERT_EQ(result.dtype, dtype) << name_of_case(c);
      const uint64_t bits = evaluator.bits(result);
      ASSERT_TRUE(same_element(dtype, reinterpret_cast<const std::byte*>(&bits), &kernel.out[i * size_of(dtype)]))
          << name_of_case(c) << " parameter " << c.parameter << " at " << i << ": " << std::hex << bits;
    }
  }
}

TEST(PointwiseBits, FailuresNameTheLowestElement) {
  for (const Case& c : cases()) {
    if (c.entry->pointwise->info.failure == Failure::none || is_float(c.compute)) continue;
    for (int64_t at : {0, 1, 5, 16, 33, 70}) {
      auto in = operands_of(c, 80);
      avoid_failures(c, in);
      const int64_t wrong = c.entry->pointwise->info.failure == Failure::divide_by_zero ? 0 : -1;
      for (int64_t i : {at, at + 3}) {
        if (c.compute == Dtype::i32)
          reinterpret_cast<int32_t*>(in[1].data())[i] = static_cast<int32_t>(wrong);
        else
          reinterpret_cast<int64_t*>(in[1].data())[i] = wrong;
      }
      for (Isa isa : runnable()) {
        EXPECT_EQ(run_kernel(c, isa, in, 80).failed, at) << name_of_case(c);
        EXPECT_EQ(run_kernel(c, isa, in, at).failed, -1) << name_of_case(c);
      }
    }
  }
}

TEST(PointwiseBits, TailsAndSplats) {
  for (const Case& c : cases()) {
    auto in = operands_of(c, 130);
    avoid_failures(c, in);
    const Dtype dtype = result_dtype(*c.entry->pointwise, c.compute);
    const size_t size = size_of(dtype);
    for (unsigned splat = 0; splat < (1u << c.operands); ++splat) {
      auto repeated = in;
      for (unsigned i = 0; i < c.operands; ++i) {
        const size_t width = size_of(operand_dtype(*c.entry->pointwise, i, c.compute));
        if (splat >> i & 1)
          for (size_t k = 1; k < 130; ++k) std::memcpy(&repeated[i][k * width], &in[i][0], width);
      }
      const Outcome whole = run_kernel(c, Isa::baseline, repeated, 130);
      for (Isa isa : runnable()) {
        for (int64_t n = 0; n <= 130; n += splat ? 13 : 1) {
          const Outcome part = run_kernel(c, isa, in, n, splat);
          for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
            ASSERT_TRUE(same_element(dtype, &part.out[i * size], &whole.out[i * size]))
                << name_of_case(c) << " n " << n << " splat " << splat;
          }
          ASSERT_EQ(part.out[static_cast<size_t>(n) * size], std::byte{0xab})
              << name_of_case(c) << " writes past the end, n " << n;
        }
      }
    }
  }
}

TEST(PointwiseBits, CastsAgree) {
  for (Dtype from : dtypes) {
    for (Dtype to : dtypes) {
      const auto in = elements(from, 0, 3000);
      const void* pointer = in.data();
      for (Isa isa : runnable()) {
        std::vector<std::byte> out(3000 * 8);
        cast_kernel_for(isa, from, to)(out.data(), &pointer, 3000, 0, 0);
        for (size_t i = 0; i < 3000; ++i) {
          Evaluator evaluator;
          uint64_t bits = 0;
          std::memcpy(&bits, &in[i * size_of(from)], size_of(from));
          const ScalarRef a = evaluator.constant(from, bits);
          bits = evaluator.bits(from == to ? a : evaluator.emit(ScalarOp::convert, to, a, {}, {}));
          ASSERT_TRUE(same_element(to, reinterpret_cast<const std::byte*>(&bits), &out[i * size_of(to)]))
              << name_of(from) << " to " << name_of(to) << " at " << i << " on " << static_cast<int>(isa);
        }
      }
    }
  }
}

}  // namespace
}  // namespace covec::ops
