// Single elements: x[i, j], x[i, j] = a and x[i, j] += a with as many integers as x has axes become instructions. What
// they cannot do (an index out of range, a tensor that is shared) is done by the operator itself, in a step that finds
// its numbers in slots; so they are stored there beforehand.
#include "jit/loops/build_context.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::loops {

using ir::id_of;
using ir::is_symbol;
using Op = Instruction::Kind;

bool Building::element(const ir::Operation& operation) {
  if (operation.entry == &ops::index_read_entry()) return read_element(operation);
  if (operation.entry == &ops::index_update_entry()) return write_element(operation, false);
  return operation.entry == &ops::index_add_entry() && write_element(operation, true);
}

// The index is integers, one for each axis of args[0], a tensor.
bool Building::names_element(const ir::Operation& operation, size_t spec) const {
  const Value& x = operation.args[0];
  if (is_symbol(x) ? graph_.values[id_of(x)].boxed || is_number(x) : !x.is_tensor()) return false;
  const unsigned rank = is_symbol(x) ? graph_.values[id_of(x)].type.shape.rank() : x.tensor().rank();
  if (operation.args[spec].tag() != Tag::i64) return false;
  const ops::IndexSpec items(operation.args[spec].i64());
  if (items.items() != rank || operation.rest.size() != rank) return false;
  for (unsigned i = 0; i < rank; ++i) {
    if (items.item(i) != ops::IndexSpec::Item::at || !is_number(operation.rest[i])) return false;
    if (kind_of(dtype_of_number(operation.rest[i])) != DtypeKind::integer) return false;
  }
  return true;
}

std::vector<Register> Building::indices(const ir::Operation& operation) {
  std::vector<Register> result;
  for (const Value& item : operation.rest) result.push_back(code_.convert(number(item), Dtype::i64).id);
  return result;
}

bool Building::read_element(const ir::Operation& operation) {
  if (operation.args.size() != 2 || !names_element(operation, 1)) return false;
  const ir::Id result = operation.results[0];
  if (!is_number(result)) return false;
  Step step = describe(operation, Step::Kind::apply);
  step.raises = true;
  for (Operand& operand : step.operands) operand.last = false;
  const uint32_t otherwise = add_step(std::move(step));
  const std::vector<Register> at = indices(operation);
  const Register to = define_number(result);
  Instruction& instruction = code_.append(Op::element);
  instruction.to = to;
  instruction.slot = slot_of(operation.args[0]);
  instruction.index = otherwise;
  instruction.indices = at;
  taken_.clear();
  drop_deaths(nullptr);
  return true;
}

// x's own slot when nobody needs the old x, else another one that shares it for now.
SlotId Building::place_to_write(const ir::Operation& operation) {
  const Value& x = operation.args[0];
  const ir::Id result = operation.results[0];
  if (is_symbol(x) && takes(id_of(x))) {
    define_at(result, held_[id_of(x)].slot);
    return held_[result].slot;
  }
  Step share;
  share.kind = Step::Kind::box;
  share.operands.push_back(operand(is_symbol(x) ? x : Value()));
  if (!is_symbol(x)) share.operands[0].value = x;
  share.results.push_back(define_slot(result));
  code_.step(add_step(std::move(share)));
  return held_[result].slot;
}

bool Building::write_element(const ir::Operation& operation, bool adds) {
  if (operation.args.size() != 3 || !names_element(operation, 2) || !is_number(operation.args[1])) return false;
  const Value& x = operation.args[0];
  const Dtype dtype = is_symbol(x) ? graph_.values[id_of(x)].type.dtype : x.tensor().dtype();
  const Dtype given = dtype_of_number(operation.args[1]);
  if (is_float(given) && !is_float(dtype)) return false;
  if (adds && dtype == Dtype::boolean) return false;
  if (!is_needed(operation.results[0])) return false;
  const SlotId slot = place_to_write(operation);
  Step step = describe(operation, Step::Kind::apply);
  step.operands[0] = Operand{Operand::Kind::slot, true, slot, Value()};
  step.results = {slot};
  const uint32_t otherwise = add_step(std::move(step));
  const std::vector<Register> at = indices(operation);
  ops::ScalarRef value = code_.convert(number(operation.args[1]), dtype);
  if (adds) {
    const Register old = code_.fresh(dtype);
    Instruction& instruction = code_.append(Op::element);
    instruction.to = old;
    instruction.slot = slot;
    instruction.index = otherwise;
    instruction.indices = at;
    value = code_.emit(ops::ScalarOp::add, dtype, {old, dtype}, value, {});
  }
  Instruction& instruction = code_.append(Op::set_element);
  instruction.slot = slot;
  instruction.operands[0] = value.id;
  instruction.index = otherwise;
  instruction.indices = at;
  return true;
}

}  // namespace covec::loops
