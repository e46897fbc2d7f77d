// What programs are told where they ask for a compiler, and there is none.
#pragma once

#include <string>

namespace covec {

std::string told_without_compiler();

}  // namespace covec
