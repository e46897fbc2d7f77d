#include "interpreter/session/no_compiler.hpp"

namespace covec {

std::string told_without_compiler() { return "this build has no compiler"; }

}  // namespace covec
