// Reads and updates against NumPy's stored answers; sharing and writing in place; messages.
#include "stdlib/ops/index/index.hpp"

#include "stdlib/ops/shape/shape.hpp"
#include "tests/ops/index_support.hpp"

namespace covec::test {

using IndexTest = IndexEngine;
using Item = IndexSpec::Item;

TEST_F(IndexTest, ReadsAndWritesAreNumPys) {
  const auto cases = index_cases();
  ASSERT_GE(cases.size(), 200u);
  for (const IndexCase& one : cases) {
    SCOPED_TRACE(one.line);
    const Index index = parse(one.items);
    const Value x = count(one.dims), read = call(ops::index_read_entry(), {x, index.spec.packed()}, index.items);
    EXPECT_EQ(dims(read), one.read_dims);
    EXPECT_EQ(numbers(read), one.read);
    const Value value = count(one.read_dims, -1, -1);
    EXPECT_EQ(numbers(call(ops::index_update_entry(), {x, value, index.spec.packed()}, index.items)), one.written);
    EXPECT_EQ(numbers(call(ops::index_add_entry(), {x, value, index.spec.packed()}, index.items)), one.added);
    EXPECT_EQ(numbers(x), numbers(count(one.dims)));
  }
}

// The same through strided operands: x and the value as views of larger tensors.
TEST_F(IndexTest, StridedOperandsGiveTheSame) {
  for (const IndexCase& one : index_cases()) {
    SCOPED_TRACE(one.line);
    const Index index = parse(one.items);
    const Value x = call(ops::transpose_entry(), {contiguous(pool, call(ops::transpose_entry(), {count(one.dims)}))});
    EXPECT_EQ(numbers(call(ops::index_read_entry(), {x, index.spec.packed()}, index.items)), one.read);
    const Value value =
        call(ops::transpose_entry(), {contiguous(pool, call(ops::transpose_entry(), {count(one.read_dims, -1, -1)}))});
    EXPECT_EQ(numbers(call(ops::index_update_entry(), {x, value, index.spec.packed()}, index.items)), one.written);
    EXPECT_EQ(numbers(call(ops::index_add_entry(), {x, value, index.spec.packed()}, index.items)), one.added);
  }
}

TEST_F(IndexTest, TypeRulesAgreeWithReads) {
  for (const IndexCase& one : index_cases()) {
    SCOPED_TRACE(one.line);
    Index index = parse(one.items);
    Value args[] = {count(one.dims), Value(index.spec.packed())};
    const ops::Call made{ops::index_read_entry(), args, index.items};
    EXPECT_EQ(ops::index_read_entry().type(builder, made).shape, Shape(one.read_dims.begin(), one.read_dims.size()));
  }
}

TEST_F(IndexTest, ScalarsCanBeIndexed) {
  EXPECT_EQ(numbers(call(ops::index_read_entry(), {Value(3.5), spec_of({Item::newaxis})})), (std::vector<double>{3.5}));
  EXPECT_EQ(numbers(call(ops::index_read_entry(), {Value(3.5), spec_of({Item::ellipsis})})),
            (std::vector<double>{3.5}));
  EXPECT_EQ(dims(call(ops::index_read_entry(), {Value(3.5), at()}, {Value(false)})), (std::vector<int64_t>{0}));
  EXPECT_EQ(numbers(call(ops::index_update_entry(), {Value(3.5), Value(2.0), at()}, {Value(true)})),
            (std::vector<double>{2}));
  EXPECT_EQ(numbers(call(ops::index_add_entry(), {Value(3.5), Value(2.0), spec_of({Item::ellipsis})})),
            (std::vector<double>{5.5}));
}

TEST_F(IndexTest, AnUnsharedTensorIsWrittenInPlace) {
  std::vector<Value> args = {count({1000}), Value(7.0), at()};
  const void* before = args[0].tensor().data();
  for (int64_t i = 0; i < 1000; ++i) {
    std::vector<Value> items = {Value(i)};
    args[0] = ops::call(builder, ops::index_update_entry(), args, items);
    args[1] = Value(7.0);
    args[2] = at();
  }
  EXPECT_EQ(args[0].tensor().data(), before);
  EXPECT_EQ(numbers(args[0]), std::vector<double>(1000, 7.0));
}

TEST_F(IndexTest, ASharedTensorIsCopiedFirst) {
  const Value a = count({100});
  std::vector<Value> args = {a, Value(9.0), at()}, items = {Value(int64_t{0})};
  const Value b = ops::call(builder, ops::index_update_entry(), args, items);
  EXPECT_EQ(a.tensor().as<double>()[0], 0.0);
  EXPECT_EQ(b.tensor().as<double>()[0], 9.0);
}

// x[1:] = x[:-1] and x[1:] += x[:-1]: the right side is the old x.
TEST_F(IndexTest, OverlappingViewsReadTheOldValues) {
  for (const bool adds : {false, true}) {
    Value x = count({200});
    IndexSpec head, tail;
    head.push(Item::slice, false, true);
    tail.push(Item::slice, true, false);
    const Value view = call(ops::index_read_entry(), {x, head.packed()}, {Value(int64_t{-1})});
    EXPECT_EQ(view.tensor().data(), x.tensor().data()) << "a large slice is a view";
    std::vector<Value> args = {std::move(x), view, tail.packed()}, items = {Value(int64_t{1})};
    x = ops::call(builder, adds ? ops::index_add_entry() : ops::index_update_entry(), args, items);
    for (int64_t i = 1; i < 200; ++i) {
      const double old = static_cast<double>(i - 1);
      EXPECT_EQ(x.tensor().as<double>()[i], adds ? 2 * old + 1 : old);
    }
  }
}

TEST_F(IndexTest, AnUpdateThatFailsLeavesItsOperand) {
  std::vector<Value> args = {count({100}), Value(1.0), at()}, items = {Value(int64_t{100})};
  EXPECT_EQ(error_of([&] { ops::call(builder, ops::index_update_entry(), args, items); }).code, "index_range");
  EXPECT_EQ(numbers(args[0]), numbers(count({100})));
}

TEST_F(IndexTest, ValuesBroadcastAndAreCast) {
  const auto rows = [&](Value value) {
    return numbers(call(ops::index_update_entry(), {count({2, 2}), value, spec_of({Item::ellipsis})}));
  };
  EXPECT_EQ(rows(f64({2}, {8, 9})), (std::vector<double>{8, 9, 8, 9}));
  EXPECT_EQ(rows(f64({2, 1}, {8, 9})), (std::vector<double>{8, 8, 9, 9}));
  EXPECT_EQ(rows(f64({1, 1, 2}, {8, 9})), (std::vector<double>{8, 9, 8, 9}));
  EXPECT_EQ(rows(Value(int64_t{3})), (std::vector<double>{3, 3, 3, 3}));
  const Value written = call(ops::index_update_entry(), {i64({2}, {1, 2}), Value(true), at()}, {Value(int64_t{1})});
  EXPECT_EQ(type_of(written).text(), "i64[2]");
  const Value single = tensor<float>(Dtype::f32, {2}, {1, 2});
  EXPECT_EQ(type_of(call(ops::index_add_entry(), {single, Value(0.5), at()}, {Value(int64_t{1})})).text(), "f32[2]");
}

TEST_F(IndexTest, IntegersWrapWhenAdded) {
  const Value x = i64({1}, {INT64_MAX});
  const Value sum = call(ops::index_add_entry(), {x, Value(int64_t{1}), at()}, {Value(int64_t{0})});
  EXPECT_EQ(sum.tensor().as<int64_t>()[0], INT64_MIN);
}

TEST_F(IndexTest, TheLastOfRepeatedPlaces) {
  const Value x = count({5});
  const Value last = call(ops::index_last_entry(), {x, at()}, {i64({5}, {1, 3, 1, -2, 0})});
  EXPECT_EQ(numbers(last), (std::vector<double>{0, 0, 1, 1, 1}));
}

struct Mistake {
  std::vector<std::string> items;
  std::string message;
};

TEST_F(IndexTest, Messages) {
  const Mistake mistakes[] = {
      {{"7", "0"}, "index 7 is out of range for axis 0 of size 5"},
      {{"0", "-4"}, "index -4 is out of range for axis 1 of size 3"},
      {{"i(3)0,9,8"}, "index 9 is out of range for axis 0 of size 5"},
      {{"i(3)0,9,8", "0"}, "index 9 is out of range for axis 0 of size 5"},
      {{"i(3)0,9,1", "i(3)7,0,0"}, "index 7 is out of range for axis 1 of size 3"},
      {{"0", "0", "0"}, "too many indices: 3 for f64[5, 3] of rank 2"},
      {{"...", "0", "..."}, "an index may have only one ..."},
      {{"1:2:0"}, "the step of a slice cannot be 0"},
      {{"m(3)1,1,1"}, "a mask of shape [3] cannot select here: axis 0 has size 5"},
      {{"m(5,2)1,1,1,1,1,1,1,1,1,1"}, "a mask of shape [5, 2] cannot select here: axis 1 has size 3"},
      {{"i(2)0,1", "i(3)0,1,2"}, "the index tensors do not broadcast: [2] and [3]"},
      {{"newaxis", "i(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)0"},
       "the result of this index would have rank 17: the limit is 16"},
  };
  for (const Mistake& mistake : mistakes) {
    const Index index = parse(mistake.items);
    const Value x = count({5, 3});
    EXPECT_EQ(error_of([&] {
                call(ops::index_read_entry(), {x, index.spec.packed()}, index.items);
              }).message,
              mistake.message);
    EXPECT_EQ(error_of([&] {
                call(ops::index_add_entry(), {x, Value(1.0), index.spec.packed()}, index.items);
              }).message,
              mistake.message);
  }
}

TEST_F(IndexTest, MessagesOfKindsAndValues) {
  const auto message_of = [&](std::vector<Value> args, Value item) {
    return error_of([&] { call(args.size() == 2 ? ops::index_read_entry() : ops::index_update_entry(), args, {item}); })
        .message;
  };
  const Value x = count({5, 3});
  EXPECT_EQ(message_of({x, at()}, Value(1.5)),
            "an index must be an integer, a slice, a tensor of integers or a mask, got f64");
  EXPECT_EQ(message_of({x, at()}, f64({2}, {0, 1})),
            "an index must be an integer, a slice, a tensor of integers or a mask, got f64[2]");
  EXPECT_EQ(message_of({x, at()}, make_string("a")),
            "an index must be an integer, a slice, a tensor of integers or a mask, got string");
  IndexSpec slice;
  slice.push(Item::slice, true);
  EXPECT_EQ(message_of({x, slice.packed()}, Value(1.0)), "the bounds of a slice must be integers, got f64");
  EXPECT_EQ(message_of({x, f64({2}, {1, 2}), at()}, Value(int64_t{0})),
            "cannot assign f64[2] to a selection of shape [3]");
  EXPECT_EQ(message_of({i64({2}, {1, 2}), Value(1.5), at()}, Value(int64_t{0})), "cannot store f64 in a tensor of i64");
}

TEST_F(IndexTest, LabelsNameTheOperand) {
  const OpError error = error_of([&] {
    call(ops::index_read_entry(), {count({5, 3}), at(2)}, {Value(int64_t{0}), Value(int64_t{3})});
  });
  ASSERT_EQ(error.labels.size(), 1u);
  EXPECT_EQ(error.labels[0].argument, 3);
}

TEST_F(IndexTest, RangesAreIndices) {
  EXPECT_EQ(numbers(call(ops::index_read_entry(), {count({5}), at()}, {make_range(4, 0, -2)})),
            (std::vector<double>{4, 2}));
}

}  // namespace covec::test
