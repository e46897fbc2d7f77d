// What the tests of calls, shapes, indices, makers and draws share: an eager engine over a pool that must end empty.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "stdlib/autodiff/eager.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::test {

using ops::IndexSpec;

class Engine : public ::testing::Test {
 protected:
  Engine() : builder(prepare()) {}
  ~Engine() override {
    EXPECT_EQ(pool.account().used, 0u) << "blocks were lost";
    pool.release();
  }
  ops::Context& prepare() {
    context.pool = &pool;
    context.isa = ops::detect_isa();
    context.threads = 2;
    return context;
  }

  template <class T>
  Value tensor(Dtype dtype, const std::vector<int64_t>& dims, const std::vector<T>& elements) {
    if (dims.empty()) return Value::scalar(dtype, elements.data());
    Value v = make_tensor(pool, dtype, Shape(dims.begin(), dims.size()));
    std::copy(elements.begin(), elements.end(), v.tensor().as<T>());
    return v;
  }
  Value f64(const std::vector<int64_t>& dims, const std::vector<double>& elements) {
    return tensor(Dtype::f64, dims, elements);
  }
  Value i64(const std::vector<int64_t>& dims, const std::vector<int64_t>& elements) {
    return tensor(Dtype::i64, dims, elements);
  }
  Value mask(const std::vector<int64_t>& dims, const std::vector<uint8_t>& elements) {
    Value v = make_tensor(pool, Dtype::boolean, Shape(dims.begin(), dims.size()));
    std::copy(elements.begin(), elements.end(), v.tensor().as<uint8_t>());
    return v;
  }
  Value count(const std::vector<int64_t>& dims, double first = 0, double step = 1) {
    std::vector<double> elements(
        static_cast<size_t>(std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>())));
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = first + step * static_cast<double>(i);
    return f64(dims, elements);
  }

  Value call(const ops::Entry& entry, std::vector<Value> args, std::vector<Value> rest = {}) {
    return ops::call(builder, entry, args, rest);
  }

  std::vector<double> numbers(const Value& v) {
    const Value dense = ops::call(builder, ops::cast_entry(Dtype::f64), {contiguous(pool, v)});
    if (dense.is_scalar()) return {dense.f64()};
    const double* first = contiguous(pool, dense).tensor().as<double>();
    return std::vector<double>(first, first + dense.tensor().size());
  }
  std::vector<int64_t> dims(const Value& v) {
    std::vector<int64_t> result;
    for (Dim dim : shape_of(v)) result.push_back(dim.number());
    return result;
  }

  template <class F>
  OpError error_of(const F& f) {
    try {
      f();
    } catch (const OpError& error) {
      return error;
    }
    return {};
  }

  Pool& pool = *Pool::create(uint64_t{1} << 31);
  ops::Context context;
  autodiff::EagerBuilder builder;
};

inline Value spec_of(std::initializer_list<IndexSpec::Item> items) {
  IndexSpec spec;
  for (IndexSpec::Item item : items) spec.push(item);
  return Value(spec.packed());
}
inline Value at(unsigned count = 1) {
  IndexSpec spec;
  for (unsigned i = 0; i < count; ++i) spec.push(IndexSpec::Item::at);
  return Value(spec.packed());
}

}  // namespace covec::test
