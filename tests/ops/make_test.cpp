// Makers and literals; and ops::call itself: defaults, flattening, what it costs.
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/create/create.hpp"

#include <chrono>

#include "stdlib/ops/shape/shape.hpp"
#include "tests/ops/structure_support.hpp"

namespace covec::test {

using MakeTest = Engine;

TEST_F(MakeTest, LiteralsPromote) {
  const auto type_of_literal = [&](std::vector<Value> items, uint64_t literals = 0) {
    return type_of(ops::make_literal(builder, items, literals)).text();
  };
  EXPECT_EQ(type_of_literal({Value(int64_t{1}), Value(int64_t{2})}), "i64[2]");
  EXPECT_EQ(type_of_literal({Value(1.0), Value(int64_t{2})}), "f64[2]");
  EXPECT_EQ(type_of_literal({Value(true), Value(false)}), "bool[2]");
  EXPECT_EQ(type_of_literal({Value(1.0f), Value(2.0)}), "f64[2]");
  EXPECT_EQ(type_of_literal({Value(1.0f), Value(2.0)}, 2), "f32[2]");
  EXPECT_EQ(type_of_literal({Value(int32_t{1}), Value(int64_t{2})}, 2), "i32[2]");
  EXPECT_EQ(type_of_literal({Value(int32_t{1}), Value(2.0)}, 2), "f64[2]");
  EXPECT_EQ(type_of_literal({count({3}), i64({3}, {1, 2, 3})}), "f64[2, 3]");
  EXPECT_EQ(type_of_literal({}), "f64[0]");
  EXPECT_EQ(type_of_literal({make_range(0, 3, 1), make_range(3, 6, 1)}), "i64[2, 3]");
}

TEST_F(MakeTest, LiteralsHoldTheirNumbers) {
  std::vector<Value> items = {Value(int64_t{1}), Value(2.5), Value(true)};
  EXPECT_EQ(numbers(ops::make_literal(builder, items)), (std::vector<double>{1, 2.5, 1}));
  std::vector<Value> rows = {count({2}), count({2}, 7)};
  EXPECT_EQ(numbers(ops::make_literal(builder, rows)), (std::vector<double>{0, 1, 7, 8}));
}

TEST_F(MakeTest, RaggedLiteralsNameTheRow) {
  const auto message_of = [&](std::vector<Value> items) {
    return error_of([&] { ops::make_literal(builder, items); }).message;
  };
  EXPECT_EQ(message_of({count({3}), count({3}), count({2})}),
            "ragged literal: row 2 has 2 elements, row 0 has 3 elements");
  EXPECT_EQ(message_of({count({3}), Value(1.0)}), "ragged literal: row 1 is a number, row 0 has 3 elements");
  EXPECT_EQ(message_of({count({1}), count({1, 2})}), "ragged literal: row 1 has shape [1, 2], row 0 has 1 element");
  EXPECT_EQ(message_of({Value(1.0), make_string("a")}), "a tensor holds numbers, got string");
}

TEST_F(MakeTest, GridsAreNumPys) {
  const auto points = [&](double a, double b, int64_t n) {
    return numbers(call(ops::linspace_entry(), {Value(a), Value(b), Value(n)}));
  };
  EXPECT_EQ(points(0, 1, 3), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(points(0, 0.3, 4), (std::vector<double>{0, 0.09999999999999999, 0.19999999999999998, 0.3}));
  EXPECT_EQ(points(1, 1, 3), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(points(5, 1, 1), (std::vector<double>{5}));
  const auto grid = [&](std::vector<Value> args) { return numbers(call(ops::arange_entry(), args)); };
  EXPECT_EQ(grid({Value(0.1), Value(0.5), Value(0.1)}), (std::vector<double>{0.1, 0.2, 0.30000000000000004, 0.4}));
  EXPECT_EQ(grid({Value(INT64_MAX - 1), Value(INT64_MIN), Value(INT64_MIN)}).size(), 2u);
  EXPECT_EQ(grid({Value(int64_t{3}), Value(int64_t{3})}).size(), 0u);
}

TEST_F(MakeTest, Messages) {
  const auto message_of = [&](const ops::Entry& entry, std::vector<Value> args, std::vector<Value> rest = {}) {
    return error_of([&] { call(entry, args, rest); }).message;
  };
  EXPECT_EQ(message_of(ops::arange_entry(), {Value(int64_t{1}), Value(int64_t{5}), Value(int64_t{0})}),
            "arange: the step cannot be 0");
  EXPECT_EQ(message_of(ops::arange_entry(), {Value(1e300)}), "arange: 1e+300 elements are too many");
  EXPECT_EQ(message_of(ops::arange_entry(), {Value(0.0 / 0.0)}), "arange: start must be a finite number");
  EXPECT_EQ(message_of(ops::arange_entry(), {make_string("a")}), "arange: start must be a number, got \"a\"");
  EXPECT_EQ(message_of(ops::linspace_entry(), {Value(0.0), Value(1.0), Value(int64_t{-1})}),
            "linspace: a size cannot be negative, got -1");
  EXPECT_EQ(message_of(ops::linspace_entry(), {count({2}), Value(1.0)}),
            "linspace: start must be a number, got f64[2]");
  EXPECT_EQ(message_of(ops::zeros_entry(), {}, {Value(int64_t{-1})}), "zeros: a size cannot be negative, got -1");
  EXPECT_EQ(message_of(ops::zeros_entry(), {}, {Value(int64_t{1} << 62)}).substr(0, 13), "out of memory");
  EXPECT_EQ(message_of(ops::zeros_entry(), {}, {Value(int64_t{1} << 40), Value(int64_t{1} << 40)}).substr(0, 13),
            "out of memory");
  EXPECT_EQ(message_of(ops::zeros_entry(), {Value(), Value(int64_t{1})}),
            "zeros: dtype must be one of bool, i32, i64, f16, bf16, f32, f64, i8, u8, u16, u32, i16, c64, c128, got 1");
  EXPECT_EQ(message_of(ops::tensor_entry(), {make_tuple({make_tuple({Value(1.0)}), make_tuple({})})}),
            "ragged literal: row 1 has 0 elements, row 0 has 1 element");
  EXPECT_EQ(message_of(ops::tensor_entry(), {make_string("a")}), "a tensor holds numbers, got string");
  EXPECT_EQ(message_of(ops::eye_entry(), {}), "eye needs the argument n");
}

TEST_F(MakeTest, CallsFillDefaultsAndFlattenTrees) {
  const Value parts = make_list({count({2}), make_tuple({count({1}), count({1}, 5)})});
  EXPECT_EQ(numbers(call(ops::concat_entry(), {parts})), (std::vector<double>{0, 1, 0, 5}));
  std::vector<Value> many(30, count({1}));
  EXPECT_EQ(dims(call(ops::concat_entry(), {make_tuple(many), Value(int64_t{0})})), (std::vector<int64_t>{30}));
  EXPECT_EQ(error_of([&] { call(ops::eye_entry(), std::vector<Value>(5, Value(int64_t{1}))); }).message,
            "eye takes 3 arguments, got 5");
}

TEST_F(MakeTest, LargeZerosAreZeros) {
  const Value x = ops::zeros(builder, {Dtype::f32, {Dim(1 << 20), Dim(3)}});
  const auto* numbers = x.tensor().as<float>();
  EXPECT_TRUE(std::all_of(numbers, numbers + x.tensor().size(), [](float n) { return n == 0; }));
}

}  // namespace covec::test
