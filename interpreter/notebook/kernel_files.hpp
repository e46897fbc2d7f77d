// What Jupyter finds in the kernel's folder, as texts in the command: covec_kernel.py and logo.svg.
#pragma once

namespace covec::notebook {

extern const char* const kernel_program;
extern const char* const kernel_logo;

}  // namespace covec::notebook
