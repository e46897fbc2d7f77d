// Answers questions about an operand of a graph, which is a Symbol for one of its values or a constant.
#pragma once

#include "jit/ir/graph.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::loops {

// A number lives in a register, everything else in a slot.
inline bool is_number(const ir::Graph& graph, ir::Id id) {
  return !graph.values[id].boxed && graph.values[id].type.shape.empty();
}
inline bool is_number(const ir::Graph& graph, const Value& value) {
  return ir::is_symbol(value) ? is_number(graph, ir::id_of(value)) : value.is_scalar();
}
inline Dtype dtype_of(const ir::Graph& graph, const Value& value) {
  return ir::is_symbol(value) ? graph.values[ir::id_of(value)].type.dtype : covec::dtype_of(value);
}
inline Shape shape_of(const ir::Graph& graph, const Value& value) {
  return ir::is_symbol(value) ? graph.values[ir::id_of(value)].type.shape : covec::shape_of(value);
}

}  // namespace covec::loops
