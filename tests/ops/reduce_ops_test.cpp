// The operators over the reduction and product kernels: types, keepdims, errors with their labels, and batch rules
// whose examples must equal, bit for bit, the operator on each example alone.
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "tests/ops/structure_support.hpp"

namespace covec::test {
namespace {

using ops::Batching;
using ops::Call;
using ops::Entry;

class ReduceOps : public Engine {
 protected:
  Value reduce(const Entry& entry, Value x, Value axis = Value(), bool keepdims = false) {
    return call(entry, {std::move(x), std::move(axis), Value(keepdims)});
  }
  Value axes(std::vector<int64_t> numbers) { return make_tuple(std::vector<Value>(numbers.begin(), numbers.end())); }

  // Numbers whose sums depend on the order.
  Value rough(const std::vector<int64_t>& dims, int seed) {
    Value v = count(dims);
    if (v.is_scalar()) return Value(0.1 + seed);
    double* x = v.tensor().as<double>();
    uint64_t state = static_cast<uint64_t>(seed) * 7919 + 13;
    for (int64_t i = 0; i < v.tensor().size(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      x[i] = (static_cast<double>(state >> 40) / 65536 - 128) * ((state >> 33 & 7) == 0 ? 1e6 : 1);
    }
    return v;
  }
  Value stacked(const std::vector<Value>& examples) {
    const Shape one = shape_of(examples[0]);
    Shape shape = one;
    shape.insert(0, Dim(static_cast<int64_t>(examples.size())));
    Value all = make_tensor(pool, dtype_of(examples[0]), shape);
    const size_t bytes = static_cast<size_t>(one.elements()) * size_of(dtype_of(examples[0]));
    for (size_t e = 0; e < examples.size(); ++e)
      std::memcpy(all.tensor().data() + e * bytes, data_of(contiguous(pool, examples[e])), bytes);
    return all;
  }
  void expect_same(const Value& actual, const Value& expected) {
    ASSERT_EQ(type_of(actual).text(), type_of(expected).text());
    const Value a = contiguous(pool, actual), b = contiguous(pool, expected);
    const size_t bytes = static_cast<size_t>(shape_of(a).elements()) * size_of(dtype_of(a));
    EXPECT_EQ(std::memcmp(data_of(a), data_of(b), bytes), 0);
  }

  // The batch rule on stacked operands against a loop over examples.
  void check_batch(const Entry& entry, const std::vector<std::vector<Value>>& examples,
                   const std::vector<bool>& batched) {
    const size_t operands = examples[0].size();
    std::vector<Value> results, physical;
    for (const std::vector<Value>& args : examples) results.push_back(call(entry, args));
    auto flags = std::make_unique<bool[]>(operands);
    for (size_t i = 0; i < operands; ++i) {
      flags[i] = batched[i];
      std::vector<Value> column;
      for (const auto& args : examples) column.push_back(args[i]);
      physical.push_back(batched[i] ? stacked(column) : examples[0][i]);
    }
    Call batch_call{entry, physical, {}};
    const Value actual =
        entry.batch(builder, batch_call, Batching{{flags.get(), operands}, static_cast<int64_t>(examples.size())});
    expect_same(actual, stacked(results));
  }
};

TEST_F(ReduceOps, Types) {
  const Value x = count({2, 3, 4});
  EXPECT_EQ(type_of(reduce(ops::sum_entry(), x, axes({0, 2}))).text(), "f64[3]");
  EXPECT_EQ(type_of(reduce(ops::sum_entry(), x, axes({0, 2}), true)).text(), "f64[1, 3, 1]");
  EXPECT_EQ(type_of(reduce(ops::max_entry(), x, Value(int64_t{-1}))).text(), "f64[2, 3]");
  EXPECT_EQ(type_of(reduce(ops::argmax_entry(), x)).text(), "i64");
  EXPECT_EQ(type_of(reduce(ops::any_entry(), x, Value(), true)).text(), "bool[1, 1, 1]");
  EXPECT_EQ(type_of(reduce(ops::sum_entry(), Value(true))).text(), "i64");
  EXPECT_EQ(type_of(reduce(ops::sum_entry(), Value(int32_t{3}))).text(), "i64");
  EXPECT_EQ(type_of(reduce(ops::mean_entry(), Value(int64_t{3}))).text(), "f64");
  EXPECT_EQ(type_of(reduce(ops::mean_entry(), Value(2.0f))).text(), "f32");
  EXPECT_EQ(type_of(reduce(ops::sum_entry(), x, axes({}))).text(), "f64[2, 3, 4]");
}

TEST_F(ReduceOps, Errors) {
  OpError error = error_of([&] { reduce(ops::max_entry(), count({0, 3}), Value(int64_t{0})); });
  EXPECT_EQ(error.message, "max of an empty axis has no value");
  ASSERT_EQ(error.labels.size(), 1u);
  EXPECT_EQ(error.labels[0].text, "x is f64[0, 3]");
  EXPECT_EQ(type_of(reduce(ops::max_entry(), count({0, 3}), Value(int64_t{1}))).text(), "f64[0]");
  error = error_of([&] { reduce(ops::sum_entry(), count({2, 3}), axes({1, -1})); });
  EXPECT_EQ(error.message, "sum: axis -1 is given twice");
  error = error_of([&] { reduce(ops::sum_entry(), count({2, 3}), Value(int64_t{2})); });
  EXPECT_EQ(error.message, "sum: axis 2 is out of range for rank 2");
  error = error_of([&] { call(ops::matmul_entry(), {count({200, 3}), count({4, 1})}); });
  EXPECT_EQ(error.message, "cannot multiply f64[200, 3] @ f64[4, 1]: inner dimensions 3 and 4 differ");
  ASSERT_EQ(error.labels.size(), 2u);
  EXPECT_EQ(error.labels[1].argument, 1);
  EXPECT_EQ(error.labels[1].text, "b is f64[4, 1]");
  error = error_of([&] { call(ops::matmul_entry(), {count({2, 3, 4}), count({5, 4, 1})}); });
  EXPECT_EQ(error.message, "cannot multiply f64[2, 3, 4] @ f64[5, 4, 1]: batch dimensions 2 and 5 differ");
  error = error_of([&] { call(ops::matmul_entry(), {Value(2.0), count({5})}); });
  EXPECT_EQ(error.code, "matmul_rank");
  error = error_of([&] { call(ops::dot_entry(), {count({1, 1, 1}), count({1})}); });
  EXPECT_EQ(error.code, "dot_rank");
}

TEST_F(ReduceOps, ContractErrors) {
  const ops::ContractSpec spec{{{0, 1}, {1, 2}}, {0, 2}, {1}};
  std::vector<Value> factors{count({2, 3}), count({4, 2})};
  const OpError error = error_of([&] { ops::contract(builder, spec, factors); });
  EXPECT_EQ(error.message, "cannot sum this product: one index has extent 3 in f64[2, 3] and extent 4 in f64[4, 2]");
}

TEST_F(ReduceOps, BatchesOfReductionsAreLoops) {
  const std::vector<std::vector<int64_t>> shapes = {{}, {1}, {70}, {2100}, {3, 70}, {1100, 3}, {3, 1, 5}, {4, 3, 70}};
  for (const auto& shape : shapes) {
    std::vector<Value> sets{Value()};
    for (size_t i = 0; i < shape.size(); ++i) sets.push_back(Value(static_cast<int64_t>(i)));
    if (shape.size() == 3) sets.push_back(axes({0, 2}));
    for (const Value& axis : sets) {
      for (bool keepdims : {false, true}) {
        for (const Entry* entry : {&ops::sum_entry(), &ops::mean_entry(), &ops::prod_entry(), &ops::max_entry(),
                                   &ops::min_entry(), &ops::any_entry(), &ops::all_entry(), &ops::argmax_entry(),
                                   &ops::argmin_entry(), &ops::logsumexp_entry()}) {
          SCOPED_TRACE(std::string(entry->name) + " of " + ::testing::PrintToString(shape));
          std::vector<std::vector<Value>> examples;
          for (int e = 0; e < 5; ++e) examples.push_back({rough(shape, e), axis, Value(keepdims)});
          check_batch(*entry, examples, {true, false, false});
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(ReduceOps, BatchesOfProductsAreLoops) {
  struct Shapes {
    std::vector<int64_t> a, b;
  };
  const std::vector<Shapes> pairs = {{{2100}, {2100}},          {{4, 600}, {600}},      {{600}, {600, 4}},
                                     {{4, 600}, {600, 5}},      {{2, 4, 6}, {6}},       {{6}, {2, 6, 4}},
                                     {{2, 4, 6}, {6, 3}},       {{4, 6}, {2, 6, 3}},    {{2, 4, 6}, {2, 6, 3}},
                                     {{2, 1, 4, 6}, {3, 6, 2}}, {{1, 4, 6}, {2, 6, 3}}, {{3, 0}, {0, 2}}};
  for (const Shapes& shapes : pairs) {
    for (const auto& batched : std::vector<std::vector<bool>>{{true, true}, {true, false}, {false, true}}) {
      SCOPED_TRACE(::testing::PrintToString(shapes.a) + " @ " + ::testing::PrintToString(shapes.b) +
                   (batched[0] ? " batched" : " shared") + (batched[1] ? " batched" : " shared"));
      std::vector<std::vector<Value>> examples;
      for (int e = 0; e < 5; ++e)
        examples.push_back({rough(shapes.a, batched[0] ? e : 0), rough(shapes.b, batched[1] ? e + 20 : 20)});
      check_batch(ops::matmul_entry(), examples, batched);
      if (HasFailure()) return;
    }
  }
}

TEST_F(ReduceOps, ProductOfVectorsIsTheSumOfProducts) {
  const Value x = rough({5000}, 1), y = rough({5000}, 2);
  Value terms = count({5000});
  for (int64_t i = 0; i < 5000; ++i)
    terms.tensor().as<double>()[i] = x.tensor().as<double>()[i] * y.tensor().as<double>()[i];
  EXPECT_EQ(call(ops::matmul_entry(), {x, y}).f64(), reduce(ops::sum_entry(), terms).f64());
}

TEST_F(ReduceOps, ProductsPromote) {
  const Value i = i64({1, 2}, {1, 2}), f = tensor<float>(Dtype::f32, {2, 1}, {0.5f, 2}), b = mask({2, 1}, {1, 1});
  EXPECT_EQ(type_of(call(ops::matmul_entry(), {i, f})).text(), "f32[1, 1]");
  EXPECT_EQ(type_of(call(ops::matmul_entry(), {i, b})).text(), "i64[1, 1]");
  EXPECT_EQ(numbers(call(ops::matmul_entry(), {i, f}))[0], 4.5);
  EXPECT_EQ(type_of(call(ops::matmul_entry(), {mask({2}, {1, 1}), mask({2}, {1, 0})})).text(), "i64");
}

TEST_F(ReduceOps, ContractionOfABatchIsALoop) {
  const ops::ContractSpec spec{{{7}, {7}, {}}, {}, {7}};
  std::vector<Value> x, y, results;
  for (int e = 0; e < 3; ++e) {
    x.push_back(rough({900}, e));
    y.push_back(rough({900}, e + 5));
    std::vector<Value> factors{x.back(), y.back(), Value(0.3)};
    results.push_back(ops::contract(builder, spec, factors));
  }
  std::vector<Value> physical{stacked(x), stacked(y), Value(0.3)};
  std::vector<Value> args{spec.value(), Value()};
  Call batch_call{ops::contract_entry(), args, physical};
  const bool batched[] = {false, false, true, true, false};
  expect_same(ops::contract_entry().batch(builder, batch_call, Batching{batched, 3}), stacked(results));
}

// Axes of examples cost nothing, so the first two factors come first, and their product has an axis more than a tensor
// can have; the axes are such that no two of them are one run.
TEST_F(ReduceOps, PairsMayHaveMoreAxesThanTensors) {
  ops::ContractSpec spec;
  std::vector<int64_t> left, right;
  for (int64_t i = 0; i < 16; ++i) spec.output.push_back(i);
  for (int64_t i = 0; i < 6; ++i) {
    left.insert(left.end(), {i, 6 + i});
    right.insert(right.end(), {5 - i, 11 + i});
  }
  left.back() = right.back() = 16;
  spec.factors = {left, right, {16}};
  spec.reduced = {16};
  spec.examples = spec.output;
  const auto small_numbers = [&](unsigned axes, int64_t seed) {  // sums of these have no error in any order
    Value value = count(std::vector<int64_t>(axes, 2));
    for (int64_t i = 0; i < value.tensor().size(); ++i)
      value.tensor().as<double>()[i] = static_cast<double>((i * 7 + seed) % 5 - 2);
    return value;
  };
  std::vector<Value> results;
  for (bool by_pairs : {false, true}) {
    spec.by_pairs = by_pairs;
    std::vector<Value> factors{small_numbers(12, 1), small_numbers(12, 3), small_numbers(1, 2)};
    results.push_back(ops::contract(builder, spec, factors));
  }
  expect_same(results[0], results[1]);
}

TEST_F(ReduceOps, MaskOfExtremesMarksTheFirst) {
  const Value x = f64({2, 3}, {1, 5, 5, 7, 7, 0});
  EXPECT_EQ(numbers(call(ops::extreme_mask_entry(), {x, axes({1}), Value(false)})),
            (std::vector<double>{0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(numbers(call(ops::extreme_mask_entry(), {x, axes({0, 1}), Value(false)})),
            (std::vector<double>{0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(numbers(call(ops::extreme_mask_entry(), {x, axes({0}), Value(true)})),
            (std::vector<double>{1, 1, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace covec::test
