// Stacks: a tree walker 10,000 calls deep does not fit the usual 8 MB. The command runs on a stack of its own, reserved
// and touched page by page. Everywhere else depth is checked against the bounds of the host's stack.
#pragma once

#include <cstddef>

#include "stdlib/value/function_ref.hpp"

namespace covec {

// Runs `body` on a stack of half a gigabyte (address space only) and gives its result. Exceptions must not leave it.
int run_on_big_stack(FunctionRef<int()> body);

// The lowest address that evaluation may use on the calling thread's stack; nullptr when it cannot be told.
const char* stack_floor();

// The bytes between here and the end of the calling thread's stack.
size_t stack_left();

}  // namespace covec
