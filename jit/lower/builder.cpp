#include "jit/lower/builder.hpp"

#include <algorithm>
#include <array>

#include "jit/lower/chosen.hpp"
#include "jit/lower/examples.hpp"
#include "jit/lower/graph/axes.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/renewal.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::ir {

namespace {

// Makes sequences, whose items loops take where they are.
bool walks(const ops::Entry& entry) { return &entry == &ops::enumerate_entry() || &entry == &ops::zip_entry(); }

// Hands on what a record or tuple holds, and looks no further.
bool hands_on(const ops::Entry& entry) {
  return &entry == &ops::spread_fields_entry() || &entry == &ops::spread_tuple_entry();
}

bool is_number(const Value& value) { return value.is_scalar() || value.is_none() || value.is_unbound(); }

bool only_computes(const ops::Effects& effects) {
  return !effects.random && !effects.prints && !effects.outside && !effects.calls;
}

// What the run is handed: without what derivatives have wrapped around it.
Value plain(const Value& value) {
  Value stripped = autodiff::without_derivatives(value);
  autodiff::map_deep(stripped, [](const Value& leaf) {
    if (leaf.is_traced()) not_staged("a batch in an operation of the run");
    return leaf;
  });
  return stripped;
}

Operation operation_of(const ops::Call& call) {
  Operation operation;
  operation.entry = &call.entry;
  operation.literals = call.literals;
  return operation;
}

}  // namespace

// --- what may be none ---

namespace {

// The operator that compares values of any kinds.
template <class Operator>
const ops::Entry* whole() {
  static const ops::Entry* const entry = [] {
    const std::array<Value, 2> none;
    return ops::entry_of<Operator>().instead(none, 0);
  }();
  return entry;
}

}  // namespace

Value StagingBuilder::present(const Value& value) {
  const Optional* const optional = optional_in(value);
  if (optional == nullptr) return value;
  const std::optional<bool> known = regions_.facts().known(optional->whether);
  if (known && !*known) return Value();
  if (!known && !is_symbol(optional->whether)) not_staged("whether a value is none, which differs between examples");
  if (!known) writer_.require(optional->whether);
  return optional->value;
}

bool StagingBuilder::apply_to_optionals(ops::Call& call, Value& result) {
  bool any = false;
  for (unsigned i = 0; i < call.operands(); ++i) any |= optional_in(call.operand(i)) != nullptr;
  if (!any) return false;
  const bool equal = &call.entry == whole<ops::Equal>(), unequal = &call.entry == whole<ops::NotEqual>();
  if ((equal || unequal) && (call.args[0].is_none() || call.args[1].is_none())) {
    const Value flag = regions_.facts().settled(call.args[call.args[0].is_none() ? 1 : 0]);
    const Optional* const optional = optional_in(flag);
    if (optional == nullptr) {
      result = Value(flag.is_none() == equal);
    } else if (unequal) {
      result = optional->whether;
    } else {
      result = ops::call(*this, ops::entry_of<ops::LogicalNot>(), {optional->whether});
      if (is_symbol(result) && is_symbol(optional->whether)) regions_.facts().note_negation(result, optional->whether);
    }
    return true;
  }
  if (call.entry.staging == ops::Staging::opaque) return false;  // the run hands it what is there
  for (unsigned i = 0; i < call.operands(); ++i) call.operand(i) = present(call.operand(i));
  result = ops::call(*this, call.entry, call.args, call.rest, call.literals);
  return true;
}

// --- functions that a branch chooses ---

bool StagingBuilder::apply_to_chosen(ops::Call& call, Value& result) {
  if (call.entry.staging == ops::Staging::opaque) return false;  // the run hands it what is there
  for (unsigned i = 0; i < call.operands(); ++i) {
    const Chosen* const chosen = chosen_in(call.operand(i));
    if (chosen == nullptr) continue;
    const Value held = call.operand(i);
    result = at_each_function(*this, *chosen, [&](const Value& function) {
      std::vector<Value> args(call.args.begin(), call.args.end()), rest(call.rest.begin(), call.rest.end());
      (i < args.size() ? args[i] : rest[i - args.size()]) = function;
      return ops::call(*this, call.entry, args, rest, call.literals);
    });
    return true;
  }
  return false;
}

// --- reductions of lists ---

// Of a list whose length only the run knows: of its items as a tensor. Where it has none its dtype is not what it
// says, so the interpreter makes that call.
bool StagingBuilder::reduce_list(ops::Call& call, Value& result) {
  if (call.entry.reduce == nullptr || !is_run_list(call.args[0])) return false;
  if (!lists_.items_of(call.args[0]).leaves.empty()) return false;
  const ops::Handles& by = ops::handles();
  const Value length = ops::call(*this, ops::list_length_entry(), {call.args[0]});
  writer_.require(ops::call(*this, by.greater, {length, Value(int64_t{0})}));
  call.args[0] = ops::call(*this, by.stack, {std::move(call.args[0]), Value(int64_t{0})});
  result = ops::call(*this, call.entry, call.args, call.rest, call.literals);
  return true;
}

// --- operators ---

// Operands that the operator itself does not take while a function is compiled.
bool StagingBuilder::apply_instead(ops::Call& call, Value& result) {
  return apply_to_optionals(call, result) || apply_to_chosen(call, result) || reduce_list(call, result);
}

Value StagingBuilder::apply(ops::Call& call) {
  ++writer_.graph().applied;
  Value of_list;
  if (apply_instead(call, of_list)) return of_list;
  if (lists_.apply_to_trees(*this, call, of_list) || list_levels_.apply(call, of_list) || lists_.apply(call, of_list))
    return of_list;
  ops::check_operands(*this, call);
  if (const auto axis = symbolic_axis(call)) return at_each_axis(*this, call, *axis);
  switch (call.entry.staging) {
    case ops::Staging::structural: return apply_structural(call);
    case ops::Staging::typed: return apply_typed(call);
    default: return apply_opaque(call);
  }
}

bool StagingBuilder::holds_boxed(const Value& value) const {
  bool boxed = false;
  each_symbol(value, [&](Id id) { boxed |= writer_.graph().values[id].boxed; });
  return boxed;
}

// From an operator that looks at the structure of what it is given.
bool StagingBuilder::hides_structure(const ops::Entry& entry, const Value& operand) const {
  if (hands_on(entry)) return writer_.is_boxed(operand);
  if (!walks(entry)) return holds_boxed(operand);
  if (!operand.is(ObjectKind::sequence)) return !is_list_symbol(operand) && holds_boxed(operand);
  const std::vector<Value> parts = operand.sequence().parts();
  return std::ranges::any_of(parts, [&](const Value& part) { return hides_structure(entry, part); });
}

Value StagingBuilder::apply_structural(ops::Call& call) {
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (hides_structure(call.entry, call.operand(i))) not_staged("a value whose structure only the run knows");
  }
  return call.entry.eager(*this, call);
}

Value StagingBuilder::apply_typed(ops::Call& call) {
  const ops::Entry& entry = call.entry;
  if (entry.reduce != nullptr && entry.reduce->composed) return entry.eager(*this, call);
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (holds_boxed(call.operand(i))) not_staged("a value whose type only the run knows");
  }
  Value result;
  if (fold(call, result)) return result;
  Operation operation = operation_of(call);
  const Type type = type_of(call);
  operation.args.assign(call.args.begin(), call.args.end());
  operation.rest.assign(call.rest.begin(), call.rest.end());
  result = writer_.result_of(operation, type);
  writer_.append_applied(std::move(operation));
  return result;
}

Value StagingBuilder::apply_opaque(ops::Call& call) {
  Operation operation = operation_of(call);
  for (const Value& arg : call.args) operation.args.push_back(plain(arg));
  for (const Value& arg : call.rest) operation.rest.push_back(plain(arg));
  Value result = writer_.boxed_result_of(operation);
  writer_.append_applied(std::move(operation));
  return result;
}

Type StagingBuilder::type_of(ops::Call& call) {
  struct Asked {
    bool& in;
    const bool outer = std::exchange(in, true);
    ~Asked() { in = outer; }
  } const asked{in_type_rule_};
  const size_t known = writer_.graph().dims.size();
  try {
    return call.entry.type(*this, call);
  } catch (...) {
    writer_.dimensions().forget_unbound(known);
    throw;
  }
}

// Numbers only, and nothing that can go wrong: now.
bool StagingBuilder::fold(ops::Call& call, Value& result) {
  if (!only_computes(call.entry.effects)) return false;
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (!is_number(call.operand(i))) return false;
  }
  std::vector<Value> args(call.args.begin(), call.args.end()), rest(call.rest.begin(), call.rest.end());
  try {
    ops::Call again{call.entry, args, rest, call.literals};
    Value folded = eager_.apply(again);
    if (!folded.is_scalar()) return false;
    result = std::move(folded);
    return true;
  } catch (const OpError&) {
    return false;  // the run will say it, in its place
  }
}

Value StagingBuilder::apply_traced(ops::Call& call) {
  Value of_list;
  if (apply_instead(call, of_list)) return of_list;
  if (lists_.apply_to_trees(*this, call, of_list) || list_levels_.apply(call, of_list)) return of_list;
  if (const auto axis = symbolic_axis(call)) return at_each_axis(*this, call, *axis);
  return autodiff::apply_traced(*this, call);
}

// --- dimensions ---

// An operation checks again when it runs. What is made of others has nobody who does: the run must see that they agree,
// and where they do not the interpreter says it.
void StagingBuilder::guard_equal(Dim a, Dim b, const ops::Mismatch&) {
  if (in_type_rule_ || writer_.dimensions().are_equal(a, b)) return;
  writer_.require(ops::call(*this, ops::entry_of<ops::Equal>(), {extent(a), extent(b)}));
  writer_.dimensions().assume_equal(a, b);
}

Dim StagingBuilder::dim_of(const Value& number) {
  if (number.is_scalar()) return Dim(number.integer());
  if (!is_symbol(number)) not_staged("a size");
  return writer_.dimensions().of_number(id_of(number));
}

bool StagingBuilder::is_extent(const Value& number) const {
  return is_symbol(number) && writer_.dimensions().is_extent(id_of(number));
}

Value StagingBuilder::extent(Dim dim) {
  if (dim.known()) return Value(dim.number());
  Value number = make_extent(dim);
  if (is_symbol(number)) writer_.dimensions().note_extent(id_of(number), dim);
  return number;
}

Value StagingBuilder::make_extent(Dim dim) {
  const DimExpression expression = writer_.dimensions().expression(dim);
  const auto of_both = [&](const ops::Entry& entry) {
    const Value right = extent(expression.right), left = extent(expression.left);
    return ops::call(*this, entry, {left, right});
  };
  switch (expression.kind) {
    case DimExpression::Kind::number: return writer_.graph().symbol(expression.value);
    case DimExpression::Kind::add: return of_both(ops::entry_of<ops::Add>());
    case DimExpression::Kind::multiply: return of_both(ops::entry_of<ops::Multiply>());
    case DimExpression::Kind::broadcast: {
      const Value left = extent(expression.left), right = extent(expression.right);
      const Value is_one = ops::call(*this, ops::entry_of<ops::Equal>(), {left, Value(int64_t{1})});
      return ops::call(*this, ops::entry_of<ops::Where>(), {is_one, right, left});
    }
    case DimExpression::Kind::saturating_sub: {
      Value difference = of_both(ops::entry_of<ops::Subtract>());
      return ops::call(*this, ops::entry_of<ops::Maximum>(), {std::move(difference), Value(int64_t{0})});
    }
    case DimExpression::Kind::axis_of: break;
  }
  Operation operation;
  operation.kind = Kind::dimension;
  operation.args = {writer_.graph().symbol(expression.value)};
  operation.number = expression.axis;
  Value result = writer_.result_of(operation, Type{Dtype::i64, {}});
  writer_.append(std::move(operation));
  return result;
}

// --- cotangents that only some paths have ---

void StagingBuilder::where_present(Value& cotangent, std::span<Value* const> others, FunctionRef<void()> pass) {
  const ConditionalValue* const held = conditional_values_.find(cotangent);
  cotangent = Value();
  if (held == nullptr) return;
  std::vector<Value*> all;
  for (Value* other : others) {
    if (other != &cotangent) all.push_back(other);
  }
  where_holds(held->whether, all, [&] {
    cotangent = held->value;
    pass();
    cotangent = Value();
  });
}

void StagingBuilder::where_holds(const Value& condition, std::span<Value* const> others, FunctionRef<void()> pass) {
  Staging::Variables variables;
  for (Value* other : others) {
    if (std::find(variables.begin(), variables.end(), other) == variables.end()) variables.push_back(other);
  }
  unbound_where_absent(variables);
  regions_.branch(
      condition, variables,
      [&] {
        none_where_absent(variables);
        pass();
        unbound_where_absent(variables);
      },
      [] {});
  none_where_absent(variables);
}

Value StagingBuilder::completed(const Value& cotangent, FunctionRef<Value(Value)> with) {
  const ConditionalValue* const held = conditional_values_.find(cotangent);
  if (held == nullptr) return with(cotangent.is_unbound() ? Value() : cotangent);
  Value result = Value::unbound();
  regions_.branch(
      held->whether, {&result}, [&] { result = with(held->value); }, [&] { result = with(Value()); });
  return result;
}

const Value* StagingBuilder::or_zeros(const Value& cotangent) const {
  const ConditionalValue* const held = conditional_values_.find(cotangent);
  return held != nullptr && held->absent == ConditionalValue::Absent::zeros ? &held->value : nullptr;
}

const Value* StagingBuilder::or_anything(const Value& cotangent) const {
  const ConditionalValue* const held = conditional_values_.find(cotangent);
  return held != nullptr && held->absent != ConditionalValue::Absent::undefined ? &held->value : nullptr;
}

Value StagingBuilder::renewed(const Value& cotangent) {
  const ConditionalValue* const held = conditional_values_.find(cotangent);
  if (held == nullptr || context().innermost == nullptr) return cotangent;
  ConditionalValue renewed = *held;
  autodiff::renew_if_open(context(), renewed.value);
  return conditional_values_.hold(std::move(renewed));
}

Value StagingBuilder::is_present(const Value& cotangent) {
  const ConditionalValue* const held = conditional_values_.find(cotangent);
  return held == nullptr ? Builder::is_present(cotangent) : held->whether;
}

Value StagingBuilder::choose(const Value& condition, FunctionRef<Value()> then, FunctionRef<Value()> otherwise) {
  Value result = Value::unbound();
  regions_.branch(
      condition, {&result}, [&] { result = then(); }, [&] { result = otherwise(); });
  return result;
}

bool StagingBuilder::has_loops(FunctionRef<void()> walk) {
  const GraphWriter::Position before = writer_.position();
  const uint64_t loops = writer_.loops();
  try {
    walk();
  } catch (const OpError&) {  // is met again
  } catch (const CovecError&) {
  } catch (...) {
    writer_.rollback(before);
    throw;
  }
  writer_.rollback(before);
  return writer_.loops() != loops;
}

Value StagingBuilder::each_example(Dim size, std::string_view what, FunctionRef<Value(const Value& number)> body) {
  const GraphWriter::Position before = writer_.position();
  try {  // whoever catches the error goes on in another way
    return stack_examples(*this, writer_, regions_, size, what, body);
  } catch (...) {
    writer_.rollback(before);
    throw;
  }
}

}  // namespace covec::ir
