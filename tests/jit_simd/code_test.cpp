// Functions in machine code: operations against plain C++, control flow, calls of the runtime, stacks.
#include "tests/jit_simd/code_support.hpp"

namespace covec::tests {

namespace {

using ops::ScalarOp;

Value value_of(Dtype dtype, Word w) { return Value::scalar(dtype, &w); }
Word word_of(const Value& value) { return static_cast<Word>(value.i64()); }

// Each operation in four forms: into a new register, into each of its operands.
void check_op(const OpCase& c) {
  CodeBuilder b;
  std::vector<Register> operands;
  for (unsigned k = 0; k < c.arity; ++k) operands.push_back(b.load(c.operands[k], k));
  operands.resize(3, operands[0]);
  b.store(3, b.scalar(c.to, c.op, operands[0], operands[1], operands[2]));
  std::vector<bool> in_place;
  for (unsigned k = 0; k < c.arity; ++k) {
    in_place.push_back(c.operands[k] == c.to);
    if (!in_place[k]) continue;
    Register copies[3];
    for (unsigned j = 0; j < 3; ++j) b.move(copies[j] = b.reg(b.program.code.registers[operands[j]]), operands[j]);
    b.scalar(copies[k], c.op, copies[0], copies[1], copies[2]);
    b.store(4 + k, copies[k]);
  }
  const auto compiled = compile_code(b);
  ASSERT_NE(compiled, nullptr);
  const auto only = std::vector<Word>{0};
  const auto as = c.values(0), bs = c.arity > 1 ? c.values(1) : only, cs = c.arity > 2 ? c.values(2) : only;
  Runtime runtime;
  const auto check = [&](const Value& value, Word x, Word y, Word z) {
    ASSERT_EQ(value.scalar_dtype(), c.to);
    ASSERT_TRUE(same_number(c.to, word_of(value), c.result(x, y, z)))
        << c.name() << std::hex << ": " << x << " " << y << " " << z << " gives " << word_of(value) << ", not "
        << c.result(x, y, z);
  };
  for (size_t x = 0; x < as.size(); ++x) {
    for (size_t y = 0; y < bs.size(); ++y) {
      for (size_t z = (x + y) % 7; z < cs.size() || (cs.size() < 7 && z < 7); z += 7) {
        const Word words[3] = {as[x], bs[y], cs[z % cs.size()]};
        for (unsigned k = 0; k < c.arity; ++k) runtime.slots[k] = value_of(c.operands[k], words[k]);
        ASSERT_EQ(runtime.run(*compiled), 0);
        check(runtime.slots[3], words[0], words[1], words[2]);
        for (unsigned k = 0; k < c.arity; ++k) {
          if (in_place[k]) check(runtime.slots[4 + k], words[0], words[1], words[2]);
        }
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(JitCode, EveryOperation) {
  for (const OpCase& c : all_cases()) {
    check_op(c);
    if (HasFatalFailure()) return;
  }
}

// With constants on either side, into a new register and into the other operand.
void check_op_with_constants(const OpCase& c, bool second) {
  const auto constants = c.values(second ? 1 : 0), others = c.values(second ? 0 : 1);
  for (Word constant : constants) {
    CodeBuilder b;
    const Register x = b.load(c.operands[second ? 0 : 1], 0);
    const Register number = b.constant(c.operands[second ? 1 : 0], constant);
    const Register left = second ? x : number, right = second ? number : x;
    b.store(1, b.scalar(c.to, c.op, left, right));
    const bool in_place = c.operands[0] == c.to;
    if (in_place) {
      b.scalar(x, c.op, left, right);
      b.store(2, x);
    }
    const auto compiled = compile_code(b);
    ASSERT_NE(compiled, nullptr);
    Runtime runtime;
    for (Word other : others) {
      const Word expected = second ? c.result(other, constant, 0) : c.result(constant, other, 0);
      runtime.slots[0] = value_of(c.operands[second ? 0 : 1], other);
      ASSERT_EQ(runtime.run(*compiled), 0);
      ASSERT_TRUE(same_number(c.to, word_of(runtime.slots[1]), expected))
          << c.name() << std::hex << " constant " << constant << " other " << other << " gives "
          << word_of(runtime.slots[1]) << ", not " << expected;
      if (in_place) {
        ASSERT_TRUE(same_number(c.to, word_of(runtime.slots[2]), expected)) << c.name();
      }
    }
  }
}

TEST(JitCode, EveryOperationWithConstants) {
  for (const OpCase& c : all_cases()) {
    if (c.arity != 2) continue;
    check_op_with_constants(c, true);
    check_op_with_constants(c, false);
    if (HasFatalFailure()) return;
  }
}

// By many constants, from all over the range.
TEST(JitCode, DivisionByConstants) {
  std::vector<int64_t> divisors = {3, 5, 6, 7, 9, 10, 11, 12, 25, 60, 641, 1000, 65537, 1000000007, 0x7fffffff};
  for (int bit = 33; bit < 63; bit += 3)
    divisors.push_back((int64_t{1} << bit) - 1), divisors.push_back((int64_t{1} << bit) + 1);
  divisors.push_back(INT64_MAX);
  for (Dtype dtype : {Dtype::i32, Dtype::i64}) {
    for (ScalarOp op : {ScalarOp::floor_divide, ScalarOp::floor_modulo}) {
      for (int64_t divisor : divisors) {
        if (dtype == Dtype::i32 && divisor > INT32_MAX) continue;
        CodeBuilder b;
        b.store(1, b.scalar(dtype, op, b.load(dtype, 0), b.constant(dtype, to_word(divisor))));
        const auto compiled = compile_code(b);
        Runtime runtime;
        uint64_t x = 1;
        for (int k = 0; k < 3000; ++k) {
          x = x * 6364136223846793005u + 1442695040888963407u;
          Word a = k % 3 == 0 ? x : k % 3 == 1 ? (x >> 40) * static_cast<uint64_t>(divisor) - (k & 1) : x >> (k % 64);
          if (dtype == Dtype::i32) a &= 0xffffffff;
          runtime.slots[0] = value_of(dtype, a);
          runtime.run(*compiled);
          ASSERT_EQ(word_of(runtime.slots[1]), reference(op, dtype, dtype, a, to_word(divisor), 0))
              << a << " by " << divisor;
        }
      }
    }
  }
}

// if with each comparison, taken as flags and as a number.
TEST(JitCode, ConditionsAndSelects) {
  for (ScalarOp op : {ScalarOp::lt, ScalarOp::le, ScalarOp::eq, ScalarOp::ne}) {
    for (Dtype dtype : all_dtypes) {
      CodeBuilder b;
      const Register x = b.load(dtype, 0), y = b.load(dtype, 1);
      const Register one = b.integer(1), two = b.integer(2), f = b.constant(Dtype::f64, to_word(1.0));
      const Register g = b.constant(Dtype::f64, to_word(2.0)), h = b.constant(Dtype::f32, to_word(1.0f));
      const Register k = b.constant(Dtype::f32, to_word(2.0f));
      const Register result = b.reg(Dtype::i64);
      b.set(result, to_word<int64_t>(2));
      b.add(instruction::If{b.scalar(Dtype::boolean, op, x, y)});
      b.set(result, to_word<int64_t>(1));
      b.add(instruction::EndIf{});
      b.store(2, result);
      b.store(3, b.scalar(Dtype::i64, ScalarOp::select, b.scalar(Dtype::boolean, op, x, y), one, two));
      b.store(4, b.scalar(Dtype::f64, ScalarOp::select, b.scalar(Dtype::boolean, op, x, y), f, g));
      b.store(5, b.scalar(Dtype::f32, ScalarOp::select, b.scalar(Dtype::boolean, op, x, y), h, k));
      b.set(result, to_word<int64_t>(1));
      b.add(instruction::Loop{});
      b.add(instruction::BreakIf{b.scalar(Dtype::boolean, op, x, y)});
      b.set(result, to_word<int64_t>(2));
      b.add(instruction::BreakUnless{b.scalar(Dtype::boolean, op, x, y)});
      b.set(result, to_word<int64_t>(3));
      b.add(instruction::EndLoop{});
      b.store(6, result);
      const auto compiled = compile_code(b);
      Runtime runtime;
      for (Word a : values_of(dtype)) {
        for (Word c : values_of(dtype)) {
          runtime.slots[0] = value_of(dtype, a);
          runtime.slots[1] = value_of(dtype, c);
          ASSERT_EQ(runtime.run(*compiled), 0);
          const int64_t expected = reference(op, Dtype::boolean, dtype, a, c, 0) != 0 ? 1 : 2;
          ASSERT_EQ(runtime.slots[2].i64(), expected) << name_of(dtype) << std::hex << " " << a << " " << c;
          ASSERT_EQ(runtime.slots[3].i64(), expected);
          ASSERT_EQ(runtime.slots[4].f64(), double(expected)) << loops::name_of(op) << name_of(dtype);
          ASSERT_EQ(runtime.slots[5].f32(), float(expected));
          ASSERT_EQ(runtime.slots[6].i64(), expected);
        }
      }
    }
  }
}

// A number or nothing, as derivatives ask for: constants between the comparison and the choice, 0 and -0 chosen.
TEST(JitCode, SelectsOfZero) {
  for (Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (ScalarOp op : {ScalarOp::lt, ScalarOp::le, ScalarOp::eq, ScalarOp::ne}) {
      CodeBuilder b;
      const Register x = b.load(dtype, 0), y = b.load(dtype, 1);
      const auto number = [&](double of) {
        return b.constant(dtype, dtype == Dtype::f32 ? to_word(static_cast<float>(of)) : to_word(of));
      };
      const Register first = b.scalar(Dtype::boolean, op, x, y), zero = number(0.0);
      b.store(2, b.scalar(dtype, ScalarOp::select, first, zero, x));
      const Register second = b.scalar(Dtype::boolean, op, x, y), negative = number(-0.0);
      b.store(3, b.scalar(dtype, ScalarOp::select, second, negative, x));
      const Register third = b.scalar(Dtype::boolean, op, x, y), otherwise = number(0.0);
      b.store(4, b.scalar(dtype, ScalarOp::select, third, y, otherwise));
      b.scalar(x, ScalarOp::select, b.scalar(Dtype::boolean, op, x, y), number(0.0), x);
      b.store(5, x);
      const auto compiled = compile_code(b);
      Runtime runtime;
      for (Word a : values_of(dtype)) {
        for (Word c : values_of(dtype)) {
          runtime.slots[0] = value_of(dtype, a);
          runtime.slots[1] = value_of(dtype, c);
          ASSERT_EQ(runtime.run(*compiled), 0);
          const bool chosen = reference(op, Dtype::boolean, dtype, a, c, 0) != 0;
          const Word minus = dtype == Dtype::f32 ? to_word(-0.0f) : to_word(-0.0);
          const Word expected[] = {chosen ? 0 : a, chosen ? minus : a, chosen ? c : 0, chosen ? 0 : a};
          for (unsigned k = 0; k < 4; ++k) {
            const Value& value = runtime.slots[2 + k];
            ASSERT_EQ(std::memcmp(value.scalar_data(), &expected[k], size_of(dtype)), 0)
                << loops::name_of(op) << " " << k << std::hex << ": " << a << " " << c;
          }
        }
      }
    }
  }
}

// for i in [0, n): for j in [0, i): if j odd: continue-like; sum += i * j; leave when sum passes a limit
TEST(JitCode, NestedLoops) {
  CodeBuilder b;
  const Register n = b.load(Dtype::i64, 0), limit = b.load(Dtype::i64, 1);
  const Register one = b.integer(1), zero = b.integer(0);
  const Register i = b.reg(Dtype::i64), j = b.reg(Dtype::i64), sum = b.reg(Dtype::i64), half = b.reg(Dtype::f64);
  b.set(i, 0);
  b.set(sum, 0);
  b.set(half, 0);
  b.add(instruction::Loop{});
  b.poll(0);
  b.add(instruction::BreakUnless{b.scalar(Dtype::boolean, ScalarOp::lt, i, n)});
  b.set(j, 0);
  b.add(instruction::Loop{});
  b.poll(1);
  b.add(instruction::BreakUnless{b.scalar(Dtype::boolean, ScalarOp::lt, j, i)});
  const Register odd = b.scalar(Dtype::i64, ScalarOp::bit_and, j, one);
  b.add(instruction::If{b.scalar(Dtype::boolean, ScalarOp::eq, odd, zero)});
  b.scalar(sum, ScalarOp::add, sum, b.scalar(Dtype::i64, ScalarOp::mul, i, j));
  b.add(instruction::If{b.scalar(Dtype::boolean, ScalarOp::lt, limit, sum)});
  b.store(2, sum);
  b.add(instruction::Leave{});
  b.add(instruction::EndIf{});
  b.add(instruction::Else{});
  b.scalar(half, ScalarOp::add, half, b.constant(Dtype::f64, to_word(0.5)));
  b.add(instruction::EndIf{});
  b.scalar(j, ScalarOp::add, j, one);
  b.add(instruction::EndLoop{});
  b.scalar(i, ScalarOp::add, i, one);
  b.add(instruction::EndLoop{});
  b.store(2, sum);
  b.store(3, half);
  const auto compiled = compile_code(b);
  Runtime runtime;
  for (int64_t count : {0, 1, 2, 3, 10, 31}) {
    int64_t expected = 0;
    double halves = 0;
    for (int64_t x = 0; x < count; ++x) {
      for (int64_t y = 0; y < x; ++y) y % 2 == 0 ? (expected += x * y, 0.0) : halves += 0.5;
    }
    runtime.slots[0] = count;
    runtime.slots[1] = int64_t{1} << 40;
    ASSERT_EQ(runtime.run(*compiled), 0);
    EXPECT_EQ(runtime.slots[2].i64(), expected);
    EXPECT_EQ(runtime.slots[3].f64(), halves);
  }
  runtime.slots[0] = int64_t{31};
  runtime.slots[1] = int64_t{20};
  ASSERT_EQ(runtime.run(*compiled), 0);
  EXPECT_EQ(runtime.slots[2].i64(), 2 * 3 + 4 * 2 + 5 * 2);
}

// Registers keep their numbers over calls, whatever kind they are; a status leaves.
TEST(JitCode, Steps) {
  CodeBuilder b;
  std::vector<Register> floats, integers;
  for (int k = 0; k < 20; ++k) {
    floats.push_back(
        b.scalar(Dtype::f64, ScalarOp::mul, b.load(Dtype::f64, 0), b.constant(Dtype::f64, to_word(double(k)))));
    integers.push_back(b.scalar(Dtype::i64, ScalarOp::add, b.load(Dtype::i64, 1), b.integer(k)));
  }
  b.step(7);
  b.step(8);
  Register sum = floats[0], total = integers[0];
  for (int k = 1; k < 20; ++k) {
    sum = b.scalar(Dtype::f64, ScalarOp::add, sum, floats[k]);
    total = b.scalar(Dtype::i64, ScalarOp::mul, total, integers[k]);
  }
  b.store(2, sum);
  b.store(3, total);
  const auto compiled = compile_code(b);
  Runtime runtime;
  runtime.slots[0] = 1.5;
  runtime.slots[1] = int64_t{3};
  ASSERT_EQ(runtime.run(*compiled), 0);
  EXPECT_EQ(runtime.steps, (std::vector<uint32_t>{7, 8}));
  EXPECT_EQ(runtime.slots[2].f64(), 1.5 * 190);
  uint64_t product = 1;
  for (uint64_t k = 0; k < 20; ++k) product *= 3 + k;
  EXPECT_EQ(runtime.slots[3].i64(), static_cast<int64_t>(product));
  runtime.steps.clear();
  runtime.slots[2] = Value();
  runtime.on_step = [](uint32_t index) { return index == 7 ? 42 : 0; };
  EXPECT_EQ(runtime.run(*compiled), 42);
  EXPECT_EQ(runtime.steps, (std::vector<uint32_t>{7}));
  EXPECT_TRUE(runtime.slots[2].is_none());
}

TEST(JitCode, Polls) {
  CodeBuilder b;
  const Register i = b.reg(Dtype::i64), one = b.integer(1), n = b.load(Dtype::i64, 0);
  b.set(i, 0);
  b.add(instruction::Loop{});
  b.poll(5);
  b.scalar(i, ScalarOp::add, i, one);
  b.add(instruction::BreakUnless{b.scalar(Dtype::boolean, ScalarOp::lt, i, n)});
  b.add(instruction::EndLoop{});
  b.store(1, i);
  const auto compiled = compile_code(b);
  Runtime runtime;
  runtime.slots[0] = int64_t{1'000'000};
  ASSERT_EQ(runtime.run(*compiled), 0);
  EXPECT_TRUE(runtime.polls.empty());
  runtime.interrupt = true;
  ASSERT_EQ(runtime.run(*compiled), 0);
  EXPECT_GE(runtime.polls.size(), 1'000'000u / 65'536);
  EXPECT_EQ(runtime.polls[0], 5u);
  EXPECT_EQ(runtime.slots[1].i64(), 1'000'000);
  runtime.on_poll = [](uint32_t) { return 3; };
  EXPECT_EQ(runtime.run(*compiled), 3);
}

// Long iterations count as several.
TEST(JitCode, PollsOfLongIterations) {
  CodeBuilder b;
  const Register i = b.reg(Dtype::i64), x = b.reg(Dtype::i64), one = b.integer(1), n = b.load(Dtype::i64, 0);
  b.set(i, 0);
  b.set(x, 0);
  b.add(instruction::Loop{});
  b.poll(5);
  for (int k = 0; k < 1000; ++k) b.scalar(x, ScalarOp::add, x, i);
  b.scalar(i, ScalarOp::add, i, one);
  b.add(instruction::BreakUnless{b.scalar(Dtype::boolean, ScalarOp::lt, i, n)});
  b.add(instruction::EndLoop{});
  b.store(1, x);
  const auto compiled = compile_code(b);
  Runtime runtime;
  runtime.slots[0] = int64_t{65'536};
  runtime.interrupt = true;
  ASSERT_EQ(runtime.run(*compiled), 0);
  EXPECT_GE(runtime.polls.size(), 50u);
  EXPECT_LE(runtime.polls.size(), 100u);
  EXPECT_EQ(runtime.slots[1].i64(), int64_t{1000} * 65'535 * 65'536 / 2);
}

TEST(JitCode, Stacks) {
  CodeBuilder b;
  std::vector<Register> numbers;
  for (unsigned k = 0; k < 5; ++k) numbers.push_back(b.load(all_dtypes[k], k));
  for (unsigned k = 0; k < 5; ++k) b.push(1, numbers[k], 9);
  for (unsigned k = 5; k-- > 0;) b.store(8 + k, b.pop(all_dtypes[k], 1));
  const auto compiled = compile_code(b);
  std::vector<uint64_t> words(2, ~uint64_t{0});
  Runtime runtime;
  const auto set_stack = [&](size_t used) {
    runtime.stacks[1] = {words.data() + used, words.data() + words.size(), words.data()};
  };
  set_stack(0);
  runtime.on_step = [&](uint32_t) {
    const auto used = static_cast<size_t>(runtime.stacks[1].top - words.data());
    words.resize(words.size() + 2, ~uint64_t{0});
    set_stack(used);
    return 0;
  };
  const Value given[5] = {true, int32_t{-5}, int64_t{-6}, 2.5f, -3.5};
  for (unsigned k = 0; k < 5; ++k) runtime.slots[k] = given[k];
  ASSERT_EQ(runtime.run(*compiled), 0);
  for (unsigned k = 0; k < 5; ++k) {
    EXPECT_EQ(runtime.slots[8 + k].tag(), given[k].tag());
    EXPECT_EQ(word_of(runtime.slots[8 + k]), word_of(given[k]));
  }
  EXPECT_EQ(runtime.steps, (std::vector<uint32_t>{9, 9}));
  EXPECT_EQ(runtime.stacks[1].top, words.data());
  runtime.on_step = [](uint32_t) { return 4; };
  set_stack(words.size());
  EXPECT_EQ(runtime.run(*compiled), 4);
}

TEST(JitCode, WhatCannotBeCompiled) {
  CodeBuilder b;
  EXPECT_EQ(simd::compile(b.program, ops::Isa::baseline), nullptr);
  const Register x = b.load(Dtype::i64, 0);
  for (int k = 0; k < 10'000; ++k) b.scalar(x, ScalarOp::add, x, x);
  EXPECT_NE(simd::compile(b.program, ops::Isa::avx2), nullptr);
}

TEST(JitCode, Listing) {
  CodeBuilder b;
  b.store(1, b.scalar(Dtype::f64, ScalarOp::mul, b.load(Dtype::f64, 0), b.load(Dtype::f64, 0)));
  const auto compiled = compile_code(b, true);
  EXPECT_NE(compiled->listing().find("vmulsd"), std::string::npos) << compiled->listing();
}

}  // namespace

}  // namespace covec::tests
