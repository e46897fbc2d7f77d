// Marks for a profile: a statement that is marked tells its frame that it begins. A program that is not profiled has
// none, and pays nothing. Only between two runs.
#pragma once

#include "frontend/core/core.hpp"

namespace covec::core {

void mark_statements(Unit& unit, bool marks);

// Gives the place of a statement that is executed: of one with blocks, the part before them.
Span head_of(const Stmt& stmt);

}  // namespace covec::core
