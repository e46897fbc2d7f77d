// Folds constants: operations on numbers and on tensors of a few elements, extents, branches and loops with a known
// course, and values that all paths agree on.
//
// Bits are kept because the eager engine computes (evaluate.hpp), and it defines the meaning of every operator. An
// operation that would fail is left in place: if the run reaches it, it raises its error there. Extents come from the
// types; the operations that gave the values have checked them.
//
// The trade-off: a constant tensor of up to 64 elements may replace an operation. Larger ones would make the code's
// data grow for little gain. A choice between two numbers that are already computed becomes a `where`: this is cheaper
// than a jump, and it fuses.
#include "jit/passes/analysis/failures.hpp"
#include "jit/passes/passes.hpp"
#include "jit/passes/rewriter.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::passes {

using namespace ir;

namespace {

bool is_constant(const Value& value) { return !is_symbol(value) && !has_symbols(value); }

bool fold_dimension(Rewriter& rewriter, Operation& operation) {
  const Value& of = operation.args[0];
  const auto axis = static_cast<unsigned>(operation.number);
  if (of.is_tensor()) return rewriter.replace(operation, Value(of.tensor().dim(axis)));
  if (!is_symbol(of) || rewriter.is_boxed(of)) return false;
  const std::optional<Dim> dim = rewriter.extents().canonical(rewriter.type(of).shape[axis]);
  if (!dim) return false;
  if (dim->known()) return rewriter.replace(operation, Value(dim->number()));
  const DimExpression e = rewriter.graph().dims[dim->id()];
  if (e.kind == DimExpression::Kind::number && rewriter.type(rewriter.values().now(e.value)).dtype == Dtype::i64) {
    return rewriter.replace(operation, rewriter.values().now(e.value));
  }
  if (e.kind != DimExpression::Kind::axis_of || (e.value == id_of(of) && e.axis == axis)) return false;
  operation.args[0] = rewriter.values().now(e.value);
  operation.number = e.axis;
  return false;
}

// What was put into a box is what comes out.
bool fold_unbox(Rewriter& rewriter, Operation& operation) {
  const Operation* boxing = rewriter.maker(operation.args[0]);
  if (boxing == nullptr || boxing->kind != Kind::box) return false;
  const Value& inside = boxing->args[0];
  if (!(inside.is_numeric() || is_symbol(inside)) || rewriter.is_boxed(inside)) return false;
  const Type type = rewriter.graph().values[operation.results[0]].type, has = rewriter.type(inside);
  if (type.dtype != has.dtype || type.shape.rank() != has.shape.rank()) return false;
  return rewriter.replace(operation, inside);
}

bool fold_choice(Rewriter& rewriter, Operation& operation) {
  if (operation.args[0].tag() != Tag::boolean) return false;
  const Value chosen = operation.args[operation.args[0].boolean() ? 1 : 2];
  const Value result = rewriter.graph().symbol(operation.results[0]);
  if (may_fail_or_acts(rewriter.graph(), operation)) return false;
  if (rewriter.same_type(result, chosen)) return rewriter.replace(operation, chosen);
  const Type wanted = rewriter.type(result);
  if (!rewriter.extents().same(wanted.shape, rewriter.type(chosen).shape)) return false;
  operation.entry = &ops::cast_entry(wanted.dtype);
  operation.args = {chosen};
  operation.literals = 0;
  return true;
}

// Like a number: the number 0 or 1.
bool fold_likeness(Rewriter& rewriter, Operation& operation) {
  const bool ones = operation.entry == &ops::ones_like_entry();
  if (!ones && operation.entry != &ops::zeros_like_entry()) return false;
  const Type& type = rewriter.graph().values[operation.results[0]].type;
  return type.shape.empty() && rewriter.replace(operation, Evaluator::number(ones ? 1 : 0, type.dtype));
}

bool fold_apply(Rewriter& rewriter, Operation& operation) {
  if (operation.entry->staging != ops::Staging::typed || operation.entry == &ops::handles().max_apart) return false;
  if (fold_likeness(rewriter, operation)) return true;
  if (operation.entry == &ops::entry_of<ops::Where>() && fold_choice(rewriter, operation)) return true;
  for (const std::vector<Value>* list : {&operation.args, &operation.rest}) {
    for (const Value& value : *list) {
      if (!is_constant(value)) return false;
    }
  }
  const Type type = rewriter.graph().values[operation.results[0]].type;
  const std::optional<Value> result = rewriter.evaluator().run(operation);
  if (!result || dtype_of(*result) != type.dtype || rank_of(*result) != type.shape.rank()) return false;
  return rewriter.replace(operation, *result);
}

}  // namespace

bool fold_rule(Rewriter& rewriter, Operation& operation) {
  switch (operation.kind) {
    case Kind::apply: return fold_apply(rewriter, operation);
    case Kind::dimension: return fold_dimension(rewriter, operation);
    case Kind::unbox: return fold_unbox(rewriter, operation);
    default: return false;
  }
}

void fold(Graph& graph) { Rewriter(graph, fold_rule).run(); }

}  // namespace covec::passes
