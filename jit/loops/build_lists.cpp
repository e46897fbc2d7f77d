// Lists. Reading, writing and pushing a number become instructions. What they cannot do (an index out of range, a list
// that is shared or full) is done by a step; the operator's own finds its numbers in slots, so they are stored there
// beforehand. For tensors there are steps.
#include "jit/loops/build_context.hpp"
#include "stdlib/ops/general/lists.hpp"

namespace covec::loops {

using ir::id_of;
using ir::is_symbol;
using Op = Instruction::Kind;

bool Building::list_operation(const ir::Operation& operation) {
  if (operation.entry->staging != ops::Staging::lists || !is_needed(operation.results[0])) return false;
  if (operation.entry == &ops::list_length_entry()) return list_length(operation);
  if (operation.entry == &ops::list_item_entry()) return read_item(operation);
  if (operation.entry == &ops::list_set_entry()) return write_item(operation);
  return operation.entry == &ops::list_push_entry() && push_item(operation);
}

bool Building::list_length(const ir::Operation& operation) {
  Instruction& instruction = code_.append(Op::list_length);
  const SlotId slot = slot_of(operation.args[0]);
  instruction.slot = slot;
  instruction.to = define_number(operation.results[0]);
  drop_deaths(nullptr);
  return true;
}

bool Building::read_item(const ir::Operation& operation) {
  const ir::Id result = operation.results[0];
  if (!is_number(result)) {
    library_step(operation, Step::Kind::list_item);
    return true;
  }
  Step step = describe(operation, Step::Kind::apply);
  step.raises = true;
  for (Operand& operand : step.operands) operand.last = false;
  const uint32_t otherwise = add_step(std::move(step));
  const Register at = code_.convert(number(operation.args[1]), Dtype::i64).id;
  const Register to = define_number(result);
  Instruction& instruction = code_.append(Op::list_item);
  instruction.to = to;
  instruction.slot = slot_of(operation.args[0]);
  instruction.index = otherwise;
  instruction.indices = {at};
  taken_.clear();
  drop_deaths(nullptr);
  return true;
}

// A step that changes the list where it lies.
Step Building::changing(const ir::Operation& operation, Step::Kind kind, SlotId list) {
  Step step = describe(operation, kind);
  step.operands[0] = Operand{Operand::Kind::slot, true, list, Value()};
  step.results = {list};
  return step;
}

bool Building::write_item(const ir::Operation& operation) {
  const SlotId slot = place_to_write(operation);
  if (!is_number(operation.args[2])) {
    code_.step(add_step(changing(operation, Step::Kind::list_set, slot)));
    return true;
  }
  const uint32_t otherwise = add_step(changing(operation, Step::Kind::apply, slot));
  const Register at = code_.convert(number(operation.args[1]), Dtype::i64).id;
  const Register value = number(operation.args[2]).id;
  Instruction& instruction = code_.append(Op::list_set);
  instruction.slot = slot;
  instruction.operands[0] = value;
  instruction.index = otherwise;
  instruction.indices = {at};
  return true;
}

bool Building::push_item(const ir::Operation& operation) {
  const SlotId slot = place_to_write(operation);
  if (!is_number(operation.args[1])) {
    code_.step(add_step(changing(operation, Step::Kind::list_push, slot)));
    return true;
  }
  Step room;
  room.kind = Step::Kind::room;
  room.place = operation.place;
  room.operands.push_back({Operand::Kind::slot, false, slot, Value()});
  const Register value = number(operation.args[1]).id;
  Instruction& instruction = code_.append(Op::list_push);
  instruction.slot = slot;
  instruction.operands[0] = value;
  instruction.index = add_step(std::move(room));
  return true;
}

}  // namespace covec::loops
