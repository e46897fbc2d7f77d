#include "tests/staging/staging_support.hpp"

#include "frontend/source/diagnostic.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/value/callable.hpp"

namespace covec::test {

namespace {

// A function of the test as a callable.
class Wrapped final : public Callable {
 public:
  explicit Wrapped(Function f) : Callable(CallableKind::host), function_(std::move(f)) {}
  Value call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view>) override {
    return function_(builder, args);
  }
  std::string name() const override { return "test"; }
  std::vector<std::string_view> parameter_names() const override { return {}; }

 private:
  const Function function_;
};
}  // namespace

Value wrap(Function f) { return Value::adopt(new Wrapped(std::move(f))); }

// Records f on Symbols, runs that, and compares with f itself. False where f cannot be staged.
namespace {

// What a call gave, or the text of its error.
struct Outcome {
  Value value;
  std::string error;
  bool not_staged = false;
};

Outcome outcome_of(Language& language, const std::function<Value()>& call) {
  Outcome outcome;
  try {
    outcome.value = call();
  } catch (const OpError& error) {
    outcome.error = error.message;
    outcome.not_staged = error.code == "not_staged";
  } catch (const CovecError& error) {  // the same, with its place
    outcome.error = language.session().render(error);
    outcome.not_staged = outcome.error.find("is known only at run time") != std::string::npos;
  }
  return outcome;
}

}  // namespace

bool check_staged(Language& language, const Function& f, const std::vector<Value>& operands) {
  std::vector<Value> copies = operands;
  const ops::Random random = language.builder().context().random;
  const Outcome wanted = outcome_of(language, [&] { return f(language.builder(), copies); });
  Recorder recorder(language.builder().context());
  const Value symbols = recorder.inputs_like(make_tuple(operands));
  std::vector<Value> given = symbols.tuple().items;
  const Outcome staged = outcome_of(language, [&] { return f(recorder, given); });
  if (!staged.error.empty()) {
    EXPECT_TRUE(staged.not_staged || staged.error == wanted.error) << staged.error << wanted.error;
    return !staged.not_staged;
  }
  language.builder().context().random = random;
  std::vector<Value> inputs;
  each_leaf(make_tuple(operands), [&](const Value& leaf) {
    if (leaf.is_numeric()) inputs.push_back(leaf);
  });
  const Outcome run = outcome_of(language, [&] { return recorder.run(staged.value, inputs); });
  EXPECT_EQ(run.error, wanted.error);
  if (run.error.empty() && wanted.error.empty()) expect_same(run.value, wanted.value);
  return true;
}

bool is_float_value(const Value& value) { return value.is_numeric() && is_float(dtype_of(value)); }

// Like `value`, but other numbers.
Value direction(ops::Builder& b, const Value& value) {
  return map_leaves(value, [&](const Value& leaf) {
    if (!is_float_value(leaf)) return Value();
    ops::RuleContext rules(b, true);
    return rules.add(rules.mul(leaf, rules.number(0.75, dtype_of(leaf))), rules.number(0.5, dtype_of(leaf)));
  });
}

// x -> all cotangents of f at x, of a result's cotangent that is itself a function of x.
Function gradient_of(const Value& f, std::vector<Value> cotangent) {
  return [=](ops::Builder& b, std::span<Value> given) {
    const Value pair = autodiff::vjp(b, f, make_tuple({given.begin(), given.end()}));
    std::vector<Value> seed = cotangent;
    return pair.tuple().items[1].function().call(b, seed, {});
  };
}

Value stacked(ops::Builder& b, const Value& value) {
  std::vector<Value> examples = {value, value, value};
  if (is_float_value(value)) examples[1] = direction(b, value);
  return ops::stack(b, examples, 0);
}

}  // namespace covec::test
