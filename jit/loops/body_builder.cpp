#include "jit/loops/body_builder.hpp"

namespace covec::loops {

using ops::ScalarOp;
using ops::ScalarRef;

unsigned arity_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::fma:
    case ScalarOp::select:
      return 3;
    case ScalarOp::negate:
    case ScalarOp::sqrt:
    case ScalarOp::floor:
    case ScalarOp::ceil:
    case ScalarOp::trunc:
    case ScalarOp::round_even:
    case ScalarOp::bit_not:
    case ScalarOp::convert:
    case ScalarOp::bitcast:
      return 1;
    default:
      return 2;
  }
}

ScalarRef BodyBuilder::append(Instruction instruction) {
  const Dtype dtype = instruction.dtype;
  body_.code.push_back(std::move(instruction));
  return {static_cast<uint32_t>(body_.code.size() - 1), dtype};
}

ScalarRef BodyBuilder::constant(Dtype dtype, uint64_t bits) {
  Instruction instruction;
  instruction.kind = Instruction::Kind::constant;
  instruction.dtype = dtype;
  instruction.bits = bits;
  return append(std::move(instruction));
}

ScalarRef BodyBuilder::emit(ScalarOp op, Dtype result, ScalarRef a, ScalarRef b, ScalarRef c) {
  Instruction instruction;
  instruction.dtype = result;
  instruction.op = op;
  instruction.arity = static_cast<uint8_t>(arity_of(op));
  const ScalarRef operands[3] = {a, b, c};
  for (unsigned i = 0; i < instruction.arity; ++i) instruction.operands[i] = operands[i].id;
  return append(std::move(instruction));
}

ScalarRef BodyBuilder::load(Dtype dtype, Access access) {
  Instruction instruction;
  instruction.kind = Instruction::Kind::load;
  instruction.dtype = dtype;
  instruction.access = std::move(access);
  return append(std::move(instruction));
}

ScalarRef BodyBuilder::argument(Dtype dtype, uint32_t number) {
  Instruction instruction;
  instruction.kind = Instruction::Kind::argument;
  instruction.dtype = dtype;
  instruction.bits = number;
  return append(std::move(instruction));
}

ScalarRef BodyBuilder::convert(ScalarRef value, Dtype dtype) {
  return value.dtype == dtype ? value : emit(ScalarOp::convert, dtype, value, {}, {});
}

}  // namespace covec::loops
