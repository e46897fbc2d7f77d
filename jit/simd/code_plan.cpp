#include "jit/simd/code_plan.hpp"

namespace covec::simd {

using loops::Code;
using loops::Instruction;
using loops::Register;
using ops::ScalarOp;
namespace instruction = loops::instruction;

namespace {

// `open` has an entry for each if that is open: whether it is seldom.
bool parts_or_joins(const Instruction& i, std::vector<bool>& open) {
  if (const auto* const opened = std::get_if<instruction::If>(&i)) {
    open.push_back(opened->cold);
    return !opened->cold;
  }
  if (loops::is<instruction::EndIf>(i)) {
    const bool cold = open.back();
    open.pop_back();
    return !cold;
  }
  return loops::is<instruction::Else, instruction::Loop, instruction::EndLoop>(i);
}

bool is_comparison(const instruction::Scalar& i) {
  return i.op == ScalarOp::lt || i.op == ScalarOp::le || i.op == ScalarOp::eq || i.op == ScalarOp::ne;
}

bool has_condition(const Instruction& i, Register condition) {
  if (const auto* const opened = std::get_if<instruction::If>(&i)) return opened->condition == condition;
  if (const auto* const left = std::get_if<instruction::BreakIf>(&i)) return left->condition == condition;
  const auto* const left = std::get_if<instruction::BreakUnless>(&i);
  return left != nullptr && left->condition == condition;
}

}  // namespace

CodePlan::CodePlan(const Code& code, const Part* part)
    : code_(code),
      constants_(code.registers.size()),
      fused_into_(code.instructions.size(), none),
      comparison_of_(code.instructions.size(), none) {
  find_constants(part);
  find_fusions(part);
  find_locals();
  if (part == nullptr) return;
  for (const Crossing& crossing : part->in) last_use_[crossing.number] = not_local;
  for (const Crossing& crossing : part->out) last_use_[crossing.number] = not_local;
}

// Registers that are written once, with a constant.
void CodePlan::find_constants(const Part* part) {
  std::vector<unsigned> written(code_.registers.size(), 0);
  for (const Instruction& i : code_.instructions) {
    if (const Register* const to = loops::written_by(i)) ++written[*to];
    if (!loops::is<instruction::CallPart>(i)) continue;
    loops::each_read(i, [&](Register r) { ++written[r]; });
  }
  if (part != nullptr) {
    for (const Crossing& crossing : part->in) ++written[crossing.number];
    for (const Crossing& crossing : part->out) ++written[crossing.number];
  }
  for (const Instruction& i : code_.instructions) {
    const auto* const constant = std::get_if<instruction::Constant>(&i);
    if (constant != nullptr && written[constant->to] == 1) constants_[constant->to] = constant->bits;
  }
}

// Comparisons whose result is read only by the instruction behind them, which can do without it. Constants between the
// two are no code.
void CodePlan::find_fusions(const Part* part) {
  std::vector<unsigned> reads(code_.registers.size(), 0);
  if (part != nullptr) {
    for (const Crossing& crossing : part->out) ++reads[crossing.number];
  }
  for (const Instruction& i : code_.instructions) {
    loops::each_read(i, [&](Register r) { ++reads[r]; });
  }
  const std::vector<Instruction>& all = code_.instructions;
  const auto is_no_code = [&](const Instruction& i) {
    const auto* const constant = std::get_if<instruction::Constant>(&i);
    return constant != nullptr && constants_[constant->to];
  };
  for (size_t at = 0; at < all.size(); ++at) {
    const auto* const compare = std::get_if<instruction::Scalar>(&all[at]);
    if (compare == nullptr || !is_comparison(*compare) || reads[compare->to] != 1) continue;
    size_t next = at + 1;
    while (next < all.size() && is_no_code(all[next])) ++next;
    if (next == all.size() || !makes_condition_of(*compare, all[next])) continue;
    fused_into_[at] = next;
    comparison_of_[next] = at;
  }
}

// Whether `next` takes the result of the comparison as flags or mask of its own kind.
bool CodePlan::makes_condition_of(const instruction::Scalar& compare, const Instruction& next) const {
  if (has_condition(next, compare.to)) return true;
  const auto* const select = std::get_if<instruction::Scalar>(&next);
  if (select == nullptr || select->op != ScalarOp::select || select->operands[0] != compare.to) return false;
  const Dtype compared = dtype(compare.operands[0]), selected = dtype(select->to);
  return is_float(selected) ? compared == selected : !is_float(compared);
}

// Registers that are written and then read before the next place where paths part or meet (a cold if does not count:
// its code and what follows are one path, of which a piece is left out). Their places are taken by others after the
// last use: asmjit's time grows with the number of registers and of blocks.
void CodePlan::find_locals() {
  struct Seen {
    unsigned written = 0;
    size_t run = 0;
    bool elsewhere = false;
  };
  std::vector<Seen> seen(code_.registers.size());
  last_use_.assign(code_.registers.size(), not_local);
  size_t run = 0;
  std::vector<bool> open;
  const auto read = [&](Register r, size_t at) {
    seen[r].elsewhere = seen[r].elsewhere || seen[r].written == 0 || seen[r].run != run;
    last_use_[r] = at;
  };
  for (size_t at = 0; at < code_.instructions.size(); ++at) {
    const Instruction& i = code_.instructions[at];
    loops::each_read(i, [&](Register r) { read(r, is_fused(at) ? fused_into_[at] : at); });
    run += parts_or_joins(i, open);
    const Register* const to = loops::written_by(i);
    if (to == nullptr) continue;
    if (seen[*to].written++ == 0) seen[*to].run = run;
    seen[*to].elsewhere = seen[*to].elsewhere || seen[*to].run != run;
    last_use_[*to] = at;
  }
  for (Register r = 0; r < code_.registers.size(); ++r) {
    if (seen[r].elsewhere || seen[r].written == 0 || constants_[r]) last_use_[r] = not_local;
  }
}

}  // namespace covec::simd
