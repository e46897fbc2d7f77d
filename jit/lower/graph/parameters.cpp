#include "jit/lower/graph/parameters.hpp"

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

Value Parameters::add(const Value& like, std::string name) {
  const Id id = like.is_numeric() ? numeric(like) : open(like);
  Graph& graph = writer_.graph();
  graph.values[id].name = std::move(name);
  graph.body.parameters.push_back(id);
  return graph.symbol(id);
}

Id Parameters::numeric(const Value& like) {
  Type type{dtype_of(like), {}};
  const Id id = writer_.graph().add(type, {});
  for (unsigned axis = 0; axis < rank_of(like); ++axis) type.shape.push_back(writer_.dimensions().axis_of(id, axis));
  writer_.graph().values[id].type = type;
  return id;
}

Id Parameters::open(const Value& like) {
  if (!like.is(ObjectKind::list) || !like.list().of_one_kind()) return writer_.graph().add_boxed();
  const Value& item = like.list().items()[0];
  return writer_.graph().add_list(dtype_of(item), rank_of(item));
}

Value Parameters::with_dim(const Value& parameter, unsigned axis, Dim extent) {
  Graph& graph = writer_.graph();
  Dim& known = graph.values[id_of(parameter)].type.shape[axis];
  writer_.dimensions().assume_equal(extent, known);
  known = extent;
  return graph.symbol(id_of(parameter));
}

}  // namespace covec::ir
