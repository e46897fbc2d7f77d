// Who runs a program in a page knows nothing of builds.
#include "interpreter/session/no_compiler.hpp"

namespace covec {

std::string told_without_compiler() { return "the page has no compiler"; }

}  // namespace covec
