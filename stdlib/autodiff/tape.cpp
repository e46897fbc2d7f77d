// Recording: gather what the rule will want, apply the operator one level down, then write one compact entry. Nothing is
// linked in before the operator has succeeded, so an error leaves the tape as it was.
#include "stdlib/autodiff/tape.hpp"

#include <new>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/operands.hpp"

namespace covec::autodiff {

namespace {

size_t rank_sum(const OperandTypes& types) {
  size_t sum = 0;
  for (size_t i = 0; i < types.size(); ++i) sum += types[i].shape.rank();
  return sum;
}

int64_t* write_slot(TapeSlot& slot, uint32_t node, bool numeric, const Type& type, int64_t* dims) {
  slot = TapeSlot{node, type.dtype, static_cast<uint8_t>(type.shape.rank()), numeric};
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) *dims++ = type.shape[axis].number();
  return dims;
}

}  // namespace

TapeEntry* Tape::allocate(size_t operands, size_t dims) {
  const size_t bytes = sizeof(TapeEntry) + operands * (sizeof(Value) + sizeof(TapeSlot)) + dims * sizeof(int64_t);
  std::byte* block = static_cast<std::byte*>(arena_.allocate(bytes));
  TapeEntry* entry = new (block) TapeEntry;
  entry->operands = static_cast<uint32_t>(operands);
  entry->values = new (block + sizeof(TapeEntry)) Value[operands];
  std::byte* after_values = reinterpret_cast<std::byte*>(entry->values + operands);
  entry->dims = reinterpret_cast<int64_t*>(after_values);
  entry->slots = new (after_values + dims * sizeof(int64_t)) TapeSlot[operands];
  return entry;
}

Value Tape::record(ops::Builder& b, uint64_t level, ops::Call& call) {
  const size_t operands = call.operands();
  LocalArray<uint32_t> nodes(operands);
  for (size_t i = 0; i < operands; ++i) {
    Value& operand = call.operand(i);
    nodes[i] = 0;
    if (!is_traced_at(operand, level)) continue;
    nodes[i] = operand.traced().node;
    operand = take_primal(std::move(operand));
  }
  const ops::Derivative& derivative = call.entry.derivative;
  if (derivative.kind == ops::Derivative::Kind::none) return apply_constant(b, call);
  const OperandTypes types(call);
  LocalArray<Value> kept(operands);
  keep_operands(call, kept);
  Value result = apply_below(b, call);
  if (!is_differentiable(result)) return result;

  const Type result_type = logical_type(result);
  TapeEntry* entry = allocate(operands, rank_sum(types) + result_type.shape.rank());
  int64_t* dims = entry->dims;
  for (size_t i = 0; i < operands; ++i) {
    entry->values[i] = std::move(kept[i]);
    dims = write_slot(entry->slots[i], nodes[i], types.numeric(i), types[i], dims);
  }
  write_slot(entry->result_slot, ++nodes_, true, result_type, dims);
  if (derivative.keeps & ops::Derivative::result_bit) entry->result = result;
  entry->operation = &call.entry;
  entry->site = b.context().site;
  entry->parameters = static_cast<uint32_t>(call.args.size());
  entry->literals = call.literals;
  entry->previous = last_;
  last_ = entry;
  return make_tape(level, std::move(result), nodes_);
}

uint32_t Tape::record(std::unique_ptr<Composite> composite, std::span<const uint32_t> operands, uint32_t results,
                      const void* site) {
  TapeEntry* entry = allocate(operands.size(), 0);
  for (size_t i = 0; i < operands.size(); ++i) entry->slots[i].node = operands[i];
  entry->composite = composite.release();
  entry->site = site;
  entry->results = results;
  entry->result_slot.node = nodes_ + 1;
  nodes_ += results;
  entry->previous = last_;
  last_ = entry;
  has_composites_ = true;
  return entry->result_slot.node;
}

void Tape::drop_values(TapeEntry& entry) noexcept {
  for (uint32_t i = 0; i < entry.operands; ++i) entry.values[i] = Value();
  entry.result = Value();
  delete entry.composite;
  entry.composite = nullptr;
}

Tape::~Tape() {
  for (TapeEntry* entry = last_; entry != nullptr; entry = entry->previous) drop_values(*entry);
}

}  // namespace covec::autodiff
