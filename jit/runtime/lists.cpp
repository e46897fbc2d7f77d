// Steps on lists of tensors, without the operator's call; it is made where there is an error to raise.
#include <algorithm>

#include "jit/runtime/activation.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::runtime {

namespace {

Value* item_of(const Value& list, const Value& index) {
  std::vector<Value>& items = list.list().items;
  const std::optional<size_t> place = ops::place_of(ops::integer_of(index), static_cast<int64_t>(items.size()));
  return place ? &items[*place] : nullptr;
}

void make_own(Value& list) {
  if (!list.unique()) list = make_list(list.list().items);
}

}  // namespace

void Activation::room(Value& list) {
  make_own(list);
  const std::vector<Value>& items = list.list().items;
  if (items.size() == items.capacity()) list.list().reserve(std::max<size_t>(16, 2 * items.size()));
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
  const Value* found = item_of(slots_[list.slot], taken(step.operands[1]));
  if (found == nullptr) return apply(step);
  Value item = *found;
  if (list.last) slots_[list.slot] = Value();
  drop(step);
  give(step.results[0], std::move(item));
}

void Activation::list_set(const loops::Step& step) {
  Value& list = slots_[step.operands[0].slot];
  make_own(list);
  Value* place = item_of(list, taken(step.operands[1]));
  if (place == nullptr) return apply(step);
  *place = taken(step.operands[2]);
  drop(step);
}

}  // namespace covec::runtime
