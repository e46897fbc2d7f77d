// Removes moves at the end of a loop's iteration. A loop-carried value is first computed in a register of its own and
// then moved, because only the end of the iteration shows that the old number is dead:
//
//   r12 = add r4, r11        r4 = add r4, r11
//   r4 = r12
//
// The right side is used if r12 has no other use, r4 is not touched in between, and both are on one straight line.
#include <algorithm>

#include "jit/loops/coalesce.hpp"

namespace covec::loops {

namespace {

constexpr size_t never = SIZE_MAX;

bool ends_line(const Instruction& i) {
  return is<instruction::If, instruction::Else, instruction::EndIf, instruction::Loop, instruction::EndLoop,
            instruction::BreakIf, instruction::BreakUnless, instruction::Leave, instruction::Fail>(i);
}

struct Uses {
  unsigned writes = 0, reads = 0;
  size_t written = never;  // on this line, the last time
  size_t touched = never;  // the same, read or written
};

}  // namespace

void coalesce(Code& code) {
  std::vector<Uses> uses(code.registers.size());
  for (const Instruction& i : code.instructions) {
    each_read(i, [&](Register r) { ++uses[r].reads; });
    if (const Register* const to = written_by(i)) ++uses[*to].writes;
  }
  size_t line = 0;  // where it begins
  const auto on_line = [&](size_t at) { return at != never && at >= line; };
  const auto is_saved = [&](const instruction::Move& move) {
    if (code.registers[move.to] != code.registers[move.from]) return false;
    const Uses &from = uses[move.from], &to = uses[move.to];
    const bool only = from.writes == 1 && from.reads == 1 && on_line(from.written);
    return only && (!on_line(to.touched) || to.touched <= from.written);
  };
  for (size_t at = 0; at < code.instructions.size(); ++at) {
    Instruction& i = code.instructions[at];
    if (ends_line(i)) line = at;
    if (auto* const move = std::get_if<instruction::Move>(&i); move != nullptr && is_saved(*move)) {
      *written_by(code.instructions[uses[move->from].written]) = move->to;
      uses[move->to].written = uses[move->to].touched = uses[move->from].written;
      move->from = move->to;  // nothing is left to do
      continue;
    }
    each_read(i, [&](Register r) { uses[r].touched = at; });
    if (const Register* const to = written_by(i)) uses[*to].written = uses[*to].touched = at;
  }
  std::erase_if(code.instructions, [](const Instruction& i) {
    const auto* const move = std::get_if<instruction::Move>(&i);
    return move != nullptr && move->to == move->from;
  });
}

void coalesce(Plan& plan) {
  if (plan.program.routine) coalesce(plan.program.routine->code);
  coalesce(plan.program.code);
}

}  // namespace covec::loops
