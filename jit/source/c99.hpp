// The loop IR as C99 text. Compiled by cc it is an oracle for the other engines, and what `covec dump --c` shows. It needs
// -ffp-contract=off and the C library's mathematics only for fma, floor and their kind, all exactly defined.
//
// The text has two functions: NAME_dimensions(input_dims, d) computes every dimension and gives 0, or 1 + the number of
// the guard that fails; NAME_run(inputs, d, buffers) computes every buffer that is no parameter and gives 0, or 1 + the number of the operation
// that could not be computed. Inputs come with their strides (0 where an extent is 1); buffers are row-major.
#pragma once

#include <string>

#include "jit/loops/loop_ir.hpp"

namespace covec::source {

std::string c99(const loops::Program& program, const std::string& name);
// What every text begins with, once.
const char* c99_prelude();

// The C expression of one scalar operation over the named operands.
std::string c99_expression(const loops::Body& body, const loops::Instruction& instruction);

}  // namespace covec::source
