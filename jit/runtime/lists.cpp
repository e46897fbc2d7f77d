// Runs steps on lists of tensors without calling the operator; the operator is called only to raise an error.
#include "jit/runtime/lists.hpp"

#include <algorithm>

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

void make_room(Value& list) {
  make_own(list);
  if (list.list().is_full()) list.list().reserve(std::max<size_t>(16, 2 * list.list().size()));
}

void list_push(const loops::Step& step, Slots& slots) {
  Value item = slots.taken(step.operands[1]);
  Value& list = slots[step.operands[0].slot];
  make_own(list);
  list.list().push(std::move(item));
  slots.drop(step);
}

bool list_item(const loops::Step& step, Slots& slots) {
  const loops::Operand& list = step.operands[0];
  const std::optional<size_t> found = place_in(slots[list.slot], slots.taken(step.operands[1]));
  if (!found) return false;
  Value item = slots[list.slot].list().item(*found);
  if (list.last) slots[list.slot] = Value();
  slots.drop(step);
  slots.give(step.results[0], std::move(item));
  return true;
}

bool list_set(const loops::Step& step, Slots& slots) {
  Value& list = slots[step.operands[0].slot];
  make_own(list);
  const std::optional<size_t> place = place_in(list, slots.taken(step.operands[1]));
  if (!place) return false;
  list.list().set(*place, slots.taken(step.operands[2]));
  slots.drop(step);
  return true;
}

}  // namespace covec::runtime
