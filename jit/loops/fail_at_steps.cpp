#include "jit/loops/fail_at_steps.hpp"

namespace covec::loops {

void fail_at_steps(std::vector<Instruction>& code) {
  std::vector<Instruction> kept;
  size_t skipped = 0;  // blocks inside a part that is not reached
  bool reached = true;
  for (Instruction& i : code) {
    const bool opens = is<instruction::If, instruction::Loop>(i);
    const bool closes = is<instruction::EndIf, instruction::EndLoop>(i);
    if (!reached) {
      if (skipped == 0 && (closes || is<instruction::Else>(i))) reached = true;
      if (opens) ++skipped;
      if (closes && skipped > 0) --skipped;
      if (!reached) continue;
    }
    if (is<instruction::Store>(i)) continue;
    if (is<instruction::CallStep>(i)) {
      i = instruction::Fail{};
      reached = false;
    }
    kept.push_back(std::move(i));
  }
  code = std::move(kept);
}

}  // namespace covec::loops
