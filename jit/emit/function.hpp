// Writes a plan as the body of one C function. Numbers become variables, control flow stays as it is, and each kind of
// step has a writer (steps.hpp). Start at write_function().
#pragma once

#include "jit/emit/frame.hpp"

namespace covec::emit {

struct Body {
  std::string text;
  Size work_bytes = 0;              // and, behind them, the most of
  std::vector<Size> scratch_bytes;  // these
};

// Inputs are read by the names of their ports, numbers as variables, tensors as pointers; outputs are pointers.
Body write_function(const loops::Plan& plan, const Shapes& shapes, File& file, std::span<const Port> inputs,
                    std::span<const Port> outputs);

}  // namespace covec::emit
