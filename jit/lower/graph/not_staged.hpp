// The exception (an OpError) that ends a walk that cannot go on; the statement is interpreted then.
#pragma once

#include <string>

#include "stdlib/value/value.hpp"

namespace covec::ir {

[[noreturn]] void not_staged(std::string what);

// Asks of an operand or result that the run can be given it. A pullback is not staged: its tape is no part of the
// graph. A value that still has what a derivative or vmap has wrapped around it, or is there on some paths only, would
// come out of the run without its elements: std::logic_error.
void require_plain(const Value& value);

}  // namespace covec::ir
