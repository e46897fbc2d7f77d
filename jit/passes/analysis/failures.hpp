// Operations that cannot fail, though their entries say that such may: what ir::is_ordered knows, and for operations on
// shapes what canonical dimensions tell.
#pragma once

#include "jit/ir/graph.hpp"

namespace covec::passes {

bool may_fail_or_acts(const ir::Graph& graph, const ir::Operation& operation);

// Whether a reshape leaves a size out (-1) beside one that only the run knows: where that one is 0, nothing says how
// many there are, which is an error.
bool infers_from_unknown(const ir::Graph& graph, const ir::Operation& reshape);

}  // namespace covec::passes
