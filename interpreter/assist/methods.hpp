// Which builtins are methods of a value, for completion: `x.` lists those that take x as their first argument.
#pragma once

#include "frontend/core/builtins.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

// As far as parameters and samples show it; a builtin without samples may take anything.
bool is_method_of(const Builtin& builtin, const Value& receiver);

}  // namespace covec
