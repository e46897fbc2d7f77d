// Cuts long code into functions. asmjit's register allocation takes more than linear time, so code of tens of thousands
// of instructions would take seconds. Here sequences of code become functions that the rest calls. Each block in turn,
// from the innermost on, gives as many statements as make one part. A register that both sides use is passed through a
// cell of the activation. The trade-off: a call and some moves for some thousand instructions. Start at in_parts().
#pragma once

#include <cstdint>
#include <vector>

#include "jit/loops/program.hpp"

namespace covec::simd {

// A register that is handed over, and in which cell.
struct Crossing {
  loops::Register number;
  uint32_t cell;
};

struct Part {
  loops::Code code;
  std::vector<Crossing> in, out;  // loaded when it begins; stored when it ends (not where it leaves the function)
};

// instruction::CallPart calls a part; its `in` and `out` are the caller's registers.
struct InParts {
  loops::Code code;
  std::vector<Part> parts;  // one that calls another comes behind it
  uint32_t cells = 0;
};

struct Lengths {
  size_t longest;    // that is left as it is
  size_t of_a_part;  // instructions, about
};
constexpr Lengths usual_lengths{4000, 1500};
constexpr Lengths lengths_of_tests{30, 12};  // so that all that there is is cut

inline bool is_long(const loops::Code& code, const Lengths& lengths) {
  return code.instructions.size() > lengths.longest;
}
InParts in_parts(const loops::Code& code, const Lengths& lengths);

}  // namespace covec::simd
