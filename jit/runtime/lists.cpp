// Runs steps on lists of tensors without calling the operator; the operator is called only to raise an error.
#include <algorithm>

#include "jit/runtime/activation.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::runtime {

namespace {

std::optional<size_t> place_in(const Value& list, const Value& index) {
  return ops::place_of(ops::integer_of(index), static_cast<int64_t>(list.list().size()));
}

void make_own(Value& list) {
  if (!list.unique()) list = make_list(list.list().items());
}

}  // namespace

void Activation::room(Value& list) {
  make_own(list);
  if (list.list().is_full()) list.list().reserve(std::max<size_t>(16, 2 * list.list().size()));
}

void Activation::list_push(const loops::Step& step) {
  Value item = taken(step.operands[1]);
  Value& list = slots_[step.operands[0].slot];
  make_own(list);
  list.list().push(std::move(item));
  drop(step);
}

void Activation::list_item(const loops::Step& step) {
  const loops::Operand& list = step.operands[0];
  const std::optional<size_t> found = place_in(slots_[list.slot], taken(step.operands[1]));
  if (!found) return apply(step);
  Value item = slots_[list.slot].list().item(*found);
  if (list.last) slots_[list.slot] = Value();
  drop(step);
  give(step.results[0], std::move(item));
}

void Activation::list_set(const loops::Step& step) {
  Value& list = slots_[step.operands[0].slot];
  make_own(list);
  const std::optional<size_t> place = place_in(list, taken(step.operands[1]));
  if (!place) return apply(step);
  list.list().set(*place, taken(step.operands[2]));
  drop(step);
}

}  // namespace covec::runtime
