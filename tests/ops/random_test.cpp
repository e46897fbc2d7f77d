// Draws: Philox against the published vectors (kat_vectors of Random123 1.14), what a number is made of, streams and
// keys.
#include "stdlib/ops/random/random.hpp"
#include "stdlib/kernels/philox.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/isa.hpp"

#include <cmath>
#include <set>

#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/random/kernels/table.hpp"
#include "tests/ops/structure_support.hpp"

namespace covec::test {

using RandomTest = Engine;
using Words = std::array<uint32_t, 4>;

TEST_F(RandomTest, PhiloxIsThePublishedOne) {
  EXPECT_EQ(kernels::philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(kernels::philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(kernels::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Element e of call c under key k, by the definition.
Words block(uint64_t key, uint64_t call, uint64_t element) {
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  return kernels::philox4x32({low(element), low(element >> 32), low(call), low(call >> 32)},
                             {low(key), low(key >> 32)});
}
double uniform(uint32_t high, uint32_t low) {
  return static_cast<double>((uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
}

TEST_F(RandomTest, UniformsAreTheUpperBits) {
  call(ops::seed_entry(), {Value(int64_t{-3})});
  const Value first = call(ops::rand_entry(), {Value::unbound()}, {Value(int64_t{37})});
  const Value second =
      call(ops::rand_entry(), {Value::unbound(), ops::function_of(ops::cast_entry(Dtype::f32))}, {Value(int64_t{37})});
  const uint64_t key = static_cast<uint64_t>(int64_t{-3});
  for (uint64_t i = 0; i < 37; ++i) {
    const Words a = block(key, 0, i), b = block(key, 1, i);
    EXPECT_EQ(first.tensor().as<double>()[i], uniform(a[0], a[1]));
    EXPECT_EQ(second.tensor().as<float>()[i], static_cast<float>(b[0] >> 8) * 0x1p-24f);
  }
  EXPECT_EQ(context.random.calls, 2u);
}

// They are drawn ahead, for the calls to come: whatever lies between two of them, each is element 0 of its call.
TEST_F(RandomTest, ScalarsAreElementZeroOfTheirCalls) {
  call(ops::seed_entry(), {Value(int64_t{6})});
  uint64_t key = 6, number = 0;
  const auto expect_next = [&] {
    const Words w = block(key, number, 0);
    EXPECT_EQ(call(ops::rand_entry(), {}).f64(), uniform(w[0], w[1])) << "call " << number;
    EXPECT_EQ(context.random.calls, ++number);
  };
  for (int i = 0; i < 300; ++i) {
    expect_next();
    if (i % 7 == 0) expect_next();
    if (i % 50 == 3) call(ops::rand_entry(), {Value::unbound()}, {Value(int64_t{2})}), ++number;
    if (i % 11 == 5) call(ops::randn_entry(), {}), ++number;
    if (i == 100) call(ops::seed_entry(), {Value(int64_t{-1})}), key = ~uint64_t{0}, number = 0;
    if (i == 150) context.random.calls = number = 20;
    if (i == 200) context.random.calls = number = 0xfffffff0;
    if (i == 250) context.random.key = key = 6;
  }
}

TEST_F(RandomTest, NormalsAreBoxAndMullers) {
  const Value drawn = call(ops::randn_entry(), {Value::unbound(), Value(), Value(int64_t{9})}, {Value(int64_t{50})});
  for (uint64_t i = 0; i < 50; ++i) {
    const Words w = block(9, uint64_t{1} << 63, i);
    const double wanted = std::sqrt(-2 * std::log(1 - uniform(w[0], w[1]))) * std::cos(2 * M_PI * uniform(w[2], w[3]));
    EXPECT_NEAR(drawn.tensor().as<double>()[i], wanted, 1e-14);
  }
}

TEST_F(RandomTest, NormalsHaveTheirMoments) {
  for (const bool single : {false, true}) {
    const Value dtype = single ? ops::function_of(ops::cast_entry(Dtype::f32)) : Value();
    const std::vector<double> drawn =
        numbers(call(ops::randn_entry(), {Value::unbound(), dtype}, {Value(int64_t{200000})}));
    double mean = 0, square = 0, fourth = 0;
    for (double x : drawn) mean += x, square += x * x, fourth += x * x * x * x;
    const double n = static_cast<double>(drawn.size());
    EXPECT_NEAR(mean / n, 0, 0.01);
    EXPECT_NEAR(square / n, 1, 0.015);
    EXPECT_NEAR(fourth / n, 3, 0.12);
  }
}

// Long enough to be drawn by several threads; every instruction set that this machine has.
TEST_F(RandomTest, BitsDependOnNothingElse) {
  for (const ops::Entry* entry : {&ops::rand_entry(), &ops::randn_entry()}) {
    for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
      std::vector<std::vector<double>> drawn;
      for (int isa = 0; isa <= static_cast<int>(ops::detect_isa()); ++isa) {
        context.isa = static_cast<ops::Isa>(isa);
        context.threads = static_cast<unsigned>(isa) + 1;
        drawn.push_back(
            numbers(call(*entry, {Value::unbound(), ops::function_of(ops::cast_entry(dtype)), Value(int64_t{1})},
                         {Value(int64_t{50001})})));
        EXPECT_EQ(drawn.back(), drawn.front()) << "instruction set " << isa;
      }
      std::vector<double> begin =
          numbers(call(*entry, {Value::unbound(), ops::function_of(ops::cast_entry(dtype)), Value(int64_t{1})},
                       {Value(int64_t{5})}));
      EXPECT_TRUE(std::equal(begin.begin(), begin.end(), drawn[0].begin()));
    }
  }
}

TEST_F(RandomTest, AKeyIsAStreamOfItsOwn) {
  const auto with_key = [&](int64_t key) {
    return numbers(call(ops::rand_entry(), {Value::unbound(), Value(), Value(key)}, {Value(int64_t{4})}));
  };
  EXPECT_EQ(with_key(5), with_key(5));
  EXPECT_NE(with_key(5), with_key(6));
  EXPECT_EQ(context.random.calls, 0u);
  EXPECT_EQ(call(ops::rand_entry(), {Value::unbound(), Value(), Value(int64_t{5})}).f64(), with_key(5)[0]);
}

TEST_F(RandomTest, AFailedDrawTakesNoNumber) {
  EXPECT_EQ(error_of([&] { call(ops::rand_entry(), {}, {Value(int64_t{-1})}); }).code, "negative_size");
  EXPECT_EQ(error_of([&] {
              call(ops::randint_entry(), {Value(int64_t{3}), Value(int64_t{3})});
            }).message,
            "randint: low 3 must be below high 3");
  const Value whole = ops::function_of(ops::cast_entry(Dtype::i64));
  EXPECT_EQ(error_of([&] {
              call(ops::randn_entry(), {Value(), whole});
            }).message,
            "randn: random numbers are f32 or f64, got i64");
  EXPECT_EQ(context.random.calls, 0u);
}

TEST_F(RandomTest, IntegersFillTheirRange) {
  const std::vector<double> drawn =
      numbers(call(ops::randint_entry(), {Value(int64_t{-2}), Value(int64_t{3})}, {Value(int64_t{500})}));
  EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()), (std::set<double>{-2, -1, 0, 1, 2}));
  const Value wide = call(ops::randint_entry(), {Value(INT64_MIN), Value(INT64_MAX)}, {Value(int64_t{100})});
  EXPECT_LT(*std::min_element(wide.tensor().as<int64_t>(), wide.tensor().as<int64_t>() + 100), 0);
}

TEST_F(RandomTest, PermutationsHaveEveryNumberOnce) {
  std::vector<double> drawn = numbers(call(ops::permutation_entry(), {Value(int64_t{1000})}));
  EXPECT_NE(drawn[0] * 1000 + drawn[1], 1.0);
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(drawn, numbers(count({1000})));
  EXPECT_EQ(dims(call(ops::permutation_entry(), {Value(int64_t{0})})), (std::vector<int64_t>{0}));
  EXPECT_EQ(dims(call(ops::permutation_entry(), {count({4, 2})})), (std::vector<int64_t>{4, 2}));
}

TEST_F(RandomTest, KeysOfExamplesDiffer) {
  std::set<uint64_t> keys;
  for (int64_t example = 0; example < 1000; ++example) keys.insert(kernels::example_key(7, example));
  EXPECT_EQ(keys.size(), 1000u);
  const Words w = kernels::philox4x32({3, 0, ~0u, ~0u}, {7, 0});
  EXPECT_EQ(kernels::example_key(7, 3), uint64_t{w[1]} << 32 | w[0]);
}

}  // namespace covec::test
