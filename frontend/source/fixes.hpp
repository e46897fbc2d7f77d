// Edits that cure what diagnostics tell.
#pragma once

#include <vector>

#include "frontend/source/diagnostic.hpp"

namespace covec {

// All edits of a diagnostic's fix; none, where it has no fix. Another use of an unknown name is wrong in the same way.
std::vector<Fix> edits_of(const Diagnostic& diagnostic);

}  // namespace covec
