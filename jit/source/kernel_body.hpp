// What C texts of a kernel share: a variable per value, v0, v1, …, for one element. Values of a rare block are computed
// only where its condition holds.
#pragma once

#include <functional>
#include <string>

#include "jit/loops/program.hpp"

namespace covec::source {

// How the text around it names the element of input `index` as it lies in memory, and the word of number `index`; or,
// `typed`, variables that hold either. Then what no output needs is left out.
struct KernelNames {
  std::function<std::string(uint32_t index)> element, number;
  bool typed = false;
  std::string fma = "fma";  // the function of doubles that rounds once; that of floats has an f behind
};

// `kernel` has nothing outlined. The lines are `depth` steps deep.
std::string kernel_body(const loops::Kernel& kernel, size_t depth, const KernelNames& names);

}  // namespace covec::source
