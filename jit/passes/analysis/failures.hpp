// Finds operations that cannot fail although their entries say that they may. It uses what ir::is_ordered knows and,
// for operations on shapes, canonical dimensions.
#pragma once

#include "jit/ir/graph.hpp"

namespace covec::passes {

bool may_fail_or_acts(const ir::Graph& graph, const ir::Operation& operation);
// Whether an operation without regions is done even if nobody needs its results.
bool is_due(const ir::Graph& graph, const ir::Operation& operation);

// Whether a reshape leaves a size out (-1) beside one that only the run knows: where that one is 0, nothing says how
// many there are, which is an error.
bool infers_from_unknown(const ir::Graph& graph, const ir::Operation& reshape);

}  // namespace covec::passes
