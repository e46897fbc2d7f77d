// Simplifies expressions by rules that keep every bit (which NaN comes out of an operation is exempt). Each rule says
// why it does.
//
// The trade-off: no rule relies on real arithmetic only. x + 0 is not x (−0 + 0 is +0). (a + b) + c stays as written. A
// quotient becomes a product only for powers of two. An operation is removed only if it cannot fail, or if its
// replacement fails in the same way. The same holds for operands whose types stand in an error's text.
//
// Start at simplify_rule; the rules are in simplify_arithmetic.cpp, simplify_logic.cpp and simplify_shapes.cpp.
#include "jit/passes/simplify.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "jit/passes/analysis/failures.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/casts.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"

namespace covec::passes {

using namespace ir;

// --- what rules are written with ---

Value result_of(Rewriter& rewriter, const Operation& operation) {
  return rewriter.graph().symbol(operation.results[0]);
}

bool becomes(Rewriter& rewriter, Operation& operation, const Value& value) {
  if (!rewriter.same_type(result_of(rewriter, operation), value)) return false;
  if (may_fail_or_acts(rewriter.graph(), operation)) return false;
  return rewriter.replace(operation, value);
}

bool becomes(Rewriter& rewriter, Operation& operation, const ops::Entry& entry, std::vector<Value> args,
             uint32_t literals) {
  if (may_fail_or_acts(rewriter.graph(), operation)) return false;
  const ops::Call call{entry, args, {}, literals};
  try {
    if (ops::pointwise_typing(call).result != rewriter.type(result_of(rewriter, operation)).dtype) return false;
  } catch (const OpError&) {
    return false;
  }
  Operation other;
  other.entry = &entry;
  other.args = args;
  other.results = operation.results;
  if (may_fail_or_acts(rewriter.graph(), other)) return false;
  operation.entry = &entry;
  operation.args = std::move(args);
  operation.literals = literals;
  return true;
}

Value constant_of(const Rewriter& rewriter, const Value& value) {
  if (value.is_tensor()) {
    const Tensor& tensor = value.tensor();
    if (tensor.size() == 0 || tensor.size() > small_constant || !tensor.contiguous()) return Value::unbound();
    const size_t width = size_of(tensor.dtype());
    for (int64_t i = 1; i < tensor.size(); ++i) {
      if (std::memcmp(tensor.data(), tensor.data() + static_cast<size_t>(i) * width, width) != 0)
        return Value::unbound();
    }
    return Value::scalar(tensor.dtype(), tensor.data());
  }
  const Value filler = rewriter.filling(value);
  return filler.is_scalar() ? filler : Value::unbound();
}

bool is_number(const Value& constant, double number) {
  if (!constant.is_scalar() || constant.tag() == Tag::boolean) return false;
  if (constant.is_integer())
    return constant.integer() == static_cast<int64_t>(number) && (number != 0 || !std::signbit(number));
  return constant.real() == number && std::signbit(constant.real()) == std::signbit(number);
}

bool is_any_zero(const Value& constant) { return is_number(constant, 0.0) || is_number(constant, -0.0); }

bool never_negative_zero(const Rewriter& rewriter, const Value& value, unsigned depth) {
  constexpr unsigned deepest = 4;  // operations that are looked through
  if (!is_float(rewriter.type(value).dtype)) return true;
  const Value constant = constant_of(rewriter, value);
  if (!constant.is_unbound()) return !is_number(constant, -0.0);
  const Operation* made_by = rewriter.maker(value);
  if (made_by == nullptr || made_by->kind != Kind::apply || depth >= deepest) return false;
  const Dtype dtype = rewriter.type(value).dtype;
  const auto never = [&](size_t i) {  // of what is computed with: a tiny f64 may be -0 as f32
    const Dtype from = rewriter.type(made_by->args[i]).dtype;
    const bool exact =
        from == dtype || !is_float(from) || dtype == Dtype::f64 || (dtype == Dtype::f32 && from != Dtype::f64);
    return exact && never_negative_zero(rewriter, made_by->args[i], depth + 1);
  };
  const ops::Entry* entry = made_by->entry;
  if (entry == &ops::entry_of<ops::Add>()) return never(0) || never(1);  // −0 is −0 + −0 alone
  if (entry == &ops::entry_of<ops::Subtract>()) return never(0);         // and −0 − +0 alone
  if (entry == &ops::entry_of<ops::Where>()) return never(1) && never(2);
  if (entry == &ops::entry_of<ops::Multiply>()) return same_operand(made_by->args[0], made_by->args[1]);
  if (entry == &ops::entry_of<ops::ToF32>()) return !is_float(rewriter.type(made_by->args[0]).dtype);
  if (entry == &ops::entry_of<ops::ToF64>()) return never(0);
  return entry == &ops::entry_of<ops::Exp>() || entry == &ops::entry_of<ops::Absolute>();
}

// --- operands ---

namespace {

bool same_typing(const Operation& operation, const std::vector<Value>& args, uint32_t literals) {
  std::vector<Value> before = operation.args, after = args;
  try {
    const auto x = ops::pointwise_typing(ops::Call{*operation.entry, before, {}, operation.literals});
    const auto y = ops::pointwise_typing(ops::Call{*operation.entry, after, {}, literals});
    return x.result == y.result && x.compute == y.compute && std::ranges::equal(x.promoted, y.promoted);
  } catch (const OpError&) {
    return false;
  }
}

// What operand i repeats: the number that fills it, or the tensor that was broadcast.
Value repeated(Rewriter& rewriter, const Value& operand) {
  const Value number = rewriter.filling(operand);
  if (!number.is_unbound()) return number;
  const Value constant = constant_of(rewriter, operand);
  if (!constant.is_unbound()) return constant;
  const Operation* broadcast = rewriter.maker(operand, ops::broadcast_to_entry());
  return broadcast != nullptr ? broadcast->args[0] : Value::unbound();
}

}  // namespace

// The elements are the same ones. The result's shape is that of another operand; promotion, which looks at ranks, must
// come to the same dtypes.
bool use_small_operands(Rewriter& rewriter, Operation& operation) {
  const ops::PointwiseInfo& info = operation.entry->pointwise->info;
  const size_t count = info.arity - (info.parameter ? 1u : 0u);
  if (count < 2) return false;
  const Shape shape = rewriter.type(result_of(rewriter, operation)).shape;
  bool changed = false;
  for (size_t i = 0; i < count && !shape.empty(); ++i) {
    if (rewriter.type(operation.args[i]).shape.empty()) continue;
    Value small = repeated(rewriter, operation.args[i]);
    if (small.is_unbound()) continue;
    bool fills = false;
    for (size_t j = 0; j < count; ++j) {
      fills |= j != i && rewriter.extents().same(rewriter.type(operation.args[j]).shape, shape);
    }
    std::vector<Value> args = operation.args;
    args[i] = std::move(small);
    const uint32_t literals = operation.literals & ~(1u << i);
    if (!fills || may_fail_or_acts(rewriter.graph(), operation) || !same_typing(operation, args, literals)) continue;
    Operation other;
    other.entry = operation.entry;
    other.args = args;
    other.results = operation.results;
    if (may_fail_or_acts(rewriter.graph(), other)) continue;
    operation.args = std::move(args);
    operation.literals = literals;
    changed = true;
  }
  return changed;
}

// --- the pass ---

namespace {

Rule rule_of(const ops::Entry& entry) {
  for (const auto family : {arithmetic_rule, logic_rule, shape_rule}) {
    if (const Rule rule = family(entry)) return rule;
  }
  return nullptr;
}

bool simplify_rule(Rewriter& rewriter, Operation& operation) {
  if (fold_rule(rewriter, operation)) return true;
  if (operation.kind != Kind::apply || operation.entry->staging != ops::Staging::typed) return false;
  const Rule rule = rule_of(*operation.entry);
  if (rule != nullptr && rule(rewriter, operation)) return true;
  return operation.entry->pointwise != nullptr && use_small_operands(rewriter, operation);
}

// Operations whose entries may fail, but that cannot, go when nobody needs them: to dce they are ordered.
class Sweep {
 public:
  explicit Sweep(Graph& graph) : graph_(graph), uses_(graph.values.size(), 0) {}

  void run() {
    count(graph_.body);
    sweep(graph_.body);
  }

 private:
  void each_use(const Operation& operation, int change) {
    const auto use = [&](Id id) { uses_[id] += change; };
    for (const Value& arg : operation.args) each_symbol(arg, use);
    for (const Value& arg : operation.rest) each_symbol(arg, use);
  }
  void count(const Region& region) {
    for (const Operation& operation : region.operations) {
      each_use(operation, 1);
      for (const Region& inner : operation.regions) count(inner);
    }
    for (const Value& result : region.results) each_symbol(result, [&](Id id) { ++uses_[id]; });
  }
  void sweep(Region& region) {
    std::vector<char> gone(region.operations.size(), 0);
    bool any = false;
    for (size_t i = region.operations.size(); i-- > 0;) {
      Operation& operation = region.operations[i];
      for (Region& inner : operation.regions) sweep(inner);
      if (operation.kind != Kind::apply || uses_[operation.results[0]] != 0) continue;
      if (may_fail_or_acts(graph_, operation)) continue;
      each_use(operation, -1);
      any |= gone[i] = 1;
    }
    size_t i = 0;
    if (any) std::erase_if(region.operations, [&](const Operation&) { return gone[i++] != 0; });
  }

  Graph& graph_;
  std::vector<int> uses_;
};

}  // namespace

void simplify(Graph& graph) {
  Rewriter(graph, simplify_rule).run();
  Sweep(graph).run();
}

}  // namespace covec::passes
