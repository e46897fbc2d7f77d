// Walking trees, matching records by name, equality.
#include <cmath>

#include "stdlib/tensor/equal.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/walk.hpp"
#include "values_support.hpp"

namespace covec {
namespace {

Value twice(const Value& v) { return v.is_scalar() ? Value(2 * v.f64()) : v; }

TEST(Trees, MapLeaves) {
  const Value tree = record({"w", "b"}, {1.0, make_tuple({2.0, make_list({3.0}), Value()})});
  EXPECT_EQ(text_of(map_leaves(tree, twice)), "{w: 2.0, b: (4.0, list(6.0), none)}");
  EXPECT_EQ(map_leaves(Value(4.0), twice).f64(), 8);
}

// A function with captures: one of the language's, one known by a key, or one that is like no other.
struct Capturing final : Callable {
  Capturing(CallableKind kind, std::string k, std::vector<Value> c)
      : Callable(kind), key(std::move(k)), captured(std::move(c)) {}
  Value call(ops::Builder&, std::span<Value>, std::span<const std::string_view>) override { return Value(); }
  std::string name() const override { return "f"; }
  std::vector<std::string_view> parameter_names() const override { return {}; }
  std::vector<Value> captures() const override { return captured; }
  Value with_captures(std::vector<Value> values) const override {
    return Value::adopt(new Capturing(callable_kind, key, std::move(values)));
  }
  std::string staging_key() const override { return key; }
  std::string key;
  std::vector<Value> captured;
};
Value capturing(CallableKind kind, std::string key, std::vector<Value> captured) {
  return Value::adopt(new Capturing(kind, std::move(key), std::move(captured)));
}

// What the walk says, in a line.
struct Diary {
  bool leaf(const Value& value) {
    text += text_of(value) + " ";
    return text_of(value) != stop;
  }
  bool whole(const Value& value) {
    text += "'" + describe(value) + "' ";
    return true;
  }
  bool parts(const Value& value, size_t count) {
    text += describe(value) + std::to_string(count) + " ";
    return true;
  }
  std::string text, stop;
};

Value of_everything() {
  return make_tuple({1.0, record({"z", "a"}, {make_list({2.0, Value()}), 3.0}), make_string("s"),
                     capturing(CallableKind::closure, "", {4.0, make_tuple({5.0, 6.0})}),
                     capturing(CallableKind::transformed, "grad", {7.0}),
                     capturing(CallableKind::transformed, "", {8.0}), make_range(0, 9, 1), 10.0});
}

TEST(Trees, TheWalkHasOneOrder) {
  const Value tree = of_everything();
  Diary diary;
  EXPECT_TRUE(walk(tree, diary));
  EXPECT_EQ(diary.text,
            "tuple8 1.0 record2 list2 2.0 'none' 3.0 'string' function2 4.0 tuple2 5.0 6.0 function1 7.0 'function' "
            "range2 0 9 10.0 ");
  Diary ended;
  ended.stop = "3.0";
  EXPECT_FALSE(walk(tree, ended));
  EXPECT_EQ(ended.text, "tuple8 1.0 record2 list2 2.0 'none' 3.0 ");
}

// Leaves are numbered by one walk and found again by another.
TEST(Trees, WalksAgreeInTheirOrder) {
  std::vector<std::string> met;
  int64_t number = 0;
  const Value numbered = map_walk(of_everything(), [&](const Value& leaf) {
    met.push_back(text_of(leaf));
    return Value(number++);
  });
  EXPECT_EQ(met, (std::vector<std::string>{"1.0", "2.0", "3.0", "4.0", "5.0", "6.0", "7.0", "0", "9", "10.0"}));
  Diary diary;
  walk(numbered, diary);
  EXPECT_EQ(diary.text,
            "tuple8 0 record2 list2 1 'none' 2 'string' function2 3 tuple2 4 5 function1 6 'function' range2 7 8 9 ");
  // Of trees alone the other walks meet the same leaves, whatever the kinds.
  const Value tree = make_tuple({0.0, record({"z", "a"}, {make_list({1.0, 2.0}), 3.0}), make_tuple({}), 4.0});
  std::vector<double> each, mapped, parallel;
  each_leaf(tree, [&](const Value& leaf) { each.push_back(leaf.f64()); });
  map_leaves(tree, [&](const Value& leaf) { return mapped.push_back(leaf.f64()), leaf; });
  const Value trees[] = {tree, tree};
  map_trees(trees, [&](std::span<const Value> leaves) { return parallel.push_back(leaves[1].f64()), leaves[1]; });
  EXPECT_EQ(each, (std::vector<double>{0, 1, 2, 3, 4}));
  EXPECT_EQ(mapped, each);
  EXPECT_EQ(parallel, each);
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
  const std::string expected = "a value is nested more than 5000 levels deep";
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
  EXPECT_EQ(length(0, INT64_MAX, 1), INT64_MAX);
  EXPECT_THROW(length(INT64_MIN, INT64_MAX, 1), OpError);
  EXPECT_THROW(length(-1, INT64_MAX, 1), OpError);
  EXPECT_EQ(length(INT64_MAX, INT64_MIN, INT64_MIN), 2);
  EXPECT_EQ(static_cast<const Range&>(make_range(INT64_MIN, INT64_MAX, INT64_MAX).sequence()).number(2), INT64_MAX - 1);
}

}  // namespace
}  // namespace covec
