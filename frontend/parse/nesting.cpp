#include "frontend/parse/limits.hpp"

namespace covec::grammar {

uint32_t nesting_on(size_t stack) { return nesting_within(stack, size_t{32} << 10, size_t{4} << 10); }

}  // namespace covec::grammar
