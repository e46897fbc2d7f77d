// Marks for a profile: a statement before each statement that tells where the walk is. A program that is not profiled
// has none, and pays nothing. The compiler's walk leaves them out. Only between two runs: no block may be in use.
#pragma once

#include "frontend/core/core.hpp"

namespace covec::core {

void mark_statements(Unit& unit);
void unmark_statements(Unit& unit);

// The block as it was without marks.
bool has_marks(const Block& block);
Block without_marks(const Block& block);

}  // namespace covec::core
