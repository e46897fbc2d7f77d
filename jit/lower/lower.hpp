// From core to tensor IR. Straight-line functions so far: assignments of names, operators whose types are tensors, a
// result or a tuple of results. What is not of this kind is refused with its place, and the function stays interpreted.
#pragma once

#include <span>
#include <string>

#include "frontend/resolve/core.hpp"
#include "jit/ir/graph.hpp"
#include "stdlib/value/context.hpp"

namespace covec::ir {

// Thrown when a function cannot be lowered: where, and why.
struct NotLowered {
  Span span;
  std::string reason;
};

// What a parameter is known to be: dtype and rank; sizes are left open, so one graph serves every shape.
struct ParameterType {
  Dtype dtype = Dtype::f64;
  unsigned rank = 0;
};

// Throws NotLowered, or OpError (an error that every call would raise).
Graph lower(const core::Function& function, std::span<const ParameterType> parameters, ops::Context& context);

}  // namespace covec::ir
