// Most of a frame lies on the engine's own stack there, beside the one in memory that is asked for. Where the first has
// 500 KB for 330 KB of the other (interpreter/web/page.cpp), texts of 26 forms nest 372 deep and more (functions within
// calls of `grad` least, parentheses 970), so a level is given a quarter more than it takes.
#include "frontend/parse/limits.hpp"

namespace covec::grammar {

uint32_t nesting_on(size_t stack) { return nesting_within(stack, size_t{32} << 10, size_t{1} << 10); }

}  // namespace covec::grammar
