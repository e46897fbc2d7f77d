// The general builtins, called as functions of the language would call them.
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/eager.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/tensor/equal.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/callable.hpp"
#include "values_support.hpp"

namespace covec {
namespace {

using ops::Entry;

struct Page final : ops::Output {
  std::string text, bar;
  int bars = 0;
  void write(std::string_view t) override { text += t; }
  void warn(std::string_view) override {}
  void progress(std::string_view t) override {
    bar = t;
    ++bars;
  }
};

class General : public Values {
 protected:
  General() {
    context.pool = &pool;
    context.output = &page;
    context.interrupt = &interrupt;
  }

  Value call(const Entry& entry, std::vector<Value> args, std::vector<std::string_view> keywords = {}) {
    return ops::function_of(entry).function().call(builder, args, keywords);
  }
  std::string text(const Entry& entry, std::vector<Value> args, std::vector<std::string_view> keywords = {}) {
    return text_of(call(entry, std::move(args), std::move(keywords)));
  }
  std::string error(const Entry& entry, std::vector<Value> args, std::vector<std::string_view> keywords = {}) {
    return message_of([&] { call(entry, args, keywords); });
  }

  Page page;
  std::atomic<bool> interrupt = false;
  ops::Context context;
  autodiff::EagerBuilder builder{context};
};

Value number(int64_t n) { return n; }

TEST_F(General, Print) {
  call(ops::print_entry(), {number(1), make_string("a"), 2.5, Value()});
  EXPECT_EQ(page.text, "1 a 2.5 none\n");
  page.text.clear();
  call(ops::print_entry(), {number(1), number(2), make_string(", "), make_string("!")}, {"sep", "end"});
  EXPECT_EQ(page.text, "1, 2!");
  page.text.clear();
  call(ops::print_entry(), {f64({2}, {1.0 / 3, 1}), number(17)}, {"digits"});
  EXPECT_EQ(page.text, "[0.3333333333333333, 1.0]\n");
  page.text.clear();
  call(ops::print_entry(), {});
  EXPECT_EQ(page.text, "\n");
  EXPECT_EQ(error(ops::print_entry(), {number(1), number(0)}, {"digits"}), "digits must lie between 1 and 17, got 0");
  EXPECT_NE(error(ops::print_entry(), {number(1), number(0)}, {"sep"}), "");
}

TEST_F(General, Text) {
  EXPECT_EQ(text(ops::format_entry(), {3.14159, make_string(".2f")}), "3.14");
  EXPECT_EQ(text(ops::format_entry(), {3.5}), "3.5");
  EXPECT_EQ(text(ops::str_entry(), {make_tuple({number(1), true})}), "(1, true)");
  EXPECT_EQ(text(ops::type_of_entry(), {f64({2}, {1, 2})}), "f64[2]");
  EXPECT_EQ(text(ops::type_of_entry(), {make_list({})}), "list");
  EXPECT_EQ(error(ops::error_entry(), {make_string("no {} good")}), "no {} good");
}

TEST_F(General, Len) {
  EXPECT_EQ(text(ops::len_entry(), {f64({2, 0}, {})}), "2");
  EXPECT_EQ(text(ops::len_entry(), {make_string("naïve")}), "5");
  EXPECT_EQ(text(ops::len_entry(), {make_range(0, 10, 3)}), "4");
  EXPECT_EQ(text(ops::len_entry(), {record({"a", "b"}, {1.0, 2.0})}), "2");
  EXPECT_EQ(error(ops::len_entry(), {1.0}), "f64 has no length");
  EXPECT_EQ(error(ops::len_entry(), {Value()}), "none has no length");
}

TEST_F(General, Range) {
  EXPECT_EQ(text(ops::range_entry(), {number(3)}), "range(0, 3)");
  EXPECT_EQ(text(ops::range_entry(), {number(1), number(9), number(2)}), "range(1, 9, 2)");
  EXPECT_EQ(text(ops::range_entry(), {int32_t{5}, number(1), number(-1)}), "range(5, 1, -1)");
  EXPECT_EQ(error(ops::range_entry(), {number(1), number(9), number(0)}), "range: the step cannot be 0");
  EXPECT_NE(error(ops::range_entry(), {1.5}), "");
  EXPECT_NE(error(ops::range_entry(), {}), "");
}

std::string items_of(ops::Builder& builder, const Value& sequence) {
  std::string out;
  for (int64_t i = 0; i < sequence.sequence().length(); ++i) out += text_of(sequence.sequence().at(builder, i)) + " ";
  return out;
}

TEST_F(General, EnumerateAndZip) {
  const Value xs = i64({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(items_of(builder, call(ops::enumerate_entry(), {xs})), "(0, [1, 2]) (1, [3, 4]) ");
  EXPECT_EQ(items_of(builder, call(ops::enumerate_entry(), {make_tuple({Value()}), number(5)}, {"start"})),
            "(5, none) ");
  EXPECT_EQ(items_of(builder, call(ops::zip_entry(), {xs, make_list({1.5, 2.5, 3.5}), make_range(7, 100, 1)})),
            "([1, 2], 1.5, 7) ([3, 4], 2.5, 8) ");
  EXPECT_EQ(items_of(builder, call(ops::zip_entry(), {})), "");
  EXPECT_EQ(error(ops::zip_entry(), {xs, 1.0}), "zip needs something to iterate over, got f64");
  EXPECT_EQ(error(ops::enumerate_entry(), {Value()}), "enumerate needs something to iterate over, got none");
}

TEST_F(General, NestedSequencesAreDestroyedWithoutRecursion) {
  Value v = make_range(0, 1, 1);
  for (int i = 0; i < 200'000; ++i) v = call(ops::zip_entry(), {std::move(v)});
}

TEST_F(General, ProgressDrawsNowAndThen) {
  const Value bar = call(ops::progress_entry(), {make_range(0, 4, 1), make_string("training")});
  const Sequence& steps = bar.sequence();
  EXPECT_EQ(steps.length(), 4);
  steps.step(0);
  steps.step(1);
  EXPECT_EQ(page.bars, 0) << "too soon";
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  steps.step(2);
  steps.step(3);
  EXPECT_EQ(page.bars, 1);
  EXPECT_EQ(page.bar.substr(0, 43), "training   50% [##########          ] 2/4  ") << page.bar;
  steps.step(4);
  EXPECT_EQ(page.bar.substr(0, 42), "training  100% [####################] 4/4 ");
  EXPECT_TRUE(context.bars->empty());
}

TEST_F(General, ProgressShowsRateAndWhatIsLeft) {
  const Value bar = call(ops::progress_entry(), {make_range(0, 4, 1)});
  bar.sequence().step(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  bar.sequence().step(1);
  const testing::Matcher<std::string> shown =
      testing::MatchesRegex(R"( 25% \[#{5} {15}\] 1/4  [0-9]\.?[0-9]*/s  0\.[0-9] s, 0\.[0-9] s left)");
  EXPECT_TRUE(shown.Matches(page.bar)) << page.bar;
}

TEST_F(General, ProgressInsideProgressStandsBelow) {
  const Value outer = call(ops::progress_entry(), {make_range(0, 2, 1), make_string("outer")});
  outer.sequence().step(0);
  {
    const Value inner = call(ops::progress_entry(), {make_range(0, 2, 1), make_string("inner")});
    inner.sequence().step(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    inner.sequence().step(1);
    EXPECT_TRUE(page.bar.starts_with("inner   50%")) << page.bar;
    outer.sequence().step(1);
    EXPECT_TRUE(page.bar.starts_with("outer   50%")) << page.bar;
    EXPECT_EQ(page.bar.find("inner"), std::string::npos) << "it is over when the outer one goes on";
    inner.sequence().step(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    inner.sequence().step(1);
    const size_t end = page.bar.find('\n');
    ASSERT_NE(end, std::string::npos) << page.bar;
    EXPECT_TRUE(page.bar.starts_with("outer   50%") && page.bar.substr(end + 1).starts_with("inner   50%")) << page.bar;
    EXPECT_EQ(context.bars->size(), 2u);
  }  // left early, by `break`
  EXPECT_EQ(context.bars->size(), 1u);
}

TEST_F(General, ProgressOfAPartMovesTheInnermostBar) {
  call(ops::progress_part_entry(), {Value(0.5)});  // there is none
  const Value outer = call(ops::progress_entry(), {make_range(0, 4, 1), make_string("outer")});
  outer.sequence().step(0);
  const Value whole = call(ops::progress_entry(), {make_range(0, 1, 1), make_string("whole")});
  whole.sequence().step(0);
  call(ops::progress_part_entry(), {Value(0.1)});
  EXPECT_EQ(page.bars, 0) << "too soon";
  const auto shows = [&](Value share) {
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    call(ops::progress_part_entry(), {std::move(share)});
    return page.bar;
  };
  const testing::Matcher<std::string> part =
      testing::MatchesRegex(R"(whole   25% \[#{5} {15}\] 0\.[0-9] s, 0\.[0-9] s left)");
  EXPECT_TRUE(part.Matches(shows(Value(0.25)))) << page.bar;
  EXPECT_TRUE(shows(Value(7.0)).starts_with("whole  100% [####################] ")) << page.bar;
  EXPECT_TRUE(shows(Value(std::numeric_limits<double>::quiet_NaN())).starts_with("whole    0% [     ")) << page.bar;
  whole.sequence().step(1);
  EXPECT_TRUE(page.bar.starts_with("whole  100% [####################] ")) << page.bar;
  outer.sequence().step(1);
  EXPECT_TRUE(shows(Value(int64_t{1})).starts_with("outer   50% [##########          ] 1/4  ")) << page.bar;
  EXPECT_EQ(error(ops::progress_part_entry(), {make_string("half")}),
            "progress_part: share must be a number, got \"half\"");
}

TEST_F(General, PushCopiesOnlyWhenShared) {
  Value xs = call(ops::list_entry(), {number(1)});
  xs = call(ops::push_entry(), [&] {
    std::vector<Value> a(2);
    a[0] = std::move(xs);
    a[1] = number(2);
    return a;
  }());
  EXPECT_EQ(text_of(xs), "list(1, 2)");
  const Value ys = call(ops::push_entry(), {xs, number(3)});
  EXPECT_EQ(text_of(xs), "list(1, 2)");
  EXPECT_EQ(text_of(ys), "list(1, 2, 3)");
  EXPECT_NE(error(ops::push_entry(), {make_tuple({}), number(3)}), "");
}

TEST_F(General, PushInALoopIsLinear) {
  Value args[2] = {make_list({}), Value()};
  const Object* list = args[0].object();
  for (int64_t i = 0; i < 100'000; ++i) {
    args[1] = i;
    Value longer = ops::call(builder, ops::push_entry(), args);
    args[0] = std::move(longer);
  }
  EXPECT_EQ(args[0].object(), list) << "the list was copied";
  EXPECT_EQ(args[0].list().items().size(), 100'000u);
}

TEST_F(General, Records) {
  const Value r = record({"w", "b"}, {1.0, 2.0});
  EXPECT_EQ(text(ops::keys_entry(), {r}), "list(\"w\", \"b\")");
  EXPECT_EQ(text(ops::has_entry(), {r, make_string("b")}), "true");
  EXPECT_EQ(text(ops::has_entry(), {r, make_string("x")}), "false");
  EXPECT_NE(error(ops::has_entry(), {make_tuple({}), make_string("b")}), "");
  EXPECT_NE(error(ops::keys_entry(), {1.0}), "");
}

TEST_F(General, TreeMapCallsItsFunction) {
  const Value tree = record({"a", "b"}, {1.0, make_tuple({2.0})});
  EXPECT_EQ(text(ops::tree_map_entry(), {ops::function_of(ops::type_of_entry()), tree}), "{a: \"f64\", b: (\"f64\",)}");
  EXPECT_EQ(text(ops::tree_map_entry(), {ops::function_of(ops::list_entry()), tree, tree}),
            "{a: list(1.0, 1.0), b: (list(2.0, 2.0),)}");
  EXPECT_EQ(text(ops::tree_leaves_entry(), {tree}), "list(1.0, 2.0)");
  EXPECT_NE(error(ops::tree_map_entry(), {ops::function_of(ops::type_of_entry())}), "");
  EXPECT_NE(error(ops::tree_map_entry(), {1.0, tree}), "");
  EXPECT_EQ(error(ops::tree_map_entry(), {ops::function_of(ops::list_entry()), tree, make_tuple({})}),
            "the trees differ: a record of 2 meets a tuple of 0");
}

TEST_F(General, BuiltinsAsValues) {
  const Value f = ops::function_of(ops::range_entry());
  EXPECT_EQ(text_of(f), "<fn range>");
  EXPECT_EQ(f.function().signature(), "range(start, stop=none, step=1)");
  EXPECT_EQ(ops::function_of(ops::tree_map_entry()).function().signature(), "tree_map(f, trees…)");
  EXPECT_TRUE(values_equal(f, ops::function_of(ops::range_entry())));
  EXPECT_FALSE(values_equal(f, ops::function_of(ops::len_entry())));
  EXPECT_EQ(text(ops::range_entry(), {number(9), number(1)}, {"stop", "start"}), "range(1, 9)");
  EXPECT_EQ(error(ops::range_entry(), {number(9), number(1)}, {"start"}), "range got its argument start twice");
  EXPECT_EQ(error(ops::range_entry(), {number(9), number(1)}, {"bogus"}), "range has no parameter bogus");
  EXPECT_EQ(error(ops::len_entry(), {number(9), number(1)}), "len takes 1 arguments, got 2");
}

TEST_F(General, ConstantsAreNumbers) {
  for (const Entry* entry : ops::general_family()) {
    if (!entry->constant) continue;
    EXPECT_TRUE(entry->parameters.empty());
    const double value = call(*entry, {}).f64();
    EXPECT_TRUE(value == *entry->constant || (std::isnan(value) && std::isnan(*entry->constant))) << entry->name;
  }
}

TEST_F(General, SleepEndsOnInterrupt) {
  interrupt = true;
  EXPECT_EQ(error(ops::sleep_entry(), {60.0}), "interrupted");
  interrupt = false;
  EXPECT_EQ(error(ops::sleep_entry(), {0.001}), "");
  EXPECT_NE(error(ops::sleep_entry(), {-1.0}), "");
  EXPECT_NE(error(ops::sleep_entry(), {Value(NAN)}), "");
  EXPECT_GT(call(ops::time_entry(), {}).f64(), 1.6e9);
}

TEST_F(General, PrintsOfABatchAreItsExamples) {
  const Value result = autodiff::over_range(builder, 10, 1, 3, "the test", [&](const Value& index) {
    call(ops::print_entry(), {make_string("at"), index, make_tuple({index, 1.5})});
    call(ops::print_entry(), {make_string("-")});
    return index;
  });
  EXPECT_EQ(page.text, "at 10 (10, 1.5)\nat 11 (11, 1.5)\nat 12 (12, 1.5)\n-\n-\n-\n");
  EXPECT_EQ(text_of(result), "[10, 11, 12]");
}

TEST_F(General, TextOfABatchRunsItsExamplesOneByOne) {
  autodiff::over_range(builder, 0, 1, 3, "the test", [&](const Value& index) {
    call(ops::print_entry(), {make_string("at"), index});
    call(ops::print_entry(), {call(ops::format_entry(), {index, make_string("03d")})});
    return index;
  });
  EXPECT_EQ(page.text, "at 0\nat 1\nat 2\n000\n001\n002\n");
}

TEST_F(General, TracedItemsAreReadWhenAskedFor) {
  const Value rows = i64({2, 2}, {1, 2, 3, 4});
  ops::Context& open = builder.context();
  autodiff::over_examples(builder, 2, true, "the test", [&](uint64_t level, const Value& example) {
    if (!example.is_none()) return Value(1.0);
    const Value batch = autodiff::make_batch(level, rows);
    EXPECT_EQ(text(ops::len_entry(), {batch}), "2");
    const Value pairs = call(ops::enumerate_entry(), {batch});
    call(ops::print_entry(), {pairs.sequence().at(builder, 1)});
    return Value(1.0);
  });
  EXPECT_EQ(page.text, "(1, 2)\n(1, 4)\n");
  EXPECT_TRUE(open.batches.empty());
}

TEST_F(General, EveryEntryIsDocumented) {
  for (const Entry* entry : ops::general_family()) {
    EXPECT_FALSE(entry->doc.empty()) << entry->name;
    EXPECT_NE(entry->eager, nullptr) << entry->name;
  }
}

// Entries are shared by sessions on several threads, and counts of objects are not atomic.
TEST_F(General, NoEntryHoldsACountedObject) {
  for (const ops::Entry* entry : ops::all_entries()) {
    for (const ops::Parameter& parameter : entry->parameters) {
      EXPECT_FALSE(parameter.fallback.is_object()) << entry->name << " " << parameter.name;
    }
  }
}

}  // namespace
}  // namespace covec
