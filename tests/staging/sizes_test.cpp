// What is decided or checked only when the run knows the sizes: cotangents that fit, lengths of ranges and sequences,
// numbers of examples.
#include "frontend/source/diagnostic.hpp"
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/forward.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/ops/derivatives/vmap.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/sequences.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/value/callable.hpp"
#include "tests/staging/staging_support.hpp"

namespace covec::test {

namespace {

class StagedSizes : public ::testing::Test {
 protected:
  Value at(const char* text) { return language.evaluate(text); }
  ops::Builder& eager() { return language.builder(); }
  Language language;
};

Value fitted(ops::Builder& b, std::span<Value> given) {
  ops::RuleContext rules(b, false);
  return autodiff::sum_into(rules, given[0], logical_type(given[1]));
}

constexpr const char* pairs[][2] = {
    // equal, repeated, summed; axes of size 1 on either side, and missing ones
    {"[[1.0, 2, 3], [4, 5, 6]]", "zeros(2, 3)"},
    {"[[1.0, 2, 3]]", "zeros(2, 3)"},
    {"[[1.0], [2]]", "zeros(2, 3)"},
    {"[[1.0, 2, 3], [4, 5, 6]]", "zeros(1, 3)"},
    {"[[1.0, 2, 3], [4, 5, 6]]", "zeros(2, 1)"},
    {"[[1.0, 2, 3], [4, 5, 6]]", "zeros(1, 1)"},
    {"[[1.0, 2, 3], [4, 5, 6]]", "zeros(3)"},
    {"[[1.0, 2, 3], [4, 5, 6]]", "zeros(1)"},
    {"[[1.0, 2, 3], [4, 5, 6]]", "0.0"},
    {"2.5", "zeros(2, 3)"},
    {"[1.0, 2, 3]", "zeros(2, 3)"},
    {"[[1.0, 2, 3]]", "zeros(3)"},
    {"[[[1.0], [2]]]", "zeros(2, 1)"},
    {"zeros(0, 3)", "zeros(3)"},
    {"zeros(1, 3)", "zeros(0, 3)"},
};

}  // namespace

TEST_F(StagedSizes, CotangentsFit) {
  for (const auto& [x, like] : pairs) {
    SCOPED_TRACE(std::string(x) + " into " + like);
    const std::vector<Value> operands = {at(x), at(like)};
    EXPECT_TRUE(check_staged(language, fitted, operands));
    const Value only_x = autodiff::make_vmap(wrap(fitted), make_tuple({Value(int64_t{0}), Value()}));
    const auto over = [&](ops::Builder& b, std::span<Value> given) { return only_x.function().call(b, given, {}); };
    EXPECT_TRUE(check_staged(language, over, {stacked(eager(), operands[0]), operands[1]}));
    const Value twice = autodiff::make_vmap(only_x, make_tuple({Value(int64_t{0}), Value()}));
    const auto over_twice = [&](ops::Builder& b, std::span<Value> given) {
      return twice.function().call(b, given, {});
    };
    EXPECT_TRUE(check_staged(language, over_twice, {stacked(eager(), stacked(eager(), operands[0])), operands[1]}));
    const auto gradient = [&](ops::Builder& b, std::span<Value> given) {
      const Value like_given = given[1];
      const Value f = wrap([&](ops::Builder& inner, std::span<Value> x_alone) {
        Value both[] = {x_alone[0], like_given};
        return fitted(inner, both);
      });
      return gradient_of(f, {like_given})(b, given.first(1));
    };
    EXPECT_TRUE(check_staged(language, gradient, {operands[0], direction(eager(), operands[1])}));
    count_case("fits", 4);
  }
}

// Of ranges whose least number is known and not negative: others may have more numbers than i64 can count.
TEST_F(StagedSizes, RangesCount) {
  int64_t start = 0;
  const auto length = [&start](ops::Builder& b, std::span<Value> given) {
    Value range[] = {Value(start), given[0], Value(int64_t{3})};
    Value backwards[] = {given[0], Value(start), Value(int64_t{-2})};
    Value plain[] = {given[0]};
    const auto counted = [&](std::span<Value> args) {
      Value made[] = {ops::call(b, ops::range_entry(), args)};
      return ops::call(b, ops::len_entry(), made);
    };
    return make_tuple({counted(range), counted(backwards), counted(plain)});
  };
  for (start = 0; start < 4; start += 2) {
    for (int64_t stop = -4; stop < 9; ++stop) EXPECT_TRUE(check_staged(language, length, {stop}));
  }
  start = -3;
  EXPECT_FALSE(check_staged(language, length, {int64_t{5}}));
}

TEST_F(StagedSizes, ComprehensionsGoOverRanges) {
  const auto map = [](ops::Builder& b, std::span<Value> given) {
    Value args[] = {Value(int64_t{1}), given[1], Value(int64_t{2})};
    const Value range = ops::call(b, ops::range_entry(), args);
    const Value x = given[0];
    const auto body = [&](const Value& index) { return ops::RuleContext(b, true).mul(x, index); };
    if (const auto* plain = dynamic_cast<const Range*>(&range.sequence()))
      return autodiff::over_range(b, plain->start, plain->stride, plain->length(), "test", body);
    return autodiff::over_range(b, dynamic_cast<const SymbolicRange&>(range.sequence()), "test", body);
  };
  EXPECT_TRUE(check_staged(language, map, {at("[1.0, 2]"), at("8")}));
  EXPECT_TRUE(check_staged(language, map, {at("[1.0, 2]"), at("1")}));
  const auto known = [](ops::Builder& b, std::span<Value> given) {
    return autodiff::over_range(b, 5, -1, 4, "test",
                                [&](const Value& index) { return ops::RuleContext(b, true).mul(given[0], index); });
  };
  EXPECT_TRUE(check_staged(language, known, {at("[1.0, 2]")}));
}

TEST_F(StagedSizes, SequencesKeepTheirParts) {
  Recorder recorder(eager().context());
  const Value x = recorder.input(Dtype::f64, 2), start = recorder.input(Dtype::i64, 0);
  const Value pairs = ops::call(recorder, ops::enumerate_entry(), {x, start});
  const auto& enumerated = dynamic_cast<const ops::Enumerated&>(pairs.sequence());
  EXPECT_EQ(enumerated.items.object(), x.object());
  EXPECT_EQ(enumerated.start.object(), start.object());
  Value parts[] = {x, make_range(0, 3, 1)};
  Value none[] = {Value()};
  const Value zipped = ops::call(recorder, ops::zip_entry(), none, parts);
  EXPECT_EQ(dynamic_cast<const ops::Zipped&>(zipped.sequence()).items[0].object(), x.object());
  try {
    zipped.sequence().length();
    ADD_FAILURE() << "a length that nobody knows";
  } catch (const OpError& error) {
    EXPECT_EQ(error.code, "not_staged");
  }
}

TEST_F(StagedSizes, NumbersOfExamplesMustAgree) {
  const Value f = autodiff::make_vmap(
      wrap([](ops::Builder& b, std::span<Value> given) { return ops::RuleContext(b, true).mul(given[0], given[1]); }),
      int64_t{0});
  std::vector<Value> operands = {at("[1.0, 2]"), at("[3.0]")};
  std::string wanted;
  try {
    std::vector<Value> copies = operands;
    f.function().call(eager(), copies, {});
  } catch (const OpError& error) {
    wanted = error.message;
  }
  EXPECT_FALSE(wanted.empty());
  Recorder recorder(eager().context());
  std::vector<Value> symbols = {recorder.input(Dtype::f64, 1), recorder.input(Dtype::f64, 1)};
  const Value result = f.function().call(recorder, symbols, {});
  try {
    recorder.run(result, operands);
    ADD_FAILURE() << "two numbers of examples";
  } catch (const OpError& error) {
    EXPECT_EQ(error.code, "vmap_sizes");
    EXPECT_EQ(error.message, wanted);
    EXPECT_EQ(error.labels.size(), 2u);
  }
}

TEST_F(StagedSizes, RowsMustBeAlike) {
  const auto literal = [](ops::Builder& b, std::span<Value> given) {
    std::vector<Value> rows(given.begin(), given.end());
    return ops::make_literal(b, rows);
  };
  EXPECT_TRUE(check_staged(language, literal, {at("[1.0, 2]"), at("[3.0, 4]"), at("[5, 6]")}));
  std::vector<Value> operands = {at("[1.0, 2]"), at("[3.0]")};
  OpError wanted, got;
  try {
    std::vector<Value> copies = operands;
    literal(eager(), copies);
  } catch (const OpError& error) {
    wanted = error;
  }
  Recorder recorder(eager().context());
  std::vector<Value> symbols = recorder.inputs_like(make_tuple(operands)).tuple().items;
  const Value result = literal(recorder, symbols);
  try {
    recorder.run(result, operands);
  } catch (const OpError& error) {
    got = error;
  }
  EXPECT_EQ(wanted.code, "ragged");
  EXPECT_EQ(got.message, wanted.message);
  ASSERT_EQ(got.labels.size(), 2u);
  EXPECT_EQ(got.labels[0].text, wanted.labels[0].text);
}

TEST_F(StagedSizes, TangentsMustHaveTheirShape) {
  const Value f =
      wrap([](ops::Builder& b, std::span<Value> given) { return ops::RuleContext(b, true).mul(given[0], given[0]); });
  std::vector<Value> operands = {at("[1.0, 2]"), at("[3.0]")};
  std::string wanted;
  try {
    autodiff::jvp(eager(), f, operands[0], operands[1]);
  } catch (const OpError& error) {
    wanted = error.message;
  }
  EXPECT_FALSE(wanted.empty());
  Recorder recorder(eager().context());
  const Value x = recorder.input(Dtype::f64, 1), tangent = recorder.input(Dtype::f64, 1);
  const Value result = autodiff::jvp(recorder, f, x, tangent);
  try {
    recorder.run(result, operands);
    ADD_FAILURE() << "a tangent of another shape";
  } catch (const OpError& error) {
    EXPECT_EQ(error.message, wanted);
  }
}

// Sums of products: with an index that occurs twice, one that is summed, and one that broadcasts.
TEST_F(StagedSizes, ContractionsAreDifferentiated) {
  const std::pair<ops::ContractSpec, std::vector<const char*>> cases[] = {
      {{{{0, 2}, {2, 1}}, {0, 1}, {2}}, {"[[1.0, 2], [3, 4], [5, 6]]", "[[1.0, 0.5], [2, 3]]"}},
      {{{{0, 0}}, {0}, {}}, {"[[1.0, 2], [3, 4]]"}},
      {{{{0, 0}, {0, 1}}, {1}, {0}}, {"[[1.0, 2], [3, 4]]", "[[1.0, 0.5], [2, 3]]"}},
      {{{{0, 1}, {0, 1}}, {0, 1}, {}}, {"[[1.0, 2]]", "[[1.0, 0.5], [2, 3]]"}},
      {{{{0}, {1}, {0, 1}}, {}, {0, 1}}, {"[1.0, 2]", "[1.0, 0.5]", "[[1.0, 0.5], [2, 3]]"}},
  };
  for (const auto& [spec, texts] : cases) {
    std::vector<Value> operands;
    for (const char* text : texts) operands.push_back(at(text));
    const Function f = [&spec = spec](ops::Builder& b, std::span<Value> given) {
      std::vector<Value> factors(given.begin(), given.end());
      return ops::contract(b, spec, factors);
    };
    EXPECT_TRUE(check_staged(language, f, operands));
    std::vector<Value> copies = operands;
    const Value seed = direction(eager(), f(eager(), copies));
    EXPECT_TRUE(check_staged(language, gradient_of(wrap(f), {seed}), operands));
    std::vector<Value> examples;
    for (const Value& operand : operands) examples.push_back(stacked(eager(), operand));
    const Value mapped = autodiff::make_vmap(wrap(gradient_of(wrap(f), {seed})), int64_t{0});
    const auto over = [&](ops::Builder& b, std::span<Value> given) { return mapped.function().call(b, given, {}); };
    EXPECT_TRUE(check_staged(language, over, examples));
    count_case("contractions", 3);
  }
}

// A draw in a replayed function would be another one; a print is not made twice.
TEST_F(StagedSizes, ReplaysDoNotDraw) {
  const Value f = at("checkpoint(x -> x * rand(len(x)))");
  Recorder recorder(eager().context());
  const Value x = recorder.input(Dtype::f64, 1);
  std::vector<Value> given = {x};
  EXPECT_THROW(gradient_of(f, {x})(recorder, given), CovecError);
  EXPECT_FALSE(eager().context().replaying);
}

}  // namespace covec::test
