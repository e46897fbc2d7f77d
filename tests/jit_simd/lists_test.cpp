// Lists of numbers read, written and pushed to by compiled functions: every dtype, indices from either end and out of
// range, lists that are shared, and lists that are full.
#include "stdlib/tensor/equal.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/jit_simd/code_support.hpp"

namespace covec::tests {

namespace {

constexpr int64_t far = INT64_MAX, low = INT64_MIN;

class JitLists : public testing::Test {
 protected:
  // slot 0: the list; slot 1: an index; slot 8: a number
  enum class Access : uint8_t { length, read, write, push };
  std::unique_ptr<simd::Compiled> compiled(Dtype dtype, Access access) {
    CodeBuilder b;
    const bool reads = access == Access::read, counts = access == Access::length;
    const Register index = b.load(Dtype::i64, 1);
    const Register number = reads || counts ? b.reg(counts ? Dtype::i64 : dtype) : b.load(dtype, 8);
    switch (access) {
      case Access::length: b.add(instruction::ListLength{number, 0}); break;
      case Access::read: b.add(instruction::ListItem{number, 0, index, 17}); break;
      case Access::write: b.add(instruction::ListSet{0, index, number, 17}); break;
      case Access::push: b.add(instruction::ListPush{0, number, 17}); break;
    }
    if (reads || counts) b.store(8, number);
    return compile_code(b);
  }
  static Value number(Dtype dtype, int64_t k) {
    if (dtype == Dtype::boolean) return Value(k % 2 != 0);
    if (is_float(dtype)) return Value::number(dtype, static_cast<double>(k) / 3);
    return Value::number(dtype, dtype == Dtype::i64 ? k << 33 : -k);
  }
  static Value list(Dtype dtype, int64_t length) {
    std::vector<Value> items;
    for (int64_t k = 0; k < length; ++k) items.push_back(number(dtype, k));
    return make_list(std::move(items));
  }
  const Value& item(size_t k) { return runtime.slots[0].list().item(k); }

  Runtime runtime;
};

TEST_F(JitLists, Read) {
  for (Dtype dtype : all_dtypes) {
    const auto code = compiled(dtype, Access::read);
    runtime.slots[0] = list(dtype, 5);
    runtime.on_step = [](uint32_t) { return 6; };
    for (int64_t k = -5; k < 5; ++k) {
      runtime.slots[1] = k;
      ASSERT_EQ(runtime.run(*code), 0);
      ASSERT_TRUE(values_equal(runtime.slots[8], number(dtype, k < 0 ? k + 5 : k)));
    }
    for (const int64_t k : {low, low + 5, int64_t{-6}, int64_t{5}, far - 5, far}) {
      runtime.slots[1] = k;
      ASSERT_EQ(runtime.run(*code), 6) << k;
    }
  }
}

TEST_F(JitLists, Length) {
  const auto code = compiled(Dtype::f64, Access::length);
  for (const int64_t length : {0, 1, 2, 1000}) {
    runtime.slots[0] = list(Dtype::f64, length);
    ASSERT_EQ(runtime.run(*code), 0);
    ASSERT_EQ(runtime.slots[8].i64(), length);
  }
}

TEST_F(JitLists, Write) {
  for (Dtype dtype : all_dtypes) {
    const auto code = compiled(dtype, Access::write);
    runtime.slots[0] = list(dtype, 4);
    runtime.slots[8] = number(dtype, 9);
    runtime.slots[1] = int64_t{-3};
    runtime.steps.clear();
    ASSERT_EQ(runtime.run(*code), 0);
    ASSERT_TRUE(values_equal(item(1), number(dtype, 9)));
    const Value other = runtime.slots[0];  // shared: left to the step, like an index out of range
    ASSERT_EQ(runtime.run(*code), 0);
    ASSERT_EQ(runtime.steps, std::vector<uint32_t>{17});
    runtime.slots[0] = list(dtype, 4);
    runtime.slots[1] = int64_t{4};
    runtime.on_step = [](uint32_t) { return 6; };
    ASSERT_EQ(runtime.run(*code), 6);
    runtime.on_step = {};
  }
}

TEST_F(JitLists, Push) {
  for (Dtype dtype : all_dtypes) {
    const auto code = compiled(dtype, Access::push);
    const Value shared = list(dtype, 2);
    runtime.slots[0] = shared;
    runtime.steps.clear();
    runtime.on_step = [&](uint32_t) {
      Value& xs = runtime.slots[0];
      if (!xs.unique()) xs = make_list(xs.list().items());
      xs.list().reserve(4);
      return 0;
    };
    for (int64_t k = 2; k < 4; ++k) {
      runtime.slots[8] = number(dtype, k);
      ASSERT_EQ(runtime.run(*code), 0);
    }
    ASSERT_EQ(runtime.steps.size(), 1u);
    ASSERT_TRUE(values_equal(runtime.slots[0], list(dtype, 4)));
    ASSERT_TRUE(values_equal(shared, list(dtype, 2)));
    runtime.on_step = [](uint32_t) { return 6; };
    ASSERT_EQ(runtime.run(*code), 6);  // full
  }
}

}  // namespace

}  // namespace covec::tests
