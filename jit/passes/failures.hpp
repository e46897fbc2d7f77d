// Operations that cannot fail, though their entries say that such may: what ir::is_ordered knows, and for operations on
// shapes what canonical dimensions tell.
#pragma once

#include "jit/ir/graph.hpp"

namespace covec::passes {

bool may_fail_or_acts(const ir::Graph& graph, const ir::Operation& operation);

}  // namespace covec::passes
