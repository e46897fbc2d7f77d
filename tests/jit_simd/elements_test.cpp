// Elements of tensors read and written by compiled functions: every dtype and several ranks, negative indices, indices
// out of range, and tensors that may not be written in place.
#include "stdlib/tensor/tensor.hpp"
#include "tests/jit_simd/code_support.hpp"

namespace covec::tests {

namespace {

class JitElements : public testing::Test {
 protected:
  ~JitElements() override {
    runtime.slots.clear();
    pool->release();
  }
  // slot 0: x; slots 1…: indices; slot 8: the number read or to be written
  std::unique_ptr<simd::Compiled> reader(Dtype dtype, unsigned rank) {
    CodeBuilder b;
    std::vector<Register> indices;
    for (unsigned axis = 0; axis < rank; ++axis) indices.push_back(b.load(Dtype::i64, 1 + axis));
    b.store(8, b.element(dtype, 0, indices, 17));
    return compile_code(b);
  }
  std::unique_ptr<simd::Compiled> writer(Dtype dtype, unsigned rank) {
    CodeBuilder b;
    std::vector<Register> indices;
    for (unsigned axis = 0; axis < rank; ++axis) indices.push_back(b.load(Dtype::i64, 1 + axis));
    b.set_element(0, indices, b.load(dtype, 8), 18);
    return compile_code(b);
  }
  Value tensor(Dtype dtype, const Shape& shape) {
    Value x = make_tensor(*pool, dtype, shape);
    std::byte* data = x.tensor().data();
    for (int64_t k = 0; k < x.tensor().size() * static_cast<int64_t>(size_of(dtype)); ++k)
      data[k] = dtype == Dtype::boolean ? std::byte(k % 2) : std::byte(k * 37 + 11);
    return x;
  }
  Word word_at(const Value& x, std::vector<int64_t> index) {
    Word w = 0;
    std::memcpy(&w, x.tensor().at(index), size_of(x.tensor().dtype()));
    return w;
  }
  void set_indices(const std::vector<int64_t>& index) {
    for (size_t axis = 0; axis < index.size(); ++axis) runtime.slots[1 + axis] = index[axis];
  }

  Pool* pool = &*Pool::create();
  Runtime runtime;
};

TEST_F(JitElements, Read) {
  for (Dtype dtype : all_dtypes) {
    for (unsigned rank : {1u, 2u, 3u}) {
      const auto compiled = reader(dtype, rank);
      Shape shape;
      for (unsigned axis = 0; axis < rank; ++axis) shape.push_back(3 + 2 * axis);
      runtime.slots[0] = tensor(dtype, shape);
      std::vector<int64_t> index(rank, 0), from_front(rank, 0);
      for (int64_t i = -5; i < 5; ++i) {
        for (int64_t j = -7; j < 7; ++j) {
          bool inside = true;
          for (unsigned axis = 0; axis < rank; ++axis) {
            const int64_t extent = 3 + 2 * axis;
            index[axis] = axis == 1 ? j : i;
            from_front[axis] = index[axis] < 0 ? index[axis] + extent : index[axis];
            inside = inside && from_front[axis] >= 0 && from_front[axis] < extent;
          }
          set_indices(index);
          runtime.slots[8] = Value();
          runtime.steps.clear();
          runtime.on_step = [](uint32_t) { return 6; };
          ASSERT_EQ(runtime.run(*compiled), inside ? 0 : 6);
          ASSERT_EQ(runtime.steps, inside ? std::vector<uint32_t>{} : std::vector<uint32_t>{17});
          if (inside) {
            ASSERT_EQ(static_cast<Word>(runtime.slots[8].i64()), word_at(runtime.slots[0], from_front));
          }
        }
      }
    }
  }
}

TEST_F(JitElements, ExtremeIndices) {
  const auto compiled = reader(Dtype::f64, 1);
  runtime.slots[0] = tensor(Dtype::f64, {4});
  runtime.on_step = [](uint32_t) { return 6; };
  for (int64_t i : {INT64_MIN, INT64_MIN + 1, INT64_MIN + 4, int64_t{-5}, int64_t{4}, INT64_MAX - 3, INT64_MAX}) {
    runtime.slots[1] = i;
    EXPECT_EQ(runtime.run(*compiled), 6) << i;
  }
}

TEST_F(JitElements, ConstantIndices) {
  for (int64_t i : {-5, -4, -1, 0, 3, 4}) {
    CodeBuilder b;
    b.store(8, b.element(Dtype::i64, 0, {b.integer(i)}, 17));
    const auto compiled = compile_code(b);
    runtime.slots[0] = tensor(Dtype::i64, {4});
    runtime.on_step = [](uint32_t) { return 6; };
    const bool inside = i >= -4 && i < 4;
    EXPECT_EQ(runtime.run(*compiled), inside ? 0 : 6);
    if (inside) {
      EXPECT_EQ(static_cast<Word>(runtime.slots[8].i64()), word_at(runtime.slots[0], {(i + 4) % 4}));
    }
  }
}

TEST_F(JitElements, Strided) {
  const auto compiled = reader(Dtype::f32, 2);
  const Value base = tensor(Dtype::f32, {6, 8});
  const int64_t strides[2] = {1, 8};
  runtime.slots[0] = Tensor::view(base, const_cast<Value&>(base).tensor().data(), {8, 6}, strides);
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t j = 0; j < 6; ++j) {
      set_indices({i, j});
      ASSERT_EQ(runtime.run(*compiled), 0);
      ASSERT_EQ(static_cast<Word>(runtime.slots[8].i64()), word_at(base, {j, i}));
    }
  }
}

TEST_F(JitElements, Write) {
  for (Dtype dtype : all_dtypes) {
    for (int64_t extent : {4, 100}) {  // in the header, and in a storage of its own
      const auto compiled = writer(dtype, 2);
      runtime.slots[0] = tensor(dtype, {extent, 3});
      const Word number = dtype == Dtype::boolean ? 1 : 0x0123456789abcdef;
      Word low = 0;
      std::memcpy(&low, &number, size_of(dtype));
      runtime.slots[8] = Value::scalar(dtype, &number);
      const Word before = word_at(runtime.slots[0], {2, 0}), after = word_at(runtime.slots[0], {2, 2});
      set_indices({2, -2});
      runtime.steps.clear();
      runtime.on_step = nullptr;
      ASSERT_EQ(runtime.run(*compiled), 0);
      EXPECT_TRUE(runtime.steps.empty());
      EXPECT_EQ(word_at(runtime.slots[0], {2, 1}), low);
      EXPECT_EQ(word_at(runtime.slots[0], {2, 0}), before);
      EXPECT_EQ(word_at(runtime.slots[0], {2, 2}), after);
      set_indices({extent, 0});
      runtime.on_step = [](uint32_t) { return 6; };
      EXPECT_EQ(runtime.run(*compiled), 6);
      EXPECT_EQ(runtime.steps, std::vector<uint32_t>{18});
    }
  }
}

// What is shared goes to the step, which does all of it: nothing is written here.
TEST_F(JitElements, WriteToShared) {
  const auto compiled = writer(Dtype::f64, 1);
  runtime.slots[8] = 4.0;
  set_indices({1});
  const auto expect_step = [&](const char* what) {
    const Word before = word_at(runtime.slots[0], {1});
    runtime.steps.clear();
    EXPECT_EQ(runtime.run(*compiled), 0) << what;
    EXPECT_EQ(runtime.steps, std::vector<uint32_t>{18}) << what;
    EXPECT_EQ(word_at(runtime.slots[0], {1}), before) << what;
  };
  runtime.slots[0] = tensor(Dtype::f64, {4});
  {
    const Value other = runtime.slots[0];
    expect_step("counted twice");
  }
  runtime.slots[0] = tensor(Dtype::f64, {100});
  {
    const Value view = item_of(tensor(Dtype::f64, {2, 100}), 0);
    Value base = runtime.slots[0];
    const int64_t strides[1] = {1};
    runtime.slots[0] = Tensor::view(base, base.tensor().data(), {90}, strides);
    expect_step("a view of a storage that another has");
  }
  static double shared[4] = {1, 2, 3, 4};
  runtime.slots[0] = Tensor::share(
      *pool, Dtype::f64, {4}, shared, true, [](void*) {}, nullptr);
  expect_step("shared for reading");
  runtime.slots[0] = Tensor::share(
      *pool, Dtype::f64, {4}, shared, false, [](void*) {}, nullptr);
  runtime.steps.clear();
  EXPECT_EQ(runtime.run(*compiled), 0);
  EXPECT_TRUE(runtime.steps.empty());
  EXPECT_EQ(shared[1], 4.0);
}

}  // namespace

}  // namespace covec::tests
