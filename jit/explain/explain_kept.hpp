// What a derivative keeps of each pass of a loop until it comes back to it, for explain.
#pragma once

#include <string>

#include "interpreter/compiler.hpp"
#include "jit/ir/graph.hpp"

namespace covec::jit {

std::string explain_kept(const Walker& walker, const ir::Graph& graph, bool full);

}  // namespace covec::jit
