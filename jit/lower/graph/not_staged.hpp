// The exception (an OpError) that ends a walk that cannot go on; the statement is interpreted then.
#pragma once

#include <string>

#include "stdlib/value/value.hpp"

namespace covec::ir {

[[noreturn]] void not_staged(std::string what);

// A pullback's tape is no part of the graph: it must not go where the run would call it.
void refuse_pullbacks(const Value& value);

}  // namespace covec::ir
