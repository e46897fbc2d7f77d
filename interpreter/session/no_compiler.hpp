// Programs that ask for a compiler where there is none are told so.
#pragma once

#include <string>

namespace covec {

std::string told_without_compiler();

}  // namespace covec
