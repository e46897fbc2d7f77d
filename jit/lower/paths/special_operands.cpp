#include "jit/lower/paths/special_operands.hpp"

#include <array>

#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/paths/chosen.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/general/lists.hpp"

namespace covec::ir {

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

// --- what may be none ---

Value SpecialOperands::present(const Value& value) {
  const ConditionalValue* const optional = optional_in(value);
  if (optional == nullptr) return value;
  const std::optional<bool> known = facts_.known(optional->is_defined);
  if (known && !*known) return Value();
  if (!known && !is_symbol(optional->is_defined)) not_staged("an optional value that is none for some examples only");
  if (!known) writer_.require(optional->is_defined);
  return optional->value;
}

bool SpecialOperands::apply_to_optionals(ops::Call& call, Value& result) {
  bool any = false;
  for (unsigned i = 0; i < call.operands(); ++i) any |= optional_in(call.operand(i)) != nullptr;
  if (!any) return false;
  const bool equal = &call.entry == whole<ops::Equal>(), unequal = &call.entry == whole<ops::NotEqual>();
  if ((equal || unequal) && (call.args[0].is_none() || call.args[1].is_none())) {
    const Value flag = facts_.settled(call.args[call.args[0].is_none() ? 1 : 0]);
    const ConditionalValue* const optional = optional_in(flag);
    if (optional == nullptr) {
      result = Value(flag.is_none() == equal);
    } else if (unequal) {
      result = optional->is_defined;
    } else {
      result = ops::call(builder_, ops::entry_of<ops::LogicalNot>(), {optional->is_defined});
      if (is_symbol(result) && is_symbol(optional->is_defined)) facts_.note_negation(result, optional->is_defined);
    }
    return true;
  }
  if (call.entry.staging == ops::Staging::opaque) return false;  // the run hands it what is there
  for (unsigned i = 0; i < call.operands(); ++i) call.operand(i) = present(call.operand(i));
  result = ops::call(builder_, call.entry, call.args, call.rest, call.literals);
  return true;
}

// --- functions that a branch chooses ---

bool SpecialOperands::apply_to_chosen(ops::Call& call, Value& result) {
  if (call.entry.staging == ops::Staging::opaque) return false;  // the run hands it what is there
  for (unsigned i = 0; i < call.operands(); ++i) {
    const Chosen* const chosen = chosen_in(call.operand(i));
    if (chosen == nullptr) continue;
    const Value held = call.operand(i);
    result = at_each_function(builder_, *chosen, [&](const Value& function) {
      std::vector<Value> args(call.args.begin(), call.args.end()), rest(call.rest.begin(), call.rest.end());
      (i < args.size() ? args[i] : rest[i - args.size()]) = function;
      return ops::call(builder_, call.entry, args, rest, call.literals);
    });
    return true;
  }
  return false;
}

// --- reductions of lists ---

// Of a list whose length is known only at run time: of its items as a tensor. Where it has none its dtype is not what
// it says, so the interpreter makes that call.
bool SpecialOperands::reduce_list(ops::Call& call, Value& result) {
  if (call.entry.reduce == nullptr || !is_run_list(call.args[0])) return false;
  if (!lists_.items_of(call.args[0]).leaves.empty()) return false;
  const ops::Handles& by = ops::handles();
  const Value length = ops::call(builder_, ops::list_length_entry(), {call.args[0]});
  writer_.require(ops::call(builder_, by.greater, {length, Value(int64_t{0})}));
  call.args[0] = ops::call(builder_, by.stack, {std::move(call.args[0]), Value(int64_t{0})});
  result = ops::call(builder_, call.entry, call.args, call.rest, call.literals);
  return true;
}

bool SpecialOperands::apply(ops::Call& call, Value& result) {
  return apply_to_optionals(call, result) || apply_to_chosen(call, result) || reduce_list(call, result);
}

}  // namespace covec::ir
