// Whether it pays to compile what must be interpreted in part, or is calls of text alone. See pays.cpp.
#pragma once

#include "jit/ir/graph.hpp"

namespace covec::jit {

bool pays(const ir::Graph& graph);

}  // namespace covec::jit
