// Writes diagonal Jacobians directly. The Jacobian of an elementwise function is diagonal. Staging builds it by
// comparing all row numbers with all column numbers. This pass replaces that by zeros with the diagonal set. Devices
// keep the comparison, since they have no such operator.
#include <algorithm>

#include "jit/passes/passes.hpp"
#include "jit/passes/simplify.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/create/matrix.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/shape/shape.hpp"

namespace covec::passes {

using namespace ir;

namespace {

// 0, 1, …: as many as the value says that is given.
Value length_of_range(Rewriter& rewriter, const Value& value) {
  const Operation* range = rewriter.maker(value, ops::handles().arange);
  if (range == nullptr || range->args.size() != 4) return Value::unbound();
  const bool plain = range->args[1].is_none() && range->args[2].is_none() && range->args[3].is_none();
  if (!plain || rewriter.type(range->args[0]) != Type{Dtype::i64, {}}) return Value::unbound();
  return rewriter.visible(range->args[0]) ? range->args[0] : Value::unbound();
}

// where(arange(n) along a column == arange(n), x, 0), which derivatives of elementwise functions end in: x on the
// diagonal of zeros.
bool on_diagonal(Rewriter& rewriter, Operation& operation) {
  const Operation* equal = rewriter.maker(operation.args[0], ops::entry_of<ops::Equal>());
  const Value x = operation.args[1];
  if (equal == nullptr || !is_symbol(x) || !is_number(constant_of(rewriter, operation.args[2]), 0.0)) return false;
  const Shape& shape = rewriter.type(result_of(rewriter, operation)).shape;
  if (shape.rank() != 2 || rewriter.type(x).shape.rank() != 1 ||
      rewriter.type(x).dtype != rewriter.type(result_of(rewriter, operation)).dtype)
    return false;
  for (size_t i = 0; i < 2; ++i) {
    const Operation* column = rewriter.maker(equal->args[i], ops::unsqueeze_entry());
    if (column == nullptr || !same_operand(column->args[0], equal->args[1 - i])) continue;
    const Value length = length_of_range(rewriter, column->args[0]);
    const Dim rows = rewriter.type(column->args[0]).shape[0];
    const auto as_many = [&](Dim dim) { return rewriter.extents().same(dim, rows); };
    if (length.is_unbound() || !as_many(rewriter.type(x).shape[0]) || !as_many(shape[0]) || !as_many(shape[1]))
      return false;
    if (rewriter.type(equal->args[i]).shape[1] != Dim(1)) return false;
    operation.entry = &ops::on_diagonal_entry();
    operation.args = {x, Value(int64_t{0}), length, length};
    operation.literals = 0;
    return true;
  }
  return false;
}

bool diagonal_rule(Rewriter& rewriter, Operation& operation) {
  return operation.kind == Kind::apply && operation.entry == &ops::entry_of<ops::Where>() &&
         on_diagonal(rewriter, operation);
}

bool has_range(const Region& region) {
  return std::ranges::any_of(region.operations, [](const Operation& operation) {
    return operation.entry == &ops::handles().arange || std::ranges::any_of(operation.regions, has_range);
  });
}

}  // namespace

void diagonals(Graph& graph) {
  if (has_range(graph.body)) Rewriter(graph, diagonal_rule).run();
}

}  // namespace covec::passes
