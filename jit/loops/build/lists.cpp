#include "jit/loops/build/lists.hpp"

#include "jit/loops/operands.hpp"
#include "stdlib/ops/general/lists.hpp"

namespace covec::loops {

bool ListBuilder::build(const ir::Operation& operation) {
  if (operation.entry->staging != ops::Staging::lists || !scopes_.is_needed(operation.results[0])) return false;
  if (operation.entry == &ops::list_length_entry()) return length(operation);
  if (operation.entry == &ops::list_item_entry()) return read(operation);
  if (operation.entry == &ops::list_set_entry()) return write(operation);
  return operation.entry == &ops::list_push_entry() && push(operation);
}

bool ListBuilder::length(const ir::Operation& operation) {
  const SlotId slot = places_.slot_of(operation.args[0]);
  code_.append(instruction::ListLength{places_.define_number(operation.results[0]), slot});
  steps_.drop_dead_values();
  return true;
}

bool ListBuilder::read(const ir::Operation& operation) {
  const ir::Id result = operation.results[0];
  if (!is_number(graph_, result)) {
    steps_.perform(operation, step::ListItem{operator_of(operation)});
    return true;
  }
  const uint32_t otherwise = steps_.raising(operation);
  const Register at = code_.convert(places_.number(operation.args[1]), Dtype::i64).id;
  const Register to = places_.define_number(result);
  const SlotId slot = places_.slot_of(operation.args[0]);
  code_.append(instruction::ListItem{to, slot, at, otherwise});
  steps_.drop_dead_values();
  return true;
}

bool ListBuilder::write(const ir::Operation& operation) {
  const SlotId slot = steps_.slot_to_change(operation);
  if (!is_number(graph_, operation.args[2])) {
    steps_.call(steps_.changing(operation, step::ListSet{operator_of(operation)}, slot));
    return true;
  }
  const uint32_t otherwise = steps_.add(steps_.changing(operation, steps_.application(operation), slot));
  const Register at = code_.convert(places_.number(operation.args[1]), Dtype::i64).id;
  const Register value = places_.number(operation.args[2]).id;
  code_.append(instruction::ListSet{slot, at, value, otherwise});
  return true;
}

bool ListBuilder::push(const ir::Operation& operation) {
  const SlotId slot = steps_.slot_to_change(operation);
  if (!is_number(graph_, operation.args[1])) {
    steps_.call(steps_.changing(operation, step::ListPush{}, slot));
    return true;
  }
  Step room{.action = step::MakeRoom{}, .place = operation.place};
  room.operands.push_back({Operand::Kind::slot, false, slot, Value()});
  const Register value = places_.number(operation.args[1]).id;
  code_.append(instruction::ListPush{slot, value, steps_.add(std::move(room))});
  return true;
}

}  // namespace covec::loops
