// Walking trees, matching records by name, equality.
#include <cmath>

#include "stdlib/tensor/equal.hpp"
#include "stdlib/tensor/print.hpp"
#include "values_support.hpp"

namespace covec {
namespace {

Value twice(const Value& v) { return v.is_scalar() ? Value(2 * v.f64()) : v; }

TEST(Trees, MapLeaves) {
  const Value tree = record({"w", "b"}, {1.0, make_tuple({2.0, make_list({3.0}), Value()})});
  EXPECT_EQ(text_of(map_leaves(tree, twice)), "{w: 2.0, b: (4.0, list(6.0), none)}");
  EXPECT_EQ(map_leaves(Value(4.0), twice).f64(), 8);
}

TEST(Trees, MatchRecordsByName) {
  const Value trees[] = {record({"a", "b"}, {1.0, 2.0}), record({"b", "a"}, {20.0, 10.0})};
  const Value sum = map_trees(trees, [](std::span<const Value> v) { return Value(v[0].f64() + v[1].f64()); });
  EXPECT_EQ(text_of(sum), "{a: 11.0, b: 22.0}");
  EXPECT_TRUE(same_structure(trees[0], trees[1]));
}

TEST(Trees, LeavesMeetAnything) {
  const Value trees[] = {make_tuple({1.0}), make_tuple({make_tuple({5.0, 6.0})})};
  const Value second = map_trees(trees, [](std::span<const Value> v) { return v[1]; });
  EXPECT_EQ(text_of(second), "((5.0, 6.0),)");
}

std::string mismatch_of(const Value& a, const Value& b) {
  EXPECT_FALSE(same_structure(a, b));
  return message_of([&] {
    const Value trees[] = {a, b};
    map_trees(trees, [](std::span<const Value> v) { return v[0]; });
  });
}

TEST(Trees, MismatchesSayWhere) {
  const Value pair = make_tuple({1.0, 2.0});
  EXPECT_EQ(mismatch_of(pair, make_tuple({1.0})), "the trees differ: a tuple of 2 meets a tuple of 1");
  EXPECT_EQ(mismatch_of(pair, make_list({1.0, 2.0})), "the trees differ: a tuple of 2 meets a list of 2");
  EXPECT_EQ(mismatch_of(record({"p"}, {make_tuple({pair})}), record({"p"}, {make_tuple({1.0})})),
            "the trees differ: at .p[0] a tuple of 2 meets f64");
  EXPECT_EQ(mismatch_of(record({"p"}, {1.0}), record({"q"}, {1.0})),
            "the trees differ: the second record has no field p");
  EXPECT_EQ(mismatch_of(make_tuple({}), make_tuple({1.0})), "the trees differ: a tuple of 0 meets a tuple of 1");
  EXPECT_EQ(mismatch_of(make_tuple({}), make_list({})), "the trees differ: a tuple of 0 meets a list of 0");
}

TEST(Trees, DepthIsLimited) {
  Value deep = 1.0, other = 1.0;
  for (int i = 0; i < 6000; ++i) deep = make_tuple({std::move(deep)});
  for (int i = 0; i < 6000; ++i) other = make_tuple({std::move(other)});
  const std::string expected = "a value nested more than 5000 deep";
  EXPECT_EQ(message_of([&] { map_leaves(deep, twice); }), expected);
  EXPECT_EQ(message_of([&] { each_leaf(deep, [](const Value&) {}); }), expected);
  EXPECT_LT(text_of(deep).size(), 100'000u) << "print leaves out what is too deep";
  EXPECT_EQ(message_of([&] { values_equal(deep, other); }), expected);
  EXPECT_EQ(message_of([&] { same_structure(deep, other); }), expected);
}

TEST_F(Values, Equality) {
  EXPECT_TRUE(values_equal(make_string("a"), make_string("a")));
  EXPECT_FALSE(values_equal(make_string("a"), make_string("b")));
  EXPECT_TRUE(values_equal(Value(), Value()));
  EXPECT_FALSE(values_equal(Value(), Value(false)));
  EXPECT_FALSE(values_equal(make_string("1"), Value(1.0)));
  EXPECT_TRUE(values_equal(Value(int64_t{1}), Value(1.0)));
  EXPECT_FALSE(values_equal(Value(NAN), Value(NAN)));
  EXPECT_FALSE(values_equal(Value(INT64_MAX), Value(INT64_MAX - 1)));
  EXPECT_TRUE(values_equal(record({"a", "b"}, {1.0, 2.0}), record({"b", "a"}, {2.0, 1.0})));
  EXPECT_FALSE(values_equal(make_tuple({1.0}), make_list({1.0})));
  EXPECT_FALSE(values_equal(make_tuple({1.0}), make_tuple({1.0, 2.0})));
  EXPECT_TRUE(values_equal(make_tuple({count(5)}), make_tuple({count(5)})));
  EXPECT_TRUE(values_equal(make_tuple({i64({2}, {0, 1})}), make_tuple({count(2)})));
  EXPECT_FALSE(values_equal(make_tuple({count(5)}), make_tuple({count(6)})));
  const Value not_equal_to_itself = make_tuple({Value(NAN)});
  EXPECT_FALSE(values_equal(not_equal_to_itself, not_equal_to_itself));
  EXPECT_TRUE(values_equal(make_range(0, 5, 2), make_range(0, 6, 2)));
  EXPECT_FALSE(values_equal(make_range(0, 5, 1), make_range(0, 6, 1)));
}

TEST(Ranges, CountWithoutOverflow) {
  const auto length = [](int64_t a, int64_t b, int64_t s) { return make_range(a, b, s).sequence().length(); };
  EXPECT_EQ(length(0, 10, 3), 4);
  EXPECT_EQ(length(10, 0, -3), 4);
  EXPECT_EQ(length(5, 5, 1), 0);
  EXPECT_EQ(length(5, 0, 1), 0);
  EXPECT_EQ(length(INT64_MIN, INT64_MAX, INT64_MAX), 3);
  EXPECT_EQ(length(INT64_MIN, INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(length(INT64_MAX, INT64_MIN, INT64_MIN), 2);
  EXPECT_EQ(static_cast<const Range&>(make_range(INT64_MIN, INT64_MAX, INT64_MAX).sequence()).number(2), INT64_MAX - 1);
}

}  // namespace
}  // namespace covec
