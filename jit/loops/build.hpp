// From tensor graph to loop IR: one nest per operation (pointwise), or one per group of adjacent reduced axes.
#pragma once

#include "jit/loops/loop_ir.hpp"

namespace covec::loops {

// `graph` must outlive the program. Throws ir::NotLowered for an operation that has no loops of its own.
Program build(const ir::Graph& graph);

}  // namespace covec::loops
