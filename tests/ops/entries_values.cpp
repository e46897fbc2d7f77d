// Every entry: documentation, and its samples against the values that an independent source gave. Tensor operators:
// dtypes, empty tensors, the type rule against the result.
#include <atomic>
#include <utility>

#include "stdlib/ops/contract/attributes.hpp"
#include "tests/ops/entries_support.hpp"

namespace covec::test {

namespace {

using ops::Entry;
using ops::ParameterKind;

std::vector<const Entry*> public_entries() {
  std::vector<const Entry*> entries;
  for (const Entry* entry : ops::all_entries()) {
    if (!entry->internal) entries.push_back(entry);
  }
  return entries;
}

// Operators whose required parameters are tensors: they can be called with any.
std::vector<const Entry*> tensor_entries() {
  std::vector<const Entry*> entries;
  for (const Entry* entry : ops::all_entries()) {
    bool tensors =
        entry->type != nullptr && !entry->parameters.empty() && entry->eager != nullptr && !entry->effects.random;
    for (const ops::Parameter& parameter : entry->parameters) {
      if (parameter.required) tensors = tensors && parameter.kind == ParameterKind::tensor;
    }
    tensors = tensors && entry->parameters[0].required && !entry->variadic && !entry->internal;
    if (tensors) entries.push_back(entry);
  }
  return entries;
}

std::string name_of_test(const ::testing::TestParamInfo<const Entry*>& info) {
  return info.param->name == "π" ? "pi_sign" : std::string(info.param->name);  // names of tests are ASCII
}

}  // namespace

class EveryEntry : public EntryTest {};
class PublicEntry : public EntryTest {};
class TensorEntry : public EntryTest {
 protected:
  std::vector<Value> required(const Value& each) {
    std::vector<Value> args;
    for (const ops::Parameter& parameter : entry().parameters)
      args.push_back(parameter.required ? each : parameter.fallback);
    return args;
  }
  // A result, or an error of the program's, never one of covec's own.
  void apply(const Value& each) {
    std::vector<Value> args = required(each);
    const bool asks_otherwise = entry().instead != nullptr;
    try {
      std::optional<Type> ruled;
      if (!asks_otherwise) {
        std::vector<Value> copies = args;
        const ops::Call made{entry(), copies, {}};
        ruled = entry().type(language.builder(), made);
      }
      const Value result = ops::call(language.builder(), entry(), args);
      ASSERT_TRUE(result.is_numeric());
      if (ruled) {
        EXPECT_EQ(type_of(result).text(), ruled->text());
      }
    } catch (const OpError& error) {
      EXPECT_NE(error.code, "internal") << error.message;
      EXPECT_FALSE(error.message.empty());
    }
  }
  Value tensor_of(Dtype dtype, const Shape& shape) {
    Value ones = make_tensor(language.builder().pool(), dtype, shape);
    const Value one = ops::converted_number(Value(1.0f), dtype);
    for (int64_t i = 0; i < shape.elements(); ++i) {
      std::memcpy(ones.tensor().data() + static_cast<size_t>(i) * size_of(dtype), one.scalar_data(), size_of(dtype));
    }
    return ones;
  }
};

TEST_P(EveryEntry, SaysWhatItIs) {
  const Entry& e = entry();
  EXPECT_FALSE(e.name.empty());
  EXPECT_FALSE(e.doc.empty());
  EXPECT_EQ(ops::find_entry(e.name), &e) << "two entries of one name";
  const ops::Derivative& d = e.derivative;
  EXPECT_TRUE(d.partial() == nullptr || d.partial()->of != nullptr || d.partial()->product != nullptr);
  EXPECT_TRUE(d.linear() == nullptr || d.linear()->transpose != nullptr);
  EXPECT_TRUE(d.custom() == nullptr || (d.custom()->jvp != nullptr && d.custom()->vjp != nullptr));
  EXPECT_TRUE(d.none() == nullptr || d.none()->reason != nullptr);
  const bool has_effect = e.effects.random || e.effects.prints || e.effects.outside || e.effects.calls;
  if (e.type != nullptr && !e.internal && !has_effect) {
    EXPECT_FALSE(e.samples.empty()) << "an operator without samples";
  }
  count_case("descriptions");
}

TEST_P(PublicEntry, SamplesHaveTheirValues) {
  for (const ops::Sample& sample : entry().samples) {
    const std::string text = std::string(entry().name) + "(" + std::string(sample.arguments) + ")";
    SCOPED_TRACE(text);
    EXPECT_FALSE(sample.source.empty());
    const Value got = language.evaluate(text), wanted = language.evaluate(std::string(sample.expected));
    expect_same(got, wanted, sample.ulp);
    count_case("samples");
  }
}

TEST_P(TensorEntry, TakesEveryDtypeOrSaysWhyNot) {
  for (const Dtype dtype : all_dtypes) {
    SCOPED_TRACE(name_of(dtype));
    apply(tensor_of(dtype, {Dim(3)}));
    apply(tensor_of(dtype, {Dim(2), Dim(2)}));
    const uint64_t bits = 0;
    apply(Value::scalar(dtype, &bits));
    count_case("dtypes", 3);
  }
}

TEST_P(TensorEntry, TakesEmptyTensorsOrSaysWhyNot) {
  for (const Dtype dtype : all_dtypes) {
    for (const Shape& shape :
         {Shape{Dim(0)}, Shape{Dim(0), Dim(3)}, Shape{Dim(3), Dim(0)}, Shape{Dim(2), Dim(0), Dim(2)}}) {
      SCOPED_TRACE(std::string(name_of(dtype)) + shape.text());
      apply(tensor_of(dtype, shape));
      count_case("empty");
    }
  }
}

// Whoever walks memory looks at the flag: what is large is stopped before its first part.
TEST_P(TensorEntry, HearsInterrupts) {
  struct Pair {
    Shape small, large;
  };
  ops::Context& context = language.builder().context();
  std::atomic<bool> flag = false;
  std::atomic<bool>* const own = std::exchange(context.interrupt, &flag);
  for (const Pair& shapes : {Pair{{Dim(3)}, {Dim(1 << 20)}}, Pair{{Dim(2), Dim(2)}, {Dim(512), Dim(512)}},
                             Pair{{Dim(1), Dim(2), Dim(2)}, {Dim(1 << 18), Dim(2), Dim(2)}}}) {
    SCOPED_TRACE(shapes.large.text());
    const auto outcome = [&](const Shape& shape) -> std::string {
      const Value each = tensor_of(Dtype::f64, shape);
      std::vector<Value> args = required(each);
      try {
        const Value result = ops::call(language.builder(), entry(), args);
        const bool view = result.is_tensor() && (data_of(result) == data_of(each) || !result.tensor().contiguous());
        return view ? "a view" : "computed";
      } catch (const OpError& error) {
        return error.kind == ErrorKind::interrupted ? "interrupted" : "refused";
      }
    };
    if (outcome(shapes.small) == "refused") continue;
    flag = true;
    const std::string large = outcome(shapes.large);
    flag = false;
    EXPECT_TRUE(large == "interrupted" || large == "a view") << large;
    count_case("interrupts");
  }
  context.interrupt = own;
}

TEST_P(TensorEntry, TurnsAwayWhatIsNoTensor) {
  for (const Value& wrong : {make_string("a"), make_tuple({Value(1.0)}), Value()}) {
    std::vector<Value> args = required(wrong);
    if (entry().instead != nullptr && entry().instead(args, 0) != nullptr) continue;
    if (entry().reduce != nullptr && wrong.is(ObjectKind::tuple)) continue;  // of numbers: taken as a tensor
    try {
      ops::call(language.builder(), entry(), args);
      ADD_FAILURE() << "took " << describe(wrong);
    } catch (const OpError& error) {
      EXPECT_NE(error.code, "internal");
    }
    count_case("mistakes");
  }
}

INSTANTIATE_TEST_SUITE_P(Entries, EveryEntry, ::testing::ValuesIn(ops::all_entries().begin(), ops::all_entries().end()),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Entries, PublicEntry, ::testing::ValuesIn(public_entries()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Entries, TensorEntry, ::testing::ValuesIn(tensor_entries()), name_of_test);

}  // namespace covec::test
