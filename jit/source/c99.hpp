// Writes the loop IR as C99 text. Compiled by cc (engine.hpp) it is an oracle for the machine code of jit/simd; `covec
// dump --c` shows it. The trade-off: it is a plain loop over single elements, as close to the loop IR as C can be, and
// not fast. It needs -ffp-contract=off, -fwrapv and -fno-strict-aliasing. Of the C library's mathematics it uses only
// exactly defined functions: fma, floor and their kind. Start at c99().
#pragma once

#include <string>
#include <vector>

#include "jit/loops/program.hpp"

namespace covec::source {

// One file: a prelude; `int64_t NAME_kernelK(outputs, inputs, n, numbers)`, a loops::KernelFunction, for each kernel
// that is not like an earlier one; and `int32_t NAME_code(covec_activation*)`, the loops::CodeFunction.
struct C99Text {
  std::string text;
  std::vector<std::string> kernels;  // the function of each
};
C99Text c99(const loops::Program& program);
std::string c99_kernel_name(const loops::Program& program, size_t kernel);
std::string c99_code_name(const loops::Program& program);

// The parts. What every file begins with: types, layouts, and the functions that expressions call.
std::string c99_prelude();
std::string c99_kernel(const loops::Kernel& kernel, const std::string& name);
std::string c99_code(const loops::Program& program, const std::string& name);
// Letters, digits and underscores only.
std::string c99_identifier(const std::string& name);

}  // namespace covec::source
