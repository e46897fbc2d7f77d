// Checked code: it does what other code does, and stops where a place lies outside. What it works on is made to lie,
// since code that is right does not leave anything.
#include "jit/simd/machine/checks.hpp"

#include "stdlib/tensor/layout.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/jit_simd/code_support.hpp"

namespace covec::tests {

namespace {

std::unique_ptr<simd::Compiled> checked(const CodeBuilder& b) {
  return simd::compile(b.program, ops::Isa::avx2, {.checked = true});
}

// Slot 0: a tensor of four numbers that says it has a thousand; slot 1: the index.
class CheckedElements : public testing::Test {
 protected:
  CheckedElements() {
    Tensor& x = (runtime.slots[0] = make_tensor(*pool, Dtype::f64, Shape{4})).tensor();
    std::fill_n(x.as<double>(), 4, 2.5);
    const int64_t thousand = 1000;
    std::memcpy(reinterpret_cast<std::byte*>(runtime.slots[0].object()) + TensorLayout::dims, &thousand,
                sizeof thousand);
  }
  ~CheckedElements() override {
    runtime.slots.clear();
    pool->release();
  }
  static Pool* guarded_pool() {
    Pool* pool = Pool::create();
    pool->guard();
    return pool;
  }
  Pool* pool = guarded_pool();
  Runtime runtime;
};

TEST_F(CheckedElements, Read) {
  CodeBuilder b;
  b.store(8, b.element(Dtype::f64, 0, {b.load(Dtype::i64, 1)}, 17));
  const auto code = checked(b);
  ASSERT_NE(code, nullptr);
  runtime.slots[1] = int64_t{3};
  ASSERT_EQ(runtime.run(*code), 0);
  EXPECT_EQ(runtime.slots[8].f64(), 2.5);
  runtime.slots[1] = int64_t{4};
  EXPECT_DEATH(runtime.run(*code), "generated code leaves a tensor: place 4");
}

TEST_F(CheckedElements, Write) {
  CodeBuilder b;
  b.set_element(0, {b.load(Dtype::i64, 1)}, b.load(Dtype::f64, 8), 18);
  const auto code = checked(b);
  ASSERT_NE(code, nullptr);
  runtime.slots[8] = 7.0;
  runtime.slots[1] = int64_t{3};
  ASSERT_EQ(runtime.run(*code), 0);
  EXPECT_EQ(runtime.slots[0].tensor().as<double>()[3], 7.0);
  runtime.slots[1] = int64_t{4};
  EXPECT_DEATH(runtime.run(*code), "generated code leaves a tensor: place 4");
}

TEST(CheckedStacks, PopOfAnEmptyOne) {
  CodeBuilder b;
  b.push(1, b.integer(5), 9);
  b.store(8, b.pop(Dtype::i64, 1));
  b.store(9, b.pop(Dtype::i64, 1));
  const auto code = checked(b);
  ASSERT_NE(code, nullptr);
  Runtime runtime;
  uint64_t words[4] = {};
  runtime.stacks[1] = {.top = words + 1, .end = words + 4, .base = words};
  ASSERT_EQ(runtime.run(*code), 0);
  EXPECT_EQ(runtime.slots[8].i64(), 5);
  runtime.stacks[1].top = words;
  EXPECT_DEATH(runtime.run(*code), "generated code leaves a stack of numbers: place -1");
}

TEST(CheckedLists, Items) {
  const Value list = make_list({Value(1.0), Value(2.0)});
  simd::check_item(list.object(), 1, 0);
  EXPECT_DEATH(simd::check_item(list.object(), 2, 0), "leaves a list: place 2, extent 2");
  EXPECT_DEATH(simd::check_item(list.object(), -1, 0), "leaves a list");
  list.list().change([](std::vector<Value>& items) { items.shrink_to_fit(); });
  EXPECT_DEATH(simd::check_room(list.object(), 0, 0), "leaves a list's room");
}

TEST(CheckedKernels, Lanes) {
  const auto lanes = [](intptr_t count) { return reinterpret_cast<const void*>(count); };
  simd::check_lanes(lanes(8), 8, 16);
  EXPECT_DEATH(simd::check_lanes(lanes(8), 9, 16), "leaves the elements of a kernel: place 16, extent 16");
}

}  // namespace

}  // namespace covec::tests
