#include "jit/loops/build_kernel.hpp"

#include <cstring>

#include "jit/loops/scalar_ops.hpp"

namespace covec::loops {

using ops::ScalarOp;
using ops::ScalarRef;

uint64_t bits_of(const Value& number) {
  uint64_t bits = 0;
  if (number.tag() == Tag::boolean) return number.boolean();
  std::memcpy(&bits, number.scalar_data(), size_of(number.scalar_dtype()));
  return bits;
}

// --- kernels ---

ScalarRef KernelBuilder::append(const KernelInstruction& instruction) {
  kernel_.code.push_back(instruction);
  return {static_cast<uint32_t>(kernel_.code.size() - 1), instruction.dtype};
}

ScalarRef KernelBuilder::shared(const KernelInstruction& i) {
  const Key key{i.kind, i.dtype, i.op, i.operands[0], i.operands[1], i.operands[2], i.index, i.bits};
  for (const auto& scope : scopes_) {
    if (const auto found = scope.find(key); found != scope.end()) return {found->second, i.dtype};
  }
  const ScalarRef made = append(i);
  scopes_.back().emplace(key, made.id);
  return made;
}

ScalarRef KernelBuilder::constant(Dtype dtype, uint64_t bits) {
  KernelInstruction instruction;
  instruction.kind = KernelInstruction::Kind::constant;
  instruction.dtype = dtype;
  instruction.bits = bits;
  return shared(instruction);
}

ScalarRef KernelBuilder::load(Dtype dtype, uint32_t input) {
  KernelInstruction instruction;
  instruction.kind = KernelInstruction::Kind::load;
  instruction.dtype = dtype;
  instruction.index = input;
  return shared(instruction);
}

ScalarRef KernelBuilder::number(Dtype dtype, uint32_t index) {
  KernelInstruction instruction;
  instruction.kind = KernelInstruction::Kind::number;
  instruction.dtype = dtype;
  instruction.index = index;
  return shared(instruction);
}

std::optional<uint64_t> KernelBuilder::constant_bits(ScalarRef value) const {
  const KernelInstruction& instruction = kernel_.code[value.id];
  if (instruction.kind != KernelInstruction::Kind::constant) return std::nullopt;
  return instruction.bits;
}

// Comparisons of integer constants: whether a division by a written number can fail.
std::optional<bool> KernelBuilder::known(ScalarOp op, ScalarRef a, ScalarRef b) const {
  if (kind_of(a.dtype) != DtypeKind::integer || a.dtype != b.dtype) return std::nullopt;
  const auto left = constant_bits(a), right = constant_bits(b);
  if (!left || !right) return std::nullopt;
  const bool narrow = a.dtype == Dtype::i32;
  const int64_t x = narrow ? static_cast<int32_t>(*left) : static_cast<int64_t>(*left);
  const int64_t y = narrow ? static_cast<int32_t>(*right) : static_cast<int64_t>(*right);
  switch (op) {
    case ScalarOp::lt: return x < y;
    case ScalarOp::le: return x <= y;
    case ScalarOp::eq: return x == y;
    case ScalarOp::ne: return x != y;
    default: return std::nullopt;
  }
}

ScalarRef KernelBuilder::emit(ScalarOp op, Dtype result, ScalarRef a, ScalarRef b, ScalarRef c) {
  const uint8_t arity = info_of(op).arity;
  if (arity == 2) {
    if (const auto truth = known(op, a, b)) return constant(Dtype::boolean, *truth);
  }
  // An integer constant in another integer dtype is a constant, so that failures stay visible.
  if (op == ScalarOp::convert && a.dtype == Dtype::i64 && result == Dtype::i32) {
    if (const auto bits = constant_bits(a)) return constant(result, *bits & 0xffffffffu);
  }
  KernelInstruction instruction;
  instruction.dtype = result;
  instruction.op = op;
  instruction.arity = arity;
  const ScalarRef operands[3] = {a, b, c};
  for (unsigned i = 0; i < arity; ++i) instruction.operands[i] = operands[i].id;
  return shared(instruction);
}

ScalarRef KernelBuilder::rare(ScalarRef condition, ScalarRef usual, ScalarRef (*slow)(void* state), void* state) {
  KernelInstruction begin;
  begin.kind = KernelInstruction::Kind::rare;
  begin.dtype = Dtype::boolean;
  begin.operands[0] = condition.id;
  append(begin);
  scopes_.emplace_back();
  const ScalarRef inside = slow(state);
  scopes_.pop_back();
  KernelInstruction end;
  end.kind = KernelInstruction::Kind::end_rare;
  end.dtype = usual.dtype;
  end.operands[0] = condition.id;
  end.operands[1] = inside.id;
  end.operands[2] = usual.id;
  return append(end);
}

void KernelBuilder::fail_where(ScalarRef failing) {
  if (constant_bits(failing) == 0u) return;
  if (kernel_.fails == Kernel::never) {
    kernel_.fails = failing.id;
  } else {
    const ScalarRef before{kernel_.fails, Dtype::boolean};
    kernel_.fails = emit(ScalarOp::bit_or, Dtype::boolean, before, failing, {}).id;
  }
}

// --- code ---

Register CodeBuilder::fresh(Dtype dtype, std::string_view name) {
  code_.registers.push_back(dtype);
  code_.register_names.emplace_back(name);
  return static_cast<Register>(code_.registers.size() - 1);
}

ScalarRef CodeBuilder::constant(Dtype dtype, uint64_t bits) {
  Instruction& instruction = append(Instruction::Kind::constant);
  instruction.bits = bits;
  return {instruction.to = fresh(dtype), dtype};
}

ScalarRef CodeBuilder::emit(ScalarOp op, Dtype result, ScalarRef a, ScalarRef b, ScalarRef c) {
  Instruction& instruction = append(Instruction::Kind::scalar);
  instruction.op = op;
  instruction.arity = info_of(op).arity;
  const ScalarRef operands[3] = {a, b, c};
  for (unsigned i = 0; i < instruction.arity; ++i) instruction.operands[i] = operands[i].id;
  return {instruction.to = fresh(result), result};
}

ScalarRef CodeBuilder::rare(ScalarRef condition, ScalarRef usual, ScalarRef (*slow)(void* state), void* state) {
  const Register result = fresh(usual.dtype);
  move(result, usual.id);
  append(Instruction::Kind::if_, condition.id);
  move(result, slow(state).id);
  append(Instruction::Kind::end_if);
  return {result, usual.dtype};
}

ScalarRef CodeBuilder::convert(ScalarRef value, Dtype to) {
  return value.dtype == to ? value : emit(ScalarOp::convert, to, value, {}, {});
}

void CodeBuilder::move(Register to, Register from) {
  if (to == from) return;
  Instruction& instruction = append(Instruction::Kind::move);
  instruction.to = to;
  instruction.operands[0] = from;
}

void CodeBuilder::load(Register to, SlotId slot) {
  Instruction& instruction = append(Instruction::Kind::load);
  instruction.to = to;
  instruction.slot = slot;
}

void CodeBuilder::store(SlotId slot, Register from) {
  Instruction& instruction = append(Instruction::Kind::store);
  instruction.slot = slot;
  instruction.operands[0] = from;
}

}  // namespace covec::loops
