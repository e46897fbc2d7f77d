// Kernels in machine code against plain C++, on both instruction sets.
#include "tests/jit_simd/kernels_support.hpp"

namespace covec::tests {

namespace {

using ops::ScalarOp;

enum class From { array, uniform, number };

// Operands from arrays or not, as `froms` says; for each, the values that come up in turn.
void check_op(const OpCase& c, std::vector<From> froms, ops::Isa isa) {
  KernelBuilder b;
  uint32_t operands[3] = {};
  for (unsigned k = 0; k < c.arity; ++k) {
    operands[k] =
        froms[k] == From::number ? b.number(c.operands[k]) : b.input(c.operands[k], froms[k] == From::uniform);
  }
  b.output(b.scalar(c.op, c.to, operands[0], operands[1], operands[2]));
  const auto compiled = compile_kernel(b.kernel, isa);
  ASSERT_NE(compiled, nullptr);
  size_t turn = 0;
  for (size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 47, 63, 64, 65, 70, 129, 1700}) {
    std::vector<Array> arrays;
    std::vector<const void*> inputs;
    std::vector<Word> numbers, words[3];
    for (unsigned k = 0; k < c.arity; ++k) {
      const std::vector<Word> values = c.values(k);
      const size_t count = froms[k] == From::array ? n : 1;
      if (froms[k] != From::number) arrays.emplace_back(c.operands[k], count, turn % 2 == 1);
      for (size_t e = 0; e < count; ++e) {
        // pairs: all combinations come up, as the steps differ
        const size_t at = k == 0 ? turn + e : k == 1 ? turn + e / c.values(0).size() + e : turn + e * 7;
        words[k].push_back(values[at % values.size()]);
        if (froms[k] == From::number)
          numbers.push_back(words[k].back());
        else
          arrays.back().set(e, words[k].back());
      }
    }
    for (Array& array : arrays) inputs.push_back(array.data());
    Array out(c.to, n, turn % 2 == 1);
    void* outputs[1] = {out.data()};
    turn += 3;
    ASSERT_EQ(compiled->kernel(0)(outputs, inputs.data(), static_cast<int64_t>(n), numbers.data()), -1);
    ASSERT_TRUE(out.guards_are_whole()) << c.name() << " n = " << n;
    for (size_t e = 0; e < n; ++e) {
      const auto word = [&](unsigned k) { return k >= c.arity ? 0 : words[k][froms[k] == From::array ? e : 0]; };
      ASSERT_TRUE(same_number(c.to, out[e], c.result(word(0), word(1), word(2))))
          << c.name() << " isa " << static_cast<int>(isa) << " n = " << n << " at " << e << std::hex << ": " << word(0)
          << " " << word(1) << " " << word(2) << " gives " << out[e] << ", not " << c.result(word(0), word(1), word(2));
    }
  }
}

void check_op_by_constants(const OpCase& c, ops::Isa isa) {
  const std::vector<Word> a_values = c.values(0);
  for (Word constant : c.values(1)) {
    KernelBuilder b;
    const uint32_t a = b.input(c.operands[0]), number = b.constant(c.operands[1], constant);
    b.output(b.scalar(c.op, c.to, a, number));
    const auto compiled = compile_kernel(b.kernel, isa);
    ASSERT_NE(compiled, nullptr);
    const size_t n = a_values.size();
    Array in(c.operands[0], n), out(c.to, n);
    for (size_t e = 0; e < n; ++e) in.set(e, a_values[e]);
    void* outputs[1] = {out.data()};
    const void* inputs[1] = {in.data()};
    ASSERT_EQ(compiled->kernel(0)(outputs, inputs, static_cast<int64_t>(n), nullptr), -1);
    for (size_t e = 0; e < n; ++e) {
      ASSERT_TRUE(same_number(c.to, out[e], c.result(a_values[e], constant, 0)))
          << c.name() << std::hex << ": " << a_values[e] << " by " << constant << " gives " << out[e];
    }
  }
}

TEST(JitKernels, EveryOperationOfArrays) {
  for (ops::Isa isa : instruction_sets()) {
    for (const OpCase& c : all_cases()) {
      check_op(c, {From::array, From::array, From::array}, isa);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(JitKernels, EveryOperationOfUniformValuesAndNumbers) {
  for (ops::Isa isa : instruction_sets()) {
    for (const OpCase& c : all_cases()) {
      for (From first : {From::array, From::uniform, From::number}) {
        check_op(c, {first, From::uniform, From::array}, isa);
        check_op(c, {first, From::number, From::uniform}, isa);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(JitKernels, EveryOperationByConstants) {
  for (ops::Isa isa : instruction_sets()) {
    for (const OpCase& c : all_cases()) {
      if (c.arity != 2) continue;
      check_op_by_constants(c, isa);
      if (HasFatalFailure()) return;
    }
  }
}

// Ordinary numbers, for which division has a quick way, with here and there one that has not; quotients that are whole
// or nearly so.
TEST(JitKernels, Division) {
  uint64_t state = 1;
  const auto random = [&](int bits) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>(state >> 11) >> (53 - bits);
  };
  const auto number = [&](Dtype dtype, int64_t n) {
    return with_type(dtype, [&](auto zero) { return to_word(static_cast<decltype(zero)>(n)); });
  };
  constexpr size_t n = 500;
  for (ops::Isa isa : instruction_sets()) {
    for (const OpCase& c : all_cases()) {
      const bool is_remainder = c.op == ScalarOp::remainder;
      if (!is_remainder && c.op != ScalarOp::floor_divide && c.op != ScalarOp::floor_modulo) continue;
      for (bool with_wide : {false, true}) {
        KernelBuilder b;
        const uint32_t x = b.input(c.operands[0]), y = b.input(c.operands[1]);
        b.output(b.scalar(c.op, c.to, x, y));
        if (with_wide) b.output(b.scalar(ScalarOp::convert, Dtype::f64, x));
        const auto compiled = compile_kernel(b.kernel, isa);
        ASSERT_NE(compiled, nullptr);
        for (int round = 0; round < 60; ++round) {
          Array xs(c.to, n), ys(c.to, n), out(c.to, n), wide(Dtype::f64, n);
          const int bits = size_of(c.to) == 4 ? (is_remainder ? 23 : 31) : 51;
          for (size_t e = 0; e < n; ++e) {
            const int64_t divisor = random(1 + round % bits) * (random(1) != 0 ? -1 : 1);
            int64_t dividend = random(bits) * (random(1) != 0 ? -1 : 1);
            if (e % 3 == 0 && divisor != 0) dividend = dividend / divisor * divisor - static_cast<int64_t>(e % 2);
            if (round % 5 == 4 && e == 137) dividend = INT64_MIN;
            if (is_remainder && e % 4 == 0) {
              with_type(c.to, [&](auto zero) {
                using T = decltype(zero);
                if constexpr (std::is_floating_point_v<T>) {
                  xs.set(e, to_word(T(dividend) * T(0.1)));
                  ys.set(e, to_word(T(divisor) * T(0.1)));
                }
                return 0;
              });
            } else {
              xs.set(e, number(c.to, dividend));
              ys.set(e, number(c.to, is_remainder && divisor == 0 ? 1 : divisor));
            }
          }
          void* outputs[] = {out.data(), wide.data()};
          const void* inputs[] = {xs.data(), ys.data()};
          ASSERT_EQ(compiled->kernel(0)(outputs, inputs, n, nullptr), -1);
          for (size_t e = 0; e < n; ++e) {
            ASSERT_TRUE(same_number(c.to, out[e], c.result(xs[e], ys[e], 0)))
                << c.name() << std::hex << ": " << xs[e] << " by " << ys[e] << " gives " << out[e] << ", not "
                << c.result(xs[e], ys[e], 0);
          }
        }
      }
    }
  }
}

// All lengths, with several dtypes in one kernel, so that registers of several widths meet.
TEST(JitKernels, MixedWidths) {
  for (ops::Isa isa : instruction_sets()) {
    KernelBuilder b;
    const uint32_t x = b.input(Dtype::f32), y = b.input(Dtype::f64), m = b.input(Dtype::boolean),
                   k = b.input(Dtype::i32);
    const uint32_t wide = b.scalar(ScalarOp::convert, Dtype::f64, x);
    const uint32_t less = b.scalar(ScalarOp::lt, Dtype::boolean, wide, y);
    const uint32_t both = b.scalar(ScalarOp::bit_and, Dtype::boolean, less, m);
    const uint32_t narrow = b.scalar(ScalarOp::convert, Dtype::f32, y);
    const uint32_t chosen = b.scalar(ScalarOp::select, Dtype::f32, both, x, narrow);
    const uint32_t small = b.scalar(ScalarOp::lt, Dtype::boolean, x, narrow);
    const uint32_t chosen_wide = b.scalar(ScalarOp::select, Dtype::f64, small, wide, y);
    b.output(chosen);
    b.output(chosen_wide);
    b.output(both);
    b.output(b.scalar(ScalarOp::add, Dtype::i32, k, b.scalar(ScalarOp::convert, Dtype::i32, small)));
    const auto compiled = compile_kernel(b.kernel, isa);
    ASSERT_NE(compiled, nullptr);
    for (size_t n = 0; n <= 70; ++n) {
      Array xs(Dtype::f32, n), ys(Dtype::f64, n), ms(Dtype::boolean, n), ks(Dtype::i32, n);
      Array out[4] = {{Dtype::f32, n}, {Dtype::f64, n}, {Dtype::boolean, n}, {Dtype::i32, n}};
      for (size_t e = 0; e < n; ++e) {
        xs.set(e, to_word(static_cast<float>(e * 13 % 17)));
        ys.set(e, to_word(static_cast<double>(e * 7 % 19)));
        ms.set(e, e % 3 != 0);
        ks.set(e, to_word(static_cast<int32_t>(e)));
      }
      void* outputs[] = {out[0].data(), out[1].data(), out[2].data(), out[3].data()};
      const void* inputs[] = {xs.data(), ys.data(), ms.data(), ks.data()};
      ASSERT_EQ(compiled->kernel(0)(outputs, inputs, static_cast<int64_t>(n), nullptr), -1);
      for (const Array& array : out) ASSERT_TRUE(array.guards_are_whole());
      for (size_t e = 0; e < n; ++e) {
        const float fx = static_cast<float>(e * 13 % 17);
        const double fy = static_cast<double>(e * 7 % 19);
        const bool is_less = fx < fy;
        const bool is_both = is_less && e % 3 != 0;
        ASSERT_EQ(out[0][e], to_word(is_both ? fx : static_cast<float>(fy))) << n << " " << e;
        ASSERT_EQ(out[1][e], to_word(is_less ? static_cast<double>(fx) : fy));
        ASSERT_EQ(out[2][e], Word{is_both});
        ASSERT_EQ(out[3][e], to_word(static_cast<int32_t>(e) + is_less));
      }
    }
  }
}

// A rare region within another, with inputs and constants first used inside and again behind it.
TEST(JitKernels, RareRegions) {
  for (ops::Isa isa : instruction_sets()) {
    KernelBuilder b;
    const uint32_t x = b.input(Dtype::f64), y = b.input(Dtype::f64);
    const uint32_t large = b.constant(Dtype::f64, to_word(100.0)), larger = b.constant(Dtype::f64, to_word(150.0));
    const uint32_t condition = b.scalar(ScalarOp::lt, Dtype::boolean, large, x);
    b.rare(condition);
    const uint32_t inner_usual = b.scalar(ScalarOp::add, Dtype::f64, x, y);
    const uint32_t inner = b.scalar(ScalarOp::lt, Dtype::boolean, larger, x);
    b.rare(inner);
    const uint32_t three = b.constant(Dtype::f64, to_word(3.0));
    const uint32_t slowest = b.scalar(ScalarOp::fma, Dtype::f64, y, three, x);
    const uint32_t slow = b.end_rare(Dtype::f64, inner, slowest, inner_usual);
    const uint32_t result = b.end_rare(Dtype::f64, condition, slow, x);
    b.output(b.scalar(ScalarOp::sub, Dtype::f64, result, y));
    const auto compiled = compile_kernel(b.kernel, isa);
    ASSERT_NE(compiled, nullptr);
    for (size_t n = 0; n <= 70; ++n) {
      for (size_t step : {1, 3}) {
        Array xs(Dtype::f64, n), ys(Dtype::f64, n), out(Dtype::f64, n);
        for (size_t e = 0; e < n; ++e) {
          xs.set(e, to_word(static_cast<double>(e * step)));
          ys.set(e, to_word(0.5 * static_cast<double>(e)));
        }
        void* outputs[] = {out.data()};
        const void* inputs[] = {xs.data(), ys.data()};
        ASSERT_EQ(compiled->kernel(0)(outputs, inputs, static_cast<int64_t>(n), nullptr), -1);
        ASSERT_TRUE(out.guards_are_whole());
        for (size_t e = 0; e < n; ++e) {
          const double vx = static_cast<double>(e * step), vy = 0.5 * static_cast<double>(e);
          const double expected = (vx > 150 ? vy * 3 + vx : vx > 100 ? vx + vy : vx) - vy;
          ASSERT_EQ(out[e], to_word(expected)) << n << " " << e;
        }
      }
    }
  }
}

TEST(JitKernels, FirstFailure) {
  for (ops::Isa isa : instruction_sets()) {
    for (Dtype dtype : {Dtype::i32, Dtype::i64}) {
      for (bool long_kernel : {false, true}) {
        KernelBuilder b;
        const uint32_t x = b.input(dtype), zero = b.constant(dtype, 0);
        uint32_t sum = x;
        for (int k = 0; long_kernel && k < 20; ++k)
          sum = b.scalar(ScalarOp::bit_xor, dtype, b.scalar(ScalarOp::add, dtype, sum, x), x);
        b.output(sum);
        b.kernel.fails = b.scalar(ScalarOp::lt, Dtype::boolean, x, zero);
        const auto compiled = compile_kernel(b.kernel, isa);
        ASSERT_NE(compiled, nullptr);
        for (size_t n = 0; n <= 140; n += n < 70 ? 1 : 13) {
          for (size_t bad = 0; bad <= n; ++bad) {
            Array in(dtype, n), out(dtype, n);
            for (size_t e = 0; e < n; ++e) in.set(e, e < bad ? 5 : e == bad || e % 3 == 0 ? ~Word{0} : 2);
            void* outputs[] = {out.data()};
            const void* inputs[] = {in.data()};
            const int64_t expected = bad < n ? static_cast<int64_t>(bad) : -1;
            ASSERT_EQ(compiled->kernel(0)(outputs, inputs, static_cast<int64_t>(n), nullptr), expected) << n;
            ASSERT_TRUE(out.guards_are_whole());
          }
        }
      }
    }
  }
}

// An output that is the same array as an input, which another output copies.
TEST(JitKernels, InPlace) {
  for (ops::Isa isa : instruction_sets()) {
    KernelBuilder b;
    const uint32_t x = b.input(Dtype::f64), y = b.input(Dtype::f64);
    b.output(b.scalar(ScalarOp::add, Dtype::f64, x, y));
    b.output(x);
    const auto compiled = compile_kernel(b.kernel, isa);
    ASSERT_NE(compiled, nullptr);
    for (size_t n = 0; n <= 70; ++n) {
      Array xs(Dtype::f64, n), ys(Dtype::f64, n);
      for (size_t e = 0; e < n; ++e) xs.set(e, to_word(double(e))), ys.set(e, to_word(100.0 * double(e)));
      void* outputs[] = {xs.data(), ys.data()};
      const void* inputs[] = {xs.data(), ys.data()};
      compiled->kernel(0)(outputs, inputs, static_cast<int64_t>(n), nullptr);
      for (size_t e = 0; e < n; ++e) {
        ASSERT_EQ(xs[e], to_word(101.0 * double(e)));
        ASSERT_EQ(ys[e], to_word(double(e)));
      }
    }
  }
}

// More constants, numbers, arrays and live values than registers.
TEST(JitKernels, MoreThanTheRegistersHold) {
  for (ops::Isa isa : instruction_sets()) {
    constexpr size_t many = 40, n = 37;
    KernelBuilder b;
    std::vector<uint32_t> values;
    for (size_t k = 0; k < many; ++k) {
      const uint32_t x = k < 15 ? b.input(Dtype::f64, k % 4 == 1) : b.number(Dtype::f64);
      values.push_back(b.scalar(ScalarOp::fma, Dtype::f64, x, b.constant(Dtype::f64, to_word(1.0 + double(k))),
                                b.constant(Dtype::f64, to_word(0.5 * double(k)))));
    }
    uint32_t sum = values[0];
    for (size_t k = 1; k < many; ++k) sum = b.scalar(ScalarOp::sub, Dtype::f64, sum, values[many - k]);
    uint32_t product = values[1];
    for (size_t k = 2; k < many; ++k)
      product = b.scalar(ScalarOp::select, Dtype::f64, b.scalar(ScalarOp::lt, Dtype::boolean, values[k], product),
                         product, values[k]);
    for (size_t k = 0; k < many; ++k) b.output(values[k]);
    b.output(sum);
    b.output(product);
    const auto compiled = compile_kernel(b.kernel, isa);
    ASSERT_NE(compiled, nullptr);
    std::vector<Array> in, out;
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    std::vector<Word> numbers;
    const auto input = [](size_t k, size_t e) { return double(k * 3 % 7) + double(k >= 15 || k % 4 == 1 ? 0 : e); };
    for (size_t k = 0; k < 15; ++k) {
      in.emplace_back(Dtype::f64, n);
      for (size_t e = 0; e < n; ++e) in.back().set(e, to_word(input(k, e)));
    }
    for (size_t k = 15; k < many; ++k) numbers.push_back(to_word(input(k, 0)));
    for (size_t k = 0; k < many + 2; ++k) out.emplace_back(Dtype::f64, n);
    for (Array& array : in) inputs.push_back(array.data());
    for (Array& array : out) outputs.push_back(array.data());
    ASSERT_EQ(compiled->kernel(0)(outputs.data(), inputs.data(), n, numbers.data()), -1);
    for (size_t e = 0; e < n; ++e) {
      std::vector<double> v;
      for (size_t k = 0; k < many; ++k) v.push_back(std::fma(input(k, e), 1.0 + double(k), 0.5 * double(k)));
      double s = v[0], p = v[1];
      for (size_t k = 1; k < many; ++k) s -= v[many - k];
      for (size_t k = 2; k < many; ++k) p = v[k] < p ? p : v[k];
      for (size_t k = 0; k < many; ++k) ASSERT_EQ(out[k][e], to_word(v[k])) << k;
      ASSERT_EQ(out[many][e], to_word(s));
      ASSERT_EQ(out[many + 1][e], to_word(p));
    }
  }
}

}  // namespace

}  // namespace covec::tests
