#include "jit/simd/lanes/lane_halves.hpp"

namespace covec::simd {

using loops::Instruction;
using loops::Register;
namespace instruction = loops::instruction;

LaneHalves::LaneHalves(const loops::Code& code, const loops::Varying& varying)
    : half_(code.registers.size()), cut_(code.registers.size()) {
  constexpr uint64_t lower_half = 0xffffffff;  // the bits of a 64-bit word
  const auto is_small = [&](Register r) { return varying.constant(r) && *varying.constant(r) <= lower_half; };
  for (const Instruction& i : code.instructions) {
    const Register* const to = loops::written_by(i);
    if (to == nullptr || !varying.is_local(*to) || code.registers[*to] != Dtype::i64) continue;
    const auto* const scalar = std::get_if<instruction::Scalar>(&i);
    cut_[*to] = scalar != nullptr && scalar->op == ops::ScalarOp::bit_and && is_small(scalar->operands[1]);
    half_[*to] = cut_[*to] || is_small(*to);
  }
  for (const Instruction& i : code.instructions) {
    const auto* const scalar = std::get_if<instruction::Scalar>(&i);
    if (scalar == nullptr || !multiplies(*scalar)) loops::each_read(i, [&](Register r) { cut_[r] = false; });
  }
}

bool LaneHalves::multiplies(const instruction::Scalar& i) const {
  return i.op == ops::ScalarOp::mul && half_[i.operands[0]] && half_[i.operands[1]];
}

}  // namespace covec::simd
