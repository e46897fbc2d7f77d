// What the tests of values share: a pool for each test that must end empty, and tensors from literals.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <vector>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

class Values : public ::testing::Test {
 protected:
  ~Values() override {
    EXPECT_EQ(pool.account().used, 0u) << "blocks were lost";
    pool.release();
  }

  template <class T>
  Value tensor(Dtype dtype, const Shape& shape, const std::vector<T>& elements) {
    Value v = make_tensor(pool, dtype, shape);
    if (!elements.empty()) std::memcpy(v.tensor().data(), elements.data(), elements.size() * sizeof(T));
    return v;
  }
  Value f64(const Shape& shape, const std::vector<double>& elements) { return tensor(Dtype::f64, shape, elements); }
  Value f32(const Shape& shape, const std::vector<float>& elements) { return tensor(Dtype::f32, shape, elements); }
  Value i64(const Shape& shape, const std::vector<int64_t>& elements) { return tensor(Dtype::i64, shape, elements); }
  Value count(int64_t n) {
    Value v = make_tensor(pool, Dtype::f64, Shape{n});
    for (int64_t i = 0; i < n; ++i) v.tensor().as<double>()[i] = static_cast<double>(i);
    return v;
  }

  Pool& pool = *Pool::create(uint64_t{1} << 30);
};

inline Value record(std::vector<std::string> names, std::vector<Value> items) {
  return make_record(std::make_shared<const RecordLayout>(RecordLayout{std::move(names)}), std::move(items));
}

// The message of the error that `f` raises; "" when it raises none.
template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const OpError& error) {
    return error.message;
  }
  return "";
}

}  // namespace covec
