// Lists, for explain, what a derivative keeps of each iteration of a loop until the reverse loop needs it.
#pragma once

#include <string>

#include "interpreter/compiler.hpp"
#include "jit/ir/graph.hpp"

namespace covec::jit {

std::string explain_saved(const Walker& walker, const ir::Graph& graph);

}  // namespace covec::jit
