// Shape operators: results, views (no copies where strides suffice), messages. The values of samples are checked by
// entries_test.
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"

#include "stdlib/ops/shape/compose.hpp"
#include "tests/ops/structure_support.hpp"

namespace covec::test {

using ShapeTest = Engine;

std::vector<Value> integers(std::initializer_list<int64_t> numbers) {
  std::vector<Value> result;
  for (int64_t number : numbers) result.emplace_back(number);
  return result;
}

TEST_F(ShapeTest, ReshapeInfersOneSize) {
  const Value x = count({4, 6});
  EXPECT_EQ(dims(call(ops::reshape_entry(), {x}, integers({3, -1}))), (std::vector<int64_t>{3, 8}));
  EXPECT_EQ(dims(call(ops::reshape_entry(), {x}, {make_tuple(integers({-1}))})), (std::vector<int64_t>{24}));
  EXPECT_EQ(dims(call(ops::reshape_entry(), {count({0, 3})}, integers({3, -1}))), (std::vector<int64_t>{3, 0}));
  EXPECT_EQ(call(ops::reshape_entry(), {count({1, 1}, 5), make_tuple({})}).f64(), 5.0);
}

TEST_F(ShapeTest, ViewsShareTheirElements) {
  const Value x = count({40, 60});
  const void* elements = x.tensor().data();
  EXPECT_EQ(call(ops::reshape_entry(), {x}, integers({60, 40})).tensor().data(), elements);
  EXPECT_EQ(call(ops::transpose_entry(), {x}).tensor().data(), elements);
  EXPECT_EQ(call(ops::unsqueeze_entry(), {x, Value(int64_t{0})}).tensor().data(), elements);
  EXPECT_EQ(call(ops::broadcast_to_entry(), {x}, integers({7, 40, 60})).tensor().data(), elements);
  EXPECT_EQ(call(ops::flip_entry(), {x}).tensor().data(),
            static_cast<const std::byte*>(elements) + 2399 * sizeof(double));
}

TEST_F(ShapeTest, ViewsOfViewsAreRight) {
  const Value x = count({3, 4, 5});
  const Value permuted = call(ops::permute_entry(), {x}, integers({2, 0, 1}));
  EXPECT_EQ(dims(permuted), (std::vector<int64_t>{5, 3, 4}));
  const Value flipped = call(ops::flip_entry(), {permuted, Value(int64_t{1})});
  const Value flat = call(ops::reshape_entry(), {flipped}, integers({-1}));
  std::vector<double> wanted;
  for (int k = 0; k < 5; ++k) {
    for (int i = 2; i >= 0; --i) {
      for (int j = 0; j < 4; ++j) wanted.push_back(i * 20 + j * 5 + k);
    }
  }
  EXPECT_EQ(numbers(flat), wanted);
}

TEST_F(ShapeTest, WritingToAViewLeavesTheRest) {
  Value x = count({100});
  Value y = call(ops::reshape_entry(), {x}, integers({10, 10}));
  writable(y, pool).as<double>()[0] = 9;
  EXPECT_EQ(x.tensor().as<double>()[0], 0.0);
}

TEST_F(ShapeTest, ConcatAndStackPromote) {
  const Value whole = i64({1}, {1}), single = tensor<float>(Dtype::f32, {1}, {2.5f});
  EXPECT_EQ(type_of(call(ops::concat_entry(), {make_tuple({whole, single})})).text(), "f32[2]");
  EXPECT_EQ(type_of(call(ops::stack_entry(), {make_tuple({whole, f64({1}, {2})}), Value(int64_t{1})})).text(),
            "f64[1, 2]");
  EXPECT_EQ(type_of(call(ops::stack_entry(), {make_list({Value(1.5f), Value(int64_t{2})})})).text(), "f32[2]");
}

TEST_F(ShapeTest, WidenIsTheTransposeOfNarrow) {
  const Value x = count({3, 4});
  const Value part = ops::narrow(builder, x, 1, 1, 2);
  EXPECT_EQ(numbers(part), (std::vector<double>{1, 2, 5, 6, 9, 10}));
  const Value wide = call(ops::widen_entry(), {part, Value(int64_t{1}), Value(int64_t{1}), Value(int64_t{4})});
  EXPECT_EQ(numbers(wide), (std::vector<double>{0, 1, 2, 0, 0, 5, 6, 0, 0, 9, 10, 0}));
}

TEST_F(ShapeTest, SumToUndoesBroadcasting) {
  const Value x = count({2, 3, 4});
  EXPECT_EQ(numbers(call(ops::sum_to_entry(), {x}, integers({3, 1}))), (std::vector<double>{60, 92, 124}));
  EXPECT_EQ(call(ops::sum_to_entry(), {x, make_tuple({})}).f64(), 276.0);
  EXPECT_EQ(dims(call(ops::sum_to_entry(), {count({0, 3})}, integers({1, 3}))), (std::vector<int64_t>{1, 3}));
}

TEST_F(ShapeTest, ManyPartsOfASplit) {
  const Value parts = call(ops::split_entry(), {count({40}), Value(int64_t{20})});
  ASSERT_EQ(parts.tuple().items.size(), 20u);
  EXPECT_EQ(numbers(parts.tuple().items[19]), (std::vector<double>{38, 39}));
  std::vector<Value> places;
  for (int64_t i = 1; i < 40; ++i) places.emplace_back(i);
  EXPECT_EQ(call(ops::split_entry(), {count({40}), make_tuple(places)}).tuple().items.size(), 40u);
}

TEST_F(ShapeTest, Messages) {
  const auto message_of = [&](const ops::Entry& entry, std::vector<Value> args, std::vector<Value> rest = {}) {
    return error_of([&] { call(entry, args, rest); }).message;
  };
  const Value x = count({2, 3});
  EXPECT_EQ(message_of(ops::reshape_entry(), {x}, integers({4, 2})),
            "cannot reshape f64[2, 3] into [4, 2]: the numbers of elements differ, 6 and 8");
  EXPECT_EQ(message_of(ops::reshape_entry(), {x}, integers({-1, -1})),
            "cannot reshape f64[2, 3]: at most one size may be -1");
  EXPECT_EQ(message_of(ops::reshape_entry(), {x}, integers({4, -1})),
            "cannot reshape f64[2, 3] into [4, -1]: 6 elements do not divide evenly");
  EXPECT_EQ(message_of(ops::reshape_entry(), {x}, integers({-2, 3})), "reshape: a size cannot be negative, got -2");
  EXPECT_EQ(message_of(ops::reshape_entry(), {x}), "reshape needs the argument shape");
  EXPECT_EQ(message_of(ops::reshape_entry(), {x}, {Value(1.5)}),
            "reshape: shape must be an integer or a tuple of integers, got 1.5");
  EXPECT_EQ(message_of(ops::transpose_entry(), {x}, integers({0, 0})),
            "transpose: the axes must be a permutation of 0 to 1, got (0, 0)");
  EXPECT_EQ(message_of(ops::transpose_entry(), {x}, integers({0, 2})), "transpose: axis 2 is out of range for rank 2");
  EXPECT_EQ(message_of(ops::squeeze_entry(), {x, Value(int64_t{1})}),
            "cannot squeeze axis 1 of f64[2, 3]: its size is 3, not 1");
  EXPECT_EQ(message_of(ops::flip_entry(), {x, make_tuple(integers({0, -2}))}), "flip: axis -2 is given twice");
  EXPECT_EQ(message_of(ops::broadcast_to_entry(), {x}, integers({3, 3})),
            "cannot broadcast f64[2, 3] to [3, 3]: sizes 2 and 3 differ on axis 0");
  EXPECT_EQ(message_of(ops::broadcast_to_entry(), {x}, integers({3})),
            "cannot broadcast f64[2, 3] to [3]: rank 2 is more than 1");
  EXPECT_EQ(message_of(ops::sum_to_entry(), {x}, integers({2, 2})),
            "cannot sum f64[2, 3] to [2, 2]: it does not broadcast to that shape");
  EXPECT_EQ(message_of(ops::concat_entry(), {make_tuple({x, count({3, 2})})}),
            "cannot concat along axis 0: sizes 3 and 2 differ on axis 1");
  EXPECT_EQ(message_of(ops::concat_entry(), {make_tuple({x, count({3})})}),
            "cannot concat f64[2, 3] and f64[3]: their ranks differ");
  EXPECT_EQ(message_of(ops::concat_entry(), {make_tuple({Value(1.0)})}),
            "cannot concat numbers: they have no axis; use stack to make one");
  EXPECT_EQ(message_of(ops::concat_entry(), {make_tuple({})}), "concat needs at least one tensor");
  EXPECT_EQ(message_of(ops::concat_entry(), {x}), "concat needs a tuple or list of tensors, got f64[2, 3]");
  EXPECT_EQ(message_of(ops::stack_entry(), {make_tuple({x, count({3})})}),
            "cannot stack f64[2, 3] and f64[3]: their shapes differ");
  EXPECT_EQ(message_of(ops::stack_entry(), {make_tuple({x, make_string("a")})}),
            "stack needs a tensor of numbers, got a string");
  EXPECT_EQ(message_of(ops::split_entry(), {x, Value(int64_t{4})}), "cannot split 2 elements into 4 equal parts");
  EXPECT_EQ(message_of(ops::split_entry(), {x, make_tuple(integers({2, 1}))}),
            "cannot split 2 elements at 1: the positions must ascend from 0 to the size");
  EXPECT_EQ(message_of(ops::tile_entry(), {x}, integers({-1})), "tile: a count cannot be negative, got -1");
  EXPECT_EQ(message_of(ops::tile_entry(), {x}, integers({1L << 40, 1L << 40})).substr(0, 13), "out of memory");
  EXPECT_EQ(message_of(ops::transpose_entry(), {make_string("a")}),
            "transpose needs a tensor of numbers, got a string");
  EXPECT_EQ(message_of(ops::unsqueeze_entry(), {count(std::vector<int64_t>(16, 1)), Value(int64_t{0})}),
            "a tensor of rank 17 is not supported: the limit is 16");
}

}  // namespace covec::test
