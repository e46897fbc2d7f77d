// Thrown (as an OpError) where a walk cannot go on; the statement is interpreted then.
#pragma once

#include <string>

namespace covec::ir {

[[noreturn]] void not_staged(std::string what);

}  // namespace covec::ir
