// Reserves address space for values that never move. Pages are touched as values are made.
#pragma once

#include <cstddef>

#include "stdlib/value/value.hpp"

namespace covec {

extern const size_t max_values_of_calls;   // of all open calls
extern const size_t max_values_of_module;  // its names
Value* reserve_values(size_t count);
void release_values(Value* values, size_t count);

}  // namespace covec
