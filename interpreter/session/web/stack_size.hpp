// The stack of a program in a browser, which nobody can ask for its size.
#pragma once

#include <cstddef>

namespace covec {

// From the caller's frame on, programs may use so many bytes; without it there is no limit but that of calls.
void set_stack_size(size_t bytes);

}  // namespace covec
