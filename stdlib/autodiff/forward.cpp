// Computes tangents: a sum of scaled partials, the operator itself if it is linear, or the rule by hand.
#include "stdlib/autodiff/forward.hpp"

#include <algorithm>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/autodiff/conditional_tangents.hpp"
#include "stdlib/autodiff/in_rule.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/autodiff/sweep.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/broadcast.hpp"

namespace covec::autodiff {

using ops::Derivative;
using ops::Residuals;
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

// While a function is staged a tangent may be present on some paths only (conditional_tangents.hpp).
bool is_conditional(const Value& tangent) { return tangent.is_unbound(); }

Value read(const ops::Builder& b, const Value& tangent) {
  const Value* const value = is_conditional(tangent) ? conditional_tangents(b).or_anything(tangent) : &tangent;
  if (value == nullptr) fail_not_staged("a tangent that is defined on one path only");
  return *value;
}

Value any_present(ops::Builder& b, std::span<const Value> tangents) {
  Value any(false);
  for (const Value& tangent : tangents) {
    if (tangent.is_none()) continue;
    if (!is_conditional(tangent)) return Value(true);
    Value here = conditional_tangents(b).is_present(tangent);
    if (here.is_scalar() && here.boolean()) return here;
    if (here.is_scalar()) continue;
    any = any.is_scalar() ? std::move(here) : ops::call(b, ops::handles().bit_or, {any, std::move(here)});
  }
  return any;
}

Value where_defined(ops::Builder& b, Value tangent, const Value& is_defined, bool zeros) {
  if (is_defined.is_scalar()) return is_defined.boolean() ? std::move(tangent) : Value();
  return conditional_tangents(b).conditional(std::move(tangent), is_defined, zeros);
}

Value partial_tangent(RuleContext& rules, const Derivative::Partial& partial, const Residuals& residuals,
                      std::span<const Value> tangents) {
  const ops::Builder& b = rules.builder();
  Value sum;
  for (unsigned i = 0; i < tangents.size(); ++i) {
    if (tangents[i].is_none()) continue;
    Value term = partial.times(rules, i, residuals, read(b, tangents[i]));
    if (is_conditional(tangents[i])) {
      const ConditionalTangents& paths = conditional_tangents(b);
      const bool zeros = !rules.ieee() && paths.or_zeros(tangents[i]) != nullptr;
      term = paths.conditional(std::move(term), paths.is_present(tangents[i]), zeros);
    }
    accumulate(rules, sum, std::move(term));
  }
  return sum;
}

// A tangent, and zeros where it is not there.
Value or_zeros(RuleContext& rules, const Value& tangent, const Type& type) {
  if (!is_conditional(tangent)) return tangent;
  ops::Builder& b = rules.builder();
  const ConditionalTangents& paths = conditional_tangents(b);
  if (const Value* value = paths.or_zeros(tangent)) return *value;
  return ops::call(b, ops::handles().where, {paths.is_present(tangent), read(b, tangent), rules.zeros(type)});
}

Value linear_tangent(RuleContext& rules, const Application& application, std::span<const Value> tangents) {
  const Residuals& residuals = application.residuals;
  const ops::Entry& entry = application.entry;
  const uint64_t in = entry.derivative.linear()->in;
  SmallVector<Value, 4> operands(tangents.size());
  for (size_t i = 0; i < tangents.size(); ++i) {
    const bool linear = application.numeric[i] && (in & operand_bit(residuals.parameters, i)) != 0;
    if (!linear) {
      operands[i] = residuals.operands[i];
    } else if (tangents[i].is_none()) {
      operands[i] = rules.zeros(residuals.types[i]);
    } else {
      operands[i] = or_zeros(rules, tangents[i], residuals.types[i]);
    }
  }
  const std::span<Value> all = span_of(operands);
  ops::Call call{entry, all.first(residuals.parameters), all.subspan(residuals.parameters), application.literals};
  Value tangent = apply_below(rules.builder(), call);
  const Value present = any_present(rules.builder(), tangents);
  return where_defined(rules.builder(), std::move(tangent), present, false);
}

// Elements of a tensor: where something is there, the rules take zeros for the rest.
Value elements_tangent(RuleContext& rules, const Application& application, std::span<const Value> tangents) {
  ops::Builder& b = rules.builder();
  const ConditionalTangents& paths = conditional_tangents(b);
  const bool reads = &application.entry == &ops::handles().index_read;
  SmallVector<Value, 4> given(tangents.size());
  for (size_t i = 0; i < tangents.size(); ++i) {
    const bool any = reads || !is_conditional(tangents[i]);
    given[i] = any ? read(b, tangents[i]) : or_zeros(rules, tangents[i], application.residuals.types[i]);
  }
  Value tangent = application.entry.derivative.custom()->jvp(rules, application.residuals, span_of(given));
  const Value present = any_present(b, tangents);
  const bool zeros = !reads || paths.or_zeros(tangents[0]) != nullptr;
  return where_defined(b, std::move(tangent), present, zeros);
}

// Zeros are not made for a whole tensor.
bool is_cheap_to_read(const ConditionalTangents& paths, const ops::Entry& entry, std::span<const Value> tangents) {
  const auto is_readable = [&](const Value& tangent) { return !is_conditional(tangent) || paths.or_anything(tangent); };
  const bool reads = &entry == &ops::handles().index_read;
  return std::ranges::all_of(tangents, is_readable) &&
         (reads || !is_conditional(tangents[0]) || paths.or_zeros(tangents[0]) != nullptr);
}

// A rule by hand may raise, print or cost much: it is asked on the paths where there is something to ask. Of a tangent
// that is conditional one path has it, and the other has none.
Value custom_tangent(RuleContext& rules, const Application& application, std::span<const Value> tangents) {
  const auto conditional = std::ranges::find_if(tangents, is_conditional);
  const bool any = std::ranges::any_of(tangents, [](const Value& tangent) { return !tangent.is_none(); });
  if (!any) return {};
  if (conditional == tangents.end())
    return application.entry.derivative.custom()->jvp(rules, application.residuals, tangents);
  ops::Builder& b = rules.builder();
  const ConditionalTangents& paths = conditional_tangents(b);
  if (is_of_elements(application.entry) && is_cheap_to_read(paths, application.entry, tangents))
    return elements_tangent(rules, application, tangents);
  SmallVector<Value, 4> given(tangents.size());
  std::ranges::copy(tangents, given.data());
  Value& one = given[static_cast<size_t>(conditional - tangents.begin())];
  const Value is_defined = paths.is_present(one), value = read(b, one);
  Value result;
  Value* const results[] = {&result};
  paths.where_holds(is_defined, results, [&] {
    one = value;
    result = custom_tangent(rules, application, span_of(given));
  });
  one = Value();
  paths.where_holds(ops::call(b, ops::handles().logical_not, {is_defined}), results, [&] {
    Value without = custom_tangent(rules, application, span_of(given));
    if (!without.is_none()) result = std::move(without);
  });
  return result;
}

}  // namespace

Value tangent_of(RuleContext& rules, const Application& application, std::span<const Value> tangents) {
  const Derivative& derivative = application.entry.derivative;
  Value tangent;
  if (const Derivative::Partial* const partial = derivative.partial()) {
    tangent = partial_tangent(rules, *partial, application.residuals, tangents);
  } else if (derivative.linear() != nullptr) {
    tangent = linear_tangent(rules, application, tangents);
  } else if (derivative.custom() != nullptr) {
    tangent = custom_tangent(rules, application, tangents);
  }
  const Type& type = *application.residuals.result_type;
  if (!is_conditional(tangent)) return broadcast_into(rules, std::move(tangent), type);
  const ConditionalTangents& paths = conditional_tangents(rules.builder());
  if (paths.or_anything(tangent) == nullptr)
    tangent = paths.conditional(paths.completed(tangent,
                                                [&](Value given) {
                                                  return given.is_none()
                                                             ? paths.absent_zeros(rules, tangent, type)
                                                             : broadcast_into(rules, std::move(given), type);
                                                }),
                                paths.is_present(tangent));
  return paths.conditional(broadcast_into(rules, read(rules.builder(), tangent), type), paths.is_present(tangent),
                           paths.or_zeros(tangent) != nullptr);
}

Value tangent_or_zeros(ops::Builder& b, const Value& tangent, const Type& type) {
  RuleContext rules(b, false);
  if (tangent.is_none()) return rules.zeros(type);
  return conditional_tangents(b).with_extents(or_zeros(rules, tangent, type), type.shape);
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
  if (call.entry.derivative.none() != nullptr) return apply_constant(b, call);
  note_active(level, call);
  const OperandTypes types(call);
  SmallVector<Value, 4> saved_operands(operands);
  keep_operands(call, span_of(saved_operands));
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
  const Residuals residuals{span_of(saved_operands), types.span(), &result, &result_type, call.args.size()};
  RuleContext rules(b, level.ieee);
  const Application application{call.entry, residuals, types.numeric_span(), call.literals};
  Value tangent = tangent_at(level, rules, application, span_of(tangents));
  if (tangent.is_none()) return result;
  return make_jvp(level.level, std::move(result), std::move(tangent));
}

}  // namespace covec::autodiff
