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

using Kind = Instruction::Kind;

constexpr size_t never = SIZE_MAX;

bool ends_line(Kind kind) {
  switch (kind) {
    case Kind::if_:
    case Kind::else_:
    case Kind::end_if:
    case Kind::loop:
    case Kind::end_loop:
    case Kind::break_if:
    case Kind::break_unless:
    case Kind::leave:
    case Kind::fail: return true;
    default: return false;
  }
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
    if (writes(i)) ++uses[i.to].writes;
  }
  size_t line = 0;  // where it begins
  const auto on_line = [&](size_t at) { return at != never && at >= line; };
  const auto is_saved = [&](const Instruction& i) {
    if (i.kind != Kind::move || code.registers[i.to] != code.registers[i.operands[0]]) return false;
    const Uses &from = uses[i.operands[0]], &to = uses[i.to];
    const bool only = from.writes == 1 && from.reads == 1 && on_line(from.written);
    return only && (!on_line(to.touched) || to.touched <= from.written);
  };
  for (size_t at = 0; at < code.instructions.size(); ++at) {
    Instruction& i = code.instructions[at];
    if (ends_line(i.kind)) line = at;
    if (is_saved(i)) {
      Instruction& made = code.instructions[uses[i.operands[0]].written];
      made.to = i.to;
      uses[i.to].written = uses[i.to].touched = uses[i.operands[0]].written;
      i.operands[0] = i.to;  // nothing is left to do
      continue;
    }
    each_read(i, [&](Register r) { uses[r].touched = at; });
    if (writes(i)) uses[i.to].written = uses[i.to].touched = at;
  }
  std::erase_if(code.instructions, [](const Instruction& i) { return i.kind == Kind::move && i.to == i.operands[0]; });
}

void coalesce(Plan& plan) {
  if (plan.program.routine) coalesce(plan.program.routine->code);
  coalesce(plan.program.code);
}

}  // namespace covec::loops
