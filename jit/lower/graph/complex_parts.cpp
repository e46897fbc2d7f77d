#include "jit/lower/graph/complex_parts.hpp"

#include "stdlib/autodiff/level.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

Value with_extents(GraphWriter& writer, const Value& part, const Shape& shape) {
  if (part.is_traced()) {
    const Traced& traced = part.traced();
    Value primal = with_extents(writer, traced.primal, shape);
    switch (traced.trace) {
      case TraceKind::tape: return autodiff::make_tape(traced.level, std::move(primal), traced.node);
      case TraceKind::batch: return autodiff::make_batch(traced.level, std::move(primal));
      case TraceKind::jvp: break;
    }
    return autodiff::make_jvp(traced.level, std::move(primal), with_extents(writer, traced.tangent, shape));
  }
  if (!is_symbol(part) || writer.is_boxed(part)) return part;
  const Id id = id_of(part);
  Shape& own = writer.graph().values[id].type.shape;
  if (own.rank() < shape.rank()) return part;
  for (unsigned axis = 0, examples = own.rank() - shape.rank(); axis < shape.rank(); ++axis) {
    if (writer.dimensions().is_axis_of(own[examples + axis], id, examples + axis)) own[examples + axis] = shape[axis];
  }
  return writer.graph().symbol(id);
}

Value with_parts_of_one_shape(GraphWriter& writer, const Value& tree) {
  if (!is_complex(tree)) {
    return is_tree(tree) ? map_parts(tree, [&](const Value& part) { return with_parts_of_one_shape(writer, part); })
                         : tree;
  }
  const Complex& z = complex_of(tree);
  const auto typed = [](const Value& part) { return is_operand(part) && !is_boxed_symbol(part) && !is_run_list(part); };
  if (!typed(z.re()) || !typed(z.im())) return tree;
  Value im = with_extents(writer, z.im(), logical_type(z.re()).shape);
  Value re = with_extents(writer, z.re(), logical_type(im).shape);
  return make_complex(std::move(re), std::move(im));
}

}  // namespace covec::ir
