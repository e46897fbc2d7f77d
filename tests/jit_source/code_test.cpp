// Functions through cc: control flow, slots, steps and their statuses, elements of tensors, stacks, polling.
#include <gtest/gtest.h>

#include <functional>

#include "jit/source/engine.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/jit_source/programs.hpp"

namespace {

using namespace covec;
using namespace covec::tests;
using loops::Program;  // there is a covec::Program, too

// An activation whose steps are a function of the test.
struct Call {
  explicit Call(const Program& program) : engine((check(program), source::compile(program))) {
    activation.step = [](loops::ActivationRecord* a, uint32_t index) noexcept { return of(a)->step(index); };
    activation.poll = [](loops::ActivationRecord* a, uint32_t index) noexcept { return of(a)->poll(index); };
    activation.interrupt = &interrupt;
    activation.slots = slots;
    activation.stacks = &stack;
    activation.owner = this;
  }
  ~Call() {
    for (Value& value : slots) value = Value();
    pool->release();
  }
  static void check(const Program& program) { EXPECT_EQ(loops::verify(program), "") << loops::print(program); }
  static Call* of(loops::ActivationRecord* a) { return static_cast<Record*>(a)->owner; }
  int32_t operator()() { return engine->code()(&activation); }

  std::unique_ptr<source::CompiledC> engine;
  Pool* pool = Pool::create();
  Value slots[8];
  loops::NumberStack stack;
  std::atomic<bool> interrupt = false;
  struct Record : loops::ActivationRecord {
    Call* owner;
  } activation;
  std::function<int32_t(uint32_t)> step = [](uint32_t) { return 0; };
  std::function<int32_t(uint32_t)> poll = [](uint32_t) { return 0; };
};

TEST(Code, LoopsAndBranches) {
  // The steps of Collatz's sequence from slot 0, to slot 1.
  CodeMaker f;
  const auto n = f.reg(Dtype::i64, "n"), count = f.reg(Dtype::i64, "count"), one = f.reg(Dtype::i64);
  const auto two = f.reg(Dtype::i64), three = f.reg(Dtype::i64), rest = f.reg(Dtype::i64), test = f.reg(Dtype::boolean);
  f.load(0, n);
  f.constant(count, 0), f.constant(one, 1), f.constant(two, 2), f.constant(three, 3);
  f.put(instruction::Loop{});
  f.put(instruction::Poll{});
  f.scalar(ScalarOp::eq, test, n, one);
  f.put(instruction::BreakIf{test});
  f.scalar(ScalarOp::floor_modulo, rest, n, two);
  f.scalar(ScalarOp::eq, test, rest, one);
  f.put(instruction::If{test});
  f.scalar(ScalarOp::mul, n, n, three);
  f.scalar(ScalarOp::add, n, n, one);
  f.put(instruction::Else{});
  f.scalar(ScalarOp::floor_divide, n, n, two);
  f.put(instruction::EndIf{});
  f.scalar(ScalarOp::add, count, count, one);
  f.put(instruction::EndLoop{});
  f.store(1, count);
  f.put(instruction::Leave{});
  Call call(f.program);
  call.slots[0] = int64_t{27};
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(call.slots[1].tag(), Tag::i64);
  EXPECT_EQ(call.slots[1].i64(), 111);
}

TEST(Code, NumbersOfAllDtypesGoThroughSlots) {
  CodeMaker f;
  const Dtype dtypes[] = {Dtype::boolean, Dtype::i32, Dtype::f32, Dtype::f64};
  for (loops::SlotId s = 0; s < 4; ++s) {
    const auto r = f.reg(dtypes[s]), copy = f.reg(dtypes[s]);
    f.load(s, r);
    f.put(instruction::Move{copy, r});
    f.store(s + 4, copy);
  }
  Call call(f.program);
  call.slots[0] = true, call.slots[1] = int32_t{-7}, call.slots[2] = -1.5f, call.slots[3] = 1e-300;
  EXPECT_EQ(call(), 0);
  EXPECT_TRUE(call.slots[4].boolean());
  EXPECT_EQ(call.slots[5].i32(), -7);
  EXPECT_EQ(call.slots[5].tag(), Tag::i32);
  EXPECT_EQ(call.slots[6].f32(), -1.5f);
  EXPECT_EQ(call.slots[7].f64(), 1e-300);
}

TEST(Code, AStatusLeavesAtOnce) {
  CodeMaker f;
  for (uint32_t s = 0; s < 4; ++s) f.step(s);
  Call call(f.program);
  std::vector<uint32_t> seen;
  call.step = [&](uint32_t index) {
    seen.push_back(index);
    return index == 2 ? 17 : 0;
  };
  EXPECT_EQ(call(), 17);
  EXPECT_EQ(seen, (std::vector<uint32_t>{0, 1, 2}));
}

TEST(Code, AnInterruptEndsALoop) {
  CodeMaker f;
  f.put(instruction::Loop{});
  f.put(instruction::Poll{5});
  f.step(0);
  f.put(instruction::EndLoop{});
  Call call(f.program);
  int passes = 0;
  call.step = [&](uint32_t) {
    if (++passes == 10) call.interrupt = true;
    return 0;
  };
  call.poll = [](uint32_t index) { return static_cast<int32_t>(index) + 1; };
  EXPECT_EQ(call(), 6);
  EXPECT_EQ(passes, 10);
}

// slot 1 = x[i, j] of slot 0, with i and j in slots 2 and 3; or x[i, j] = slot 1.
Program element(Dtype dtype, bool set) {
  CodeMaker f;
  const auto i = f.reg(Dtype::i64, "i"), j = f.reg(Dtype::i64, "j"), x = f.reg(dtype, "x");
  f.load(2, i);
  f.load(3, j);
  if (set) f.load(1, x);
  const instruction::ElementPlace place{0, {i, j}, 9};
  f.put(set ? Instruction(instruction::SetElement{place, x}) : instruction::Element{place, x});
  if (!set) f.store(1, x);
  return f.program;
}

TEST(Code, ElementsAreReadFromEitherEnd) {
  Call call(element(Dtype::i32, false));
  call.slots[0] = make_tensor(*call.pool, Dtype::i32, {2, 3});
  for (int k = 0; k < 6; ++k) call.slots[0].tensor().as<int32_t>()[k] = 10 * k;
  const int64_t cases[][3] = {{0, 0, 0}, {1, 2, 50}, {-1, -3, 30}, {-2, -1, 20}};
  for (const auto& [i, j, expected] : cases) {
    call.slots[1] = Value(), call.slots[2] = i, call.slots[3] = j;
    EXPECT_EQ(call(), 0);
    EXPECT_EQ(call.slots[1].i32(), expected);
  }
  call.step = [](uint32_t index) { return static_cast<int32_t>(index); };
  const int64_t outside[][2] = {{2, 0}, {-3, 0}, {0, 3}, {0, -4}, {INT64_MIN, 0}, {0, INT64_MAX}};
  for (const auto& [i, j] : outside) {
    call.slots[2] = i, call.slots[3] = j;
    EXPECT_EQ(call(), 9);
  }
}

TEST(Code, StridesAreFollowed) {
  Call call(element(Dtype::f64, false));
  const Value base = make_tensor(*call.pool, Dtype::f64, {50, 60});
  for (int k = 0; k < 3000; ++k) base.tensor().as<double>()[k] = k;
  const int64_t strides[] = {1, 60};  // its transpose
  call.slots[0] = Tensor::view(base, base.tensor().data(), {60, 50}, strides);
  call.slots[2] = int64_t{7}, call.slots[3] = int64_t{-1};
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(call.slots[1].f64(), 49 * 60 + 7);
}

TEST(Code, OnlyExclusiveTensorsAreWrittenInPlace) {
  Call call(element(Dtype::f32, true));
  int steps = 0;
  call.step = [&](uint32_t) { return ++steps, 0; };
  call.slots[0] = make_tensor(*call.pool, Dtype::f32, {20, 30});
  auto* data = call.slots[0].tensor().as<float>();
  data[605 - 1 - 30] = 0;
  call.slots[1] = 2.5f, call.slots[2] = int64_t{-1}, call.slots[3] = int64_t{4};
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(data[19 * 30 + 4], 2.5f);
  call.slots[1] = 3.5f;
  {
    const Value shared = call.slots[0];
    EXPECT_EQ(call(), 0);
    EXPECT_EQ(steps, 1);
  }
  {
    const Value view = Tensor::view(call.slots[0], call.slots[0].tensor().data(), {600}, std::vector<int64_t>{1});
    EXPECT_EQ(call(), 0);
    EXPECT_EQ(steps, 2);
  }
  EXPECT_EQ(data[19 * 30 + 4], 2.5f);
  call.slots[2] = int64_t{20};
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(steps, 3);
}

// slot 1 = xs[i] of the list in slot 0, with i in slot 2; or xs[i] = slot 1; or slot 1 is pushed. slot 3 = its length.
enum class Access : uint8_t { read, write, push };
Program of_list(Access access) {
  CodeMaker f;
  const auto i = f.reg(Dtype::i64, "i"), x = f.reg(Dtype::f32, "x"), length = f.reg(Dtype::i64, "length");
  f.load(2, i);
  if (access != Access::read) f.load(1, x);
  if (access == Access::read) f.put(instruction::ListItem{x, 0, i, 9});
  if (access == Access::write) f.put(instruction::ListSet{0, i, x, 9});
  if (access == Access::push) f.put(instruction::ListPush{0, x, 9});
  if (access == Access::read) f.store(1, x);
  f.put(instruction::ListLength{length, 0});
  f.store(3, length);
  return f.program;
}

TEST(Code, ListsAreReadFromEitherEnd) {
  Call call(of_list(Access::read));
  call.slots[0] = make_list({Value(0.5f), Value(1.5f), Value(2.5f)});
  call.step = [](uint32_t index) { return static_cast<int32_t>(index); };
  for (const int64_t i : {0, 2, -1, -3}) {
    call.slots[2] = i;
    EXPECT_EQ(call(), 0);
    EXPECT_EQ(call.slots[1].f32(), static_cast<float>((i + 3) % 3) + 0.5f);
    EXPECT_EQ(call.slots[3].i64(), 3);
  }
  for (const int64_t i : {int64_t{3}, int64_t{-4}, INT64_MIN, INT64_MAX}) {
    call.slots[2] = i;
    EXPECT_EQ(call(), 9);
  }
}

TEST(Code, ListsOfOnesOwnAreWrittenInPlace) {
  Call call(of_list(Access::write));
  int steps = 0;
  call.step = [&](uint32_t) { return ++steps, 0; };
  call.slots[0] = make_list({Value(0.5f), Value(1.5f)});
  call.slots[1] = 7.5f, call.slots[2] = int64_t{-1};
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(call.slots[0].list().items()[1].f32(), 7.5f);
  const Value shared = call.slots[0];
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(steps, 1);
}

TEST(Code, PushesAskForRoom) {
  Call call(of_list(Access::push));
  int steps = 0;
  const Value shared = make_list({Value(0.5f)});
  call.slots[0] = shared;
  call.step = [&](uint32_t) {
    if (!call.slots[0].unique()) call.slots[0] = make_list(call.slots[0].list().items());
    call.slots[0].list().reserve(3);
    return ++steps, 0;
  };
  call.slots[1] = 4.5f;
  for (int64_t length = 2; length <= 3; ++length) {
    EXPECT_EQ(call(), 0);
    EXPECT_EQ(call.slots[3].i64(), length);
    EXPECT_EQ(call.slots[0].list().items().back().f32(), 4.5f);
  }
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(shared.list().items().size(), 1u);
}

TEST(Code, StacksGrowAndGiveBackInReverse) {
  CodeMaker f;
  const auto n = f.reg(Dtype::i32), one = f.reg(Dtype::i32), sum = f.reg(Dtype::i32), ten = f.reg(Dtype::i32);
  const auto test = f.reg(Dtype::boolean);
  f.constant(n, 0), f.constant(one, 0xffffffff), f.constant(sum, 0);  // n = 0, −1, … −9
  f.constant(ten, static_cast<uint32_t>(-10));
  f.put(instruction::Loop{});
  f.scalar(ScalarOp::eq, test, n, ten);
  f.put(instruction::BreakIf{test});
  f.put(instruction::PushNumber{0, n, 3});
  f.scalar(ScalarOp::add, n, n, one);
  f.put(instruction::EndLoop{});
  f.put(instruction::PopNumber{sum, 0});
  f.put(instruction::PopNumber{n, 0});
  f.store(0, sum);
  f.store(1, n);
  Call call(f.program);
  std::vector<uint64_t> words;
  int grown = 0;
  call.step = [&](uint32_t index) {
    const auto used = call.stack.top - call.stack.base;
    words.resize(words.size() + 4);
    call.stack = {words.data() + used, words.data() + words.size(), words.data()};
    return index == 3 ? ++grown, 0 : 1;
  };
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(grown, 3);
  EXPECT_EQ(call.slots[0].i32(), -9);
  EXPECT_EQ(call.slots[1].i32(), -8);
  EXPECT_EQ(call.stack.top - call.stack.base, 8);
}

}  // namespace
