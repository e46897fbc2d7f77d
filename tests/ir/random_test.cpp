// Small graphs of elementwise operations over special values, run eagerly before and after the passes: every bit (which
// NaN is exempt) and every error must stay.
#include <cmath>
#include <limits>

#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/effects/noted.hpp"
#include "tests/ir/ir_support.hpp"
#include "tests/jit_runtime/machine.hpp"

namespace covec::test {

namespace {

class RandomElements {
 public:
  explicit RandomElements(Machine& machine) : machine_(machine) {}

  std::shared_ptr<const ir::Graph> make(std::vector<Value>& inputs) {
    const Dim n = maker_.dim();
    for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::i64, Dtype::boolean}) {
      values_.push_back(maker_.parameter({dtype, {n}}));
      inputs.push_back(special(dtype, true));
      values_.push_back(maker_.parameter({dtype, {}}));
      inputs.push_back(special(dtype, false));
    }
    for (unsigned i = 0; i < 14; ++i) operation();
    std::vector<Value> results(values_.end() - 8, values_.end());
    return maker_.finish(make_tuple(std::move(results)));
  }

 private:
  size_t below(size_t n) { return static_cast<size_t>(machine_.next() % n); }

  double number() {
    static constexpr double specials[] = {0.0,
                                          -0.0,
                                          1.0,
                                          -1.0,
                                          2.0,
                                          0.5,
                                          3.0,
                                          -4.0,
                                          1e308,
                                          5e-324,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};
    return specials[below(std::size(specials))];
  }
  Value scalar(Dtype dtype) {
    const double x = number();
    const int64_t whole = std::isfinite(x) && std::abs(x) < 100 ? static_cast<int64_t>(x) : -1;
    if (dtype == Dtype::boolean) return Value(x > 0);
    return is_float(dtype) ? Value::number(dtype, x) : Value::number(dtype, whole);
  }
  Value special(Dtype dtype, bool tensor) {
    if (!tensor) return scalar(dtype);
    constexpr int64_t size = 13;
    Value value = make_tensor(machine_.pool(), dtype, {Dim(size)});
    for (int64_t i = 0; i < size; ++i) {
      const Value element = scalar(dtype);
      std::memcpy(value.tensor().data() + static_cast<size_t>(i) * size_of(dtype), element.scalar_data(),
                  size_of(dtype));
    }
    return value;
  }
  // A value made before, more often a late one; or a constant, perhaps as it is written.
  Value operand(bool& constant) {
    constant = below(3) == 0;
    if (!constant) return values_[values_.size() - 1 - std::min(below(values_.size()), below(values_.size()))];
    static constexpr Dtype dtypes[] = {Dtype::f64, Dtype::f64, Dtype::i64, Dtype::boolean, Dtype::f32};
    return scalar(dtypes[below(std::size(dtypes))]);
  }

  void effect() {
    bool constant = false;
    const Value x = operand(constant);
    if (!constant) values_.push_back(maker_.apply_as(maker_.type(x), noted_entry(), {x}));
  }

  void operation() {
    if (below(12) == 0) return effect();
    static constexpr const char* names[] = {
        "add",      "add",      "subtract",  "multiply", "multiply", "divide",  "floor_divide", "mod",   "negative",
        "negative", "positive", "abs",       "floor",    "minimum",  "maximum", "scale",        "scale", "scale_both",
        "where",    "where",    "bit_and",   "bit_or",   "xor",      "bit_not", "logical_not",  "less",  "less_equal",
        "greater",  "equal",    "not_equal", "bool",     "i32",      "i64",     "f32",          "f64",   "exp"};
    const char* name = names[below(std::size(names))];
    const ops::Entry& entry = *ops::find_entry(name);
    std::vector<Value> args;
    uint32_t literals = 0;
    bool symbols = false;
    for (unsigned i = 0; i < entry.pointwise->info.arity; ++i) {
      bool constant = false;
      args.push_back(operand(constant));
      symbols |= !constant;
      const bool literal = constant && args.back().tag() != Tag::boolean && args.back().tag() != Tag::f32;
      if (literal && below(2) == 0) literals |= 1u << i;
    }
    if (!symbols && below(4) != 0) return;
    try {
      values_.push_back(maker_.apply(name, args, literals));
    } catch (const OpError&) {  // dtypes that do not go together
    }
  }

  Machine& machine_;
  GraphMaker maker_;
  std::vector<Value> values_;
};

TEST(Random, PassesKeepEveryBit) {
  Machine machine;
  unsigned smaller = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    std::vector<Value> inputs;
    const std::shared_ptr<const ir::Graph> graph = RandomElements(machine).make(inputs);
    ASSERT_EQ(ir::verify(*graph), "") << ir::print(*graph);
    ir::Graph other = *graph;
    for (const Pass pass : {passes::fold, passes::simplify, passes::cse, passes::licm, passes::simplify, passes::dce}) {
      pass(other);
      ASSERT_EQ(ir::verify(other), "") << ir::print(*graph) << ir::print(other);
    }
    smaller += other.body.operations.size() < graph->body.operations.size();
    const std::string both = ir::print(*graph) + ir::print(other);
    expect_equal(run_eagerly(machine, other, inputs), run_eagerly(machine, *graph, inputs), both);
    if (HasFailure()) return;
  }
  EXPECT_GT(smaller, 2000u);
}

}  // namespace

}  // namespace covec::test
