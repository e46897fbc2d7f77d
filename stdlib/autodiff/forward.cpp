// Tangents: a sum of scaled partials, the operator itself where it is linear, or the rule by hand.
#include "stdlib/autodiff/forward.hpp"

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/in_rule.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/broadcast.hpp"

namespace covec::autodiff {

using ops::Derivative;
using ops::Kept;
using ops::RuleContext;

Value broadcast_into(RuleContext& rules, Value value, const Type& type) {
  if (value.is_none() || has_type(value, type)) return value;
  if (logical_type(value).dtype != type.dtype) value = rules.cast(std::move(value), type.dtype);
  return has_type(value, type) ? value : rules.broadcast_to(std::move(value), type.shape);
}

namespace {

// Whether an axis that only the run knows might have to be repeated, so that nothing can be said before.
bool may_repeat(const Shape& from, const Shape& to) {
  if (from.rank() < to.rank()) return true;
  for (unsigned axis = 0, shift = from.rank() - to.rank(); axis < to.rank(); ++axis) {
    const Dim here = from[axis + shift], there = to[axis];
    if (here == there || there == Dim(1)) continue;
    if (here == Dim(1) || !here.known()) return true;
  }
  return false;
}

}  // namespace

Value sum_into(RuleContext& rules, Value value, const Type& type) {
  if (value.is_none()) return value;
  const Type given = logical_type(value);
  if (given.shape == type.shape && ops::may_stay(value, type.shape)) return rules.cast(std::move(value), type.dtype);
  if (covec::fit_to(given.shape, type.shape) == Fit::fits) return broadcast_into(rules, std::move(value), type);
  const bool known = given.shape.known() && type.shape.known();
  if (!known && may_repeat(given.shape, type.shape)) {
    return rules.cast(ops::fit_to(rules.builder(), std::move(value), type.shape), type.dtype);
  }
  return rules.sum_to(std::move(value), type);
}

namespace {

Value partial_tangent(RuleContext& rules, const Derivative& derivative, const Kept& kept,
                      std::span<const Value> tangents) {
  Value sum;
  for (unsigned i = 0; i < tangents.size(); ++i) {
    if (tangents[i].is_none()) continue;
    Value term = rules.scale(tangents[i], derivative.partial(rules, i, kept));
    sum = sum.is_none() ? std::move(term) : rules.add(std::move(sum), std::move(term));
  }
  return sum;
}

Value linear_tangent(RuleContext& rules, const Application& application, std::span<const Value> tangents) {
  const Kept& kept = application.kept;
  const ops::Entry& entry = application.entry;
  SmallVector<Value, 4> operands(tangents.size());
  for (size_t i = 0; i < tangents.size(); ++i) {
    const bool linear = application.numeric[i] && (entry.derivative.linear_in & operand_bit(kept.parameters, i)) != 0;
    if (!linear) {
      operands[i] = kept.operands[i];
    } else if (tangents[i].is_none()) {
      operands[i] = rules.zeros(kept.types[i]);
    } else {
      operands[i] = tangents[i];
    }
  }
  const std::span<Value> all = span_of(operands);
  ops::Call call{entry, all.first(kept.parameters), all.subspan(kept.parameters), application.literals};
  return apply_below(rules.builder(), call);
}

}  // namespace

Value tangent_of(RuleContext& rules, const Application& application, std::span<const Value> tangents) {
  const Derivative& derivative = application.entry.derivative;
  Value tangent;
  switch (derivative.kind) {
    case Derivative::Kind::partial: tangent = partial_tangent(rules, derivative, application.kept, tangents); break;
    case Derivative::Kind::linear: tangent = linear_tangent(rules, application, tangents); break;
    case Derivative::Kind::custom: tangent = derivative.jvp(rules, application.kept, tangents); break;
    case Derivative::Kind::none: break;
  }
  return broadcast_into(rules, std::move(tangent), *application.kept.result_type);
}

namespace {

// Nobody has asked for the tangents of a split level: where a rule refuses, there is none, and it is for the sweep to
// say so if it comes there.
Value tangent_at(const OpenLevel& level, RuleContext& rules, const Application& application,
                 std::span<const Value> tangents) {
  const InRule rule(rules.builder().context(), application.entry, nullptr);
  const auto tangent = [&] { return rule.run([&] { return tangent_of(rules, application, tangents); }); };
  if (!level.split) return tangent();
  try {
    return tangent();
  } catch (const OpError& error) {
    if (error.kind != ErrorKind::ordinary) throw;
    return {};
  }
}

}  // namespace

Value apply_forward(ops::Builder& b, const OpenLevel& level, ops::Call& call) {
  const size_t operands = call.operands();
  SmallVector<Value, 4> tangents(operands);
  bool any = false;
  for (unsigned i = 0; i < operands; ++i) {
    Value& operand = call.operand(i);
    if (!is_traced_at(operand, level.level)) continue;
    tangents[i] = operand.traced().tangent;
    any |= !tangents[i].is_none();
    operand = take_primal(std::move(operand));
  }
  if (!any) return apply_below(b, call);
  if (call.entry.derivative.kind == Derivative::Kind::none) return apply_constant(b, call);
  const OperandTypes types(call);
  SmallVector<Value, 4> kept_operands(operands);
  keep_operands(call, span_of(kept_operands));
  Value result;
  try {
    result = apply_below(b, call);
  } catch (...) {
    restore_operands(call, [&](unsigned i, Value primal) {
      return tangents[i].is_none() ? primal : make_jvp(level.level, std::move(primal), std::move(tangents[i]));
    });
    throw;
  }
  if (!is_differentiable(result)) return result;
  const Type result_type = logical_type(result);
  const Kept kept{span_of(kept_operands), types.span(), &result, &result_type, call.args.size()};
  RuleContext rules(b, level.ieee);
  const Application application{call.entry, kept, types.numeric_span(), call.literals};
  Value tangent = tangent_at(level, rules, application, span_of(tangents));
  if (tangent.is_none()) return result;
  return make_jvp(level.level, std::move(result), std::move(tangent));
}

}  // namespace covec::autodiff
