// Whether it pays to compile what must be interpreted in part. See pays.cpp.
#pragma once

#include "jit/ir/graph.hpp"

namespace covec::jit {

bool pays(const ir::Graph& graph);

}  // namespace covec::jit
