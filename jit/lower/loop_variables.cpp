#include "jit/lower/loop_variables.hpp"

#include <algorithm>

#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/paths/alike.hpp"
#include "jit/lower/paths/chosen.hpp"
#include "jit/lower/paths/optional.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

constexpr unsigned max_peeled = 2;

bool is_certain(const ConditionalValue& conditional) {
  return conditional.is_defined.tag() == Tag::boolean && conditional.is_defined.boolean();
}

}  // namespace

bool may_peel(const LoopSource& source, const ops::Context& context) {
  return !source.whole && (source.adjoint_of == 0 || !RegionTapes(context).any());
}

LoopVariables::LoopVariables(ControlFlow& control_flow, GraphWriter& writer, Conversions& conversions,
                             ConditionalValues& conditional_values, const unsigned& peeled,
                             const Staging::Variables& variables, const LoopSource& source)
    : control_flow_(control_flow),
      writer_(writer),
      conversions_(conversions),
      conditional_values_(conditional_values),
      peeled_(peeled),
      variables_(variables),
      source_(source),
      entry_(values_of(variables)),
      adjustments_(variables.size()),
      boxed_(variables.size(), false),
      likes_(variables.size(), Value::unbound()),
      zeroed_(variables.size(), false),
      optionals_(variables.size(), Value::unbound()),
      unread_(variables.size(), false) {}

// --- before the loop ---

void LoopVariables::put_back() const { ir::put_back(variables_, entry_); }

bool LoopVariables::prepare() {
  const bool tangents = complete_tangents(), zeros = fill_with_zeros(), lists = make_lists();
  const bool optionals = make_optionals();
  return tangents || zeros || lists || optionals;
}

// Before the loop: tangents that may be anything where they are not there. Zeros for them would be made in each
// iteration that needs some. True when there was any.
bool LoopVariables::complete_tangents() {
  bool any = false;
  if (std::exchange(complete_, true)) return any;
  for (size_t i = 0; i < variables_.size(); ++i) {
    bool changes = false;
    Value completed = with_zero_tangents(entry_[i], changes);
    if (changes) entry_[i] = *variables_[i] = std::move(completed);
    any |= changes;
  }
  return any;
}

Value LoopVariables::with_zero_tangents(const Value& value, bool& changes) {
  if (const ConditionalValue* const held = conditional_values_.find(value)) {
    ConditionalValue completed = *held;
    completed.value = with_zero_tangents(completed.value, changes);
    return changes ? conditional_values_.hold(std::move(completed)) : value;
  }
  if (value.is_traced()) return with_zero_tangents(value.traced(), changes);
  if (is_leaf(value) || is_list(value) || !is_compound(value)) return value;
  return map_parts(value, [&](const Value& part) { return with_zero_tangents(part, changes); });
}

Value LoopVariables::with_zero_tangents(const Traced& value, bool& changes) {
  Value primal = with_zero_tangents(value.primal, changes);
  if (value.trace == TraceKind::tape) return autodiff::make_tape(value.level, std::move(primal), value.node);
  if (value.trace == TraceKind::batch) return autodiff::make_batch(value.level, std::move(primal));
  Value tangent = with_zero_tangents(value.tangent, changes);
  const ConditionalValue* const held = conditional_values_.find(tangent);
  if (held != nullptr && held->absent == ConditionalValue::Absent::anything && !is_run_list(primal)) {
    const ConditionalValue before = *held;
    Value completed = Value::unbound();
    const auto zeros = [&] { completed = conversions_.zeros_like(before.value, logical_type(primal)); };
    control_flow_.branch(
        before.is_defined, {&completed}, [&] { completed = before.value; }, zeros);
    tangent = conditional_values_.hold({std::move(completed), before.is_defined, ConditionalValue::Absent::zeros});
    changes = true;
  }
  return autodiff::make_jvp(value.level, std::move(primal), std::move(tangent));
}

// Before the loop: cotangents that are perhaps there already. An iteration branches where it may not read what is not
// there, and zeros for what it hands on would be made in each. True when there was any.
bool LoopVariables::fill_with_zeros() {
  bool any = false;
  for (size_t i = 0; i < variables_.size(); ++i) {
    const ConditionalValue* const conditional = conditional_values_.find(entry_[i]);
    if (conditional == nullptr || conditional->absent == ConditionalValue::Absent::zeros) continue;
    if (conditional->absent == ConditionalValue::Absent::undefined && may_be_zeros(i, conditional->value))
      zeroed_[i] = true;
    if (!zeroed_[i]) continue;
    entry_[i] = *variables_[i] =
        conditional_values_.hold(with_zeros(i, ConditionalValue(*conditional), conditional->value));
    any = true;
  }
  return any;
}

// Before the loop: lists that change their length in it are one value each.
bool LoopVariables::make_lists() {
  bool any = false;
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (adjustments_[i].lists.empty() || entry_[i].is_unbound()) continue;
    entry_[i] = *variables_[i] = conversions_.with_lists(entry_[i], adjustments_[i].lists);
    adjustments_[i].lists.clear();
    any = true;
  }
  return any;
}

// Before the loop: what is none at one end of an iteration and something at the other may be none; what is one function
// here and another there is one of both.
bool LoopVariables::make_optionals() {
  bool any = false;
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (optionals_[i].is_unbound()) continue;
    const Value like = std::exchange(optionals_[i], Value::unbound());
    const Chosen* const chosen = chosen_in(like);
    entry_[i] = *variables_[i] = chosen != nullptr ? conversions_.as_one_of(entry_[i], chosen->functions)
                                                   : optional_of(conversions_.as_optional(entry_[i], like));
    any = true;
  }
  return any;
}

// --- the head ---

void LoopVariables::enter(LoopCarried& loop_carried) {
  for (size_t i = 0; i < variables_.size(); ++i) {
    loop_carried.begin_variable();
    enter_variable(loop_carried, i);
  }
  heads_ = values_of(variables_);
}

void LoopVariables::put_back_heads() const { ir::put_back(variables_, heads_); }

void LoopVariables::enter_variable(LoopCarried& loop_carried, size_t i) {
  Value& variable = *variables_[i];
  const ConditionalValue* const conditional = conditional_values_.find(variable);
  if (conditional != nullptr && conditional->is_defined.is_none()) not_staged("a conditionally defined variable");
  const auto entered = [&](const Value& incoming) {
    return loop_carried.enter(boxed_[i] ? conversions_.box(incoming) : incoming, adjustments_[i]);
  };
  if (!variable.is_unbound() && zeroed_[i]) {
    Value value = entered(variable);
    variable = conditional_values_.hold(
        {std::move(value), loop_carried.enter(Value(true), {}), ConditionalValue::Absent::zeros});
  } else if (!variable.is_unbound()) {
    variable = entered(variable);
  } else if (conditional != nullptr || !likes_[i].is_unbound()) {
    Value value = conditional != nullptr ? entered(conditional->value)
                  : boxed_[i]            ? loop_carried.enter(conversions_.undefined_boxed(), adjustments_[i])
                  : zeroed_[i]           ? entered(source_.zeros(i, likes_[i]))
                                         : entered(conversions_.undefined_like(likes_[i]));
    const ConditionalValue::Absent absent = conditional != nullptr && !unread_[i] ? conditional->absent
                                            : zeroed_[i]                          ? ConditionalValue::Absent::zeros
                                                                                  : ConditionalValue::Absent::undefined;
    const Value is_defined = conditional != nullptr ? conditional->is_defined : Value(false);
    variable = conditional_values_.hold({std::move(value), loop_carried.enter(is_defined, {}), absent});
  }
}

// --- the end of an iteration ---

// Where a list becomes one value, what this walk has shown of other variables means little: they may come from it.
LoopVariables::Outcome LoopVariables::leave(LoopCarried& loop_carried) {
  outs_ = values_of(variables_);
  const std::vector<bool> boxed = boxed_;
  const std::vector<Value> likes = likes_;
  const size_t known = lists();
  Outcome worst = Outcome::done;
  for (size_t i = 0; i < variables_.size(); ++i) {
    loop_carried.begin_variable();
    worst = std::max(worst, leave_variable(loop_carried, i));
  }
  if (lists() == known) return worst;
  boxed_ = boxed;
  likes_ = likes;
  return Outcome::again;
}

size_t LoopVariables::lists() const {
  size_t count = 0;
  for (const LoopCarried::Adjustments& adjustments : adjustments_) count += adjustments.lists.size();
  return count;
}

LoopVariables::Outcome LoopVariables::wrong_type(size_t i) {
  if (peeled_ < max_peeled && !boxed_[i]) return Outcome::peel;
  const bool transformed = conversions_.context().innermost != nullptr;
  if (transformed && outs_[i].is(ObjectKind::list)) fail(message("list_active"), {"the length"});
  if (boxed_[i] || transformed) not_staged("types that change between iterations");
  boxed_[i] = true;
  return Outcome::again;
}

// The first iteration has no tangents for what it is given, and those after it have: for a loop of numbers two kinds of
// iterations are much less than a look, for each operation, whether there is a tangent.
bool LoopVariables::gets_tangents(const LoopCarried::Adjustments& before, const LoopCarried::Adjustments& now) const {
  if (peeled_ != 0 || !may_peel(source_, conversions_.context())) return false;
  return std::ranges::any_of(now.levels, [&](const auto& added) {
    const autodiff::OpenLevel* const open = autodiff::find_level(conversions_.context(), added.second);
    return !before.levels.contains(added) && open != nullptr && open->kind == TraceKind::jvp;
  });
}

LoopVariables::Outcome LoopVariables::leave_value(LoopCarried& loop_carried, size_t i, const Value& head,
                                                  const Value& outgoing) {
  const LoopCarried::Adjustments before = adjustments_[i];
  const LoopCarried::Fit fit = loop_carried.leave(head, outgoing, adjustments_[i]);
  if (fit == LoopCarried::Fit::again && gets_tangents(before, adjustments_[i])) return Outcome::peel;
  switch (fit) {
    case LoopCarried::Fit::same: return Outcome::done;
    case LoopCarried::Fit::again: return Outcome::again;
    case LoopCarried::Fit::type: break;
  }
  return wrong_type(i);
}

LoopVariables::Outcome LoopVariables::leave_function(LoopCarried& loop_carried, size_t i, const Value& head,
                                                     const Value& out) {
  const Chosen* const chosen = chosen_in(head);
  std::vector<Value> functions = functions_of(head, out);
  constexpr size_t max_functions = 64;  // those that are new in each walk would be twice as many after it
  if (functions.size() > max_functions) not_staged("a loop that selects among too many functions");
  if (chosen != nullptr && functions.size() == chosen->functions.size())
    return leave_value(loop_carried, i, head, conversions_.as_one_of(out, functions));
  optionals_[i] = chosen_of(Value(int64_t{0}), std::move(functions));
  return Outcome::again;
}

LoopVariables::Outcome LoopVariables::leave_variable(LoopCarried& loop_carried, size_t i) {
  const Value& head = heads_[i];
  const Value& out = outs_[i];
  if (!head.is_unbound() && !out.is_unbound()) {
    if (differ_as_functions(head, out)) return leave_function(loop_carried, i, head, out);
    if (optional_in(head) != nullptr)
      return leave_value(loop_carried, i, head, optional_of(conversions_.as_optional(out, head)));
    if (head.is_none() == out.is_none() && optional_in(out) == nullptr) return leave_value(loop_carried, i, head, out);
    const bool boxed =
        (writer_.is_boxed(head) && !is_list_symbol(head)) || (writer_.is_boxed(out) && !is_list_symbol(out));
    if (boxed) return leave_value(loop_carried, i, head, out);
    optionals_[i] = out.is_none() ? head : out;
    return Outcome::again;
  }
  if (!head.is_unbound()) {
    if (zeroed_[i] || !may_be_zeros(i, head)) return wrong_type(i);
    zeroed_[i] = true;
    return Outcome::again;
  }
  const ConditionalValue* const conditional_out = conditional_values_.find(out);
  const ConditionalValue left = conditional_out != nullptr ? *conditional_out
                                : out.is_unbound()         ? ConditionalValue()
                                                           : ConditionalValue{out, Value(true)};
  if (const ConditionalValue* const conditional_head = conditional_values_.find(head)) {
    const bool zeros = conditional_head->absent == ConditionalValue::Absent::zeros;
    // The head may be read where nothing is there, and what an iteration leaves may not.
    const bool less = conditional_head->absent == ConditionalValue::Absent::anything &&
                      left.absent == ConditionalValue::Absent::undefined && !is_certain(left);
    if (!zeros && (less || left.value.is_none()) && may_be_zeros(i, conditional_head->value)) {
      zeroed_[i] = true;
      return Outcome::again;
    }
    if (less) {
      unread_[i] = true;
      return Outcome::again;
    }
    const ConditionalValue at_end = zeros ? with_zeros(i, left, conditional_head->value) : left;
    const Outcome outcome = leave_value(loop_carried, i, conditional_head->value, at_end.value);
    if (outcome == Outcome::peel) return outcome;
    return std::max(outcome, leave_value(loop_carried, i, conditional_head->is_defined, at_end.is_defined));
  }
  if (is_undefined(out)) return Outcome::done;
  zeroed_[i] = may_be_zeros(i, left.value);
  if (source_.adjoint_of != 0 && !zeroed_[i] && may_peel(source_, conversions_.context())) return Outcome::peel;
  likes_[i] = left.value;
  return Outcome::again;
}

// A walk that has found out is taken back: what it appends to see does no harm.
bool LoopVariables::may_be_zeros(size_t i, const Value& like) {
  return source_.zeros != nullptr && !source_.zeros(i, like).is_none();
}

// A cotangent that is like this one, and zeros where it is not there.
ConditionalValue LoopVariables::with_zeros(size_t i, const ConditionalValue& left, const Value& like) {
  if (left.absent == ConditionalValue::Absent::zeros || is_certain(left)) return left;
  if (!may_be_zeros(i, like)) not_staged("a cotangent that is defined on one path only");
  if (left.value.is_none()) return {source_.zeros(i, like), Value(false), ConditionalValue::Absent::zeros};
  Value value = Value::unbound();
  control_flow_.branch(
      left.is_defined, {&value}, [&] { value = left.value; }, [&] { value = source_.zeros(i, like); });
  return {std::move(value), left.is_defined, ConditionalValue::Absent::zeros};
}

// --- after the loop ---

void LoopVariables::leave_loop(LoopCarried& loop_carried) {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (const ConditionalValue* conditional = conditional_values_.find(heads_[i])) {
      Value value = loop_carried.after(conditional->value);
      *variables_[i] = conditional_values_.hold(
          {std::move(value), loop_carried.after(conditional->is_defined), conditional->absent});
    } else {
      *variables_[i] = loop_carried.after(heads_[i]);
    }
  }
}

}  // namespace covec::ir
