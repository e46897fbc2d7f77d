// Rules for operators that rearrange elements: they remove operations that change nothing, and merge pairs into one.
#include <array>
#include <unordered_map>
#include <utility>

#include "jit/passes/analysis/failures.hpp"
#include "jit/passes/simplify.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/value/error.hpp"

namespace covec::passes {

using namespace ir;

namespace {

// To the shape that it has: the elements are where they were. It cannot fail, whatever its entry says. (sum_to and
// fit_to convert small dtypes: then the types differ.)
bool to_own_shape(Rewriter& rewriter, Operation& operation) {
  const Value x = operation.args[0];
  if (!rewriter.same_type(result_of(rewriter, operation), x)) return false;
  return rewriter.replace(operation, x);
}

bool keeps_order(const Operation* operation) {
  if (operation == nullptr || operation->kind != Kind::apply) return false;
  const ops::Entry* entry = operation->entry;
  return entry == &ops::reshape_entry() || entry == &ops::squeeze_entry() || entry == &ops::unsqueeze_entry();
}

// The same elements in the same order, back in the shape that they had: x, for any number of steps between.
bool reshape(Rewriter& rewriter, Operation& operation) {
  if (operation.entry == &ops::reshape_entry() && infers_from_unknown(rewriter.graph(), operation)) return false;
  if (to_own_shape(rewriter, operation)) return true;
  const Operation* inner = rewriter.maker(operation.args[0]);
  for (unsigned steps = 0; keeps_order(inner) && steps < 4; ++steps) {
    const Value x = inner->args[0];
    if (rewriter.same_type(result_of(rewriter, operation), x)) return rewriter.replace(operation, x);
    inner = rewriter.maker(x);
  }
  inner = rewriter.maker(operation.args[0]);
  if (operation.entry != &ops::reshape_entry() || !keeps_order(inner)) return false;
  if (may_fail_or_acts(rewriter.graph(), operation)) return false;
  const Value between = std::exchange(operation.args[0], inner->args[0]);
  if (!may_fail_or_acts(rewriter.graph(), operation)) return true;
  operation.args[0] = between;
  return false;
}

using Axes = std::array<unsigned, max_rank>;

// Result axis i is operand axis axes[i].
bool read_axes(const Operation& operation, unsigned rank, Axes& axes) {
  std::vector<Value> args = operation.args, rest = operation.rest;
  for (size_t i = 1; i < args.size(); ++i) {
    if (has_symbols(args[i])) return false;
  }
  for (const Value& value : rest) {
    if (has_symbols(value)) return false;
  }
  const ops::Call call{*operation.entry, args, rest, 0};
  if (!ops::variadic_given(call)) {
    for (unsigned i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
    return true;
  }
  try {
    const ops::Integers given = ops::variadic_integers(call);
    if (given.size() != rank) return false;
    for (unsigned i = 0; i < rank; ++i) axes[i] = ops::normal_axis(call, given[i], rank);
    return true;
  } catch (const OpError&) {
    return false;
  }
}

bool is_identity(const Axes& axes, unsigned rank) {
  for (unsigned i = 0; i < rank; ++i) {
    if (axes[i] != i) return false;
  }
  return true;
}

// Axes in their own order are none; two orders are one.
bool permute(Rewriter& rewriter, Operation& operation) {
  const unsigned rank = rewriter.type(operation.args[0]).shape.rank();
  Axes axes, inner_axes, both;
  if (rank < 2) return to_own_shape(rewriter, operation);
  if (!read_axes(operation, rank, axes)) return false;
  if (is_identity(axes, rank)) return rewriter.replace(operation, operation.args[0]);
  const Operation* inner = rewriter.maker(operation.args[0]);
  if (inner == nullptr || inner->kind != Kind::apply) return false;
  if (inner->entry != &ops::transpose_entry() && inner->entry != &ops::permute_entry()) return false;
  if (!read_axes(*inner, rank, inner_axes)) return false;
  for (unsigned i = 0; i < rank; ++i) both[i] = inner_axes[axes[i]];
  const Value x = inner->args[0];
  if (is_identity(both, rank)) return rewriter.replace(operation, x);
  operation.entry = &ops::permute_entry();
  operation.args = {x, Value()};
  operation.rest.clear();
  for (unsigned i = 0; i < rank; ++i) operation.rest.emplace_back(static_cast<int64_t>(both[i]));
  return true;
}

// x, which must have a shape that it has.
bool expect(Rewriter& rewriter, Operation& operation) {
  Shape shape = rewriter.type(operation.args[0]).shape;
  if (operation.rest.size() != shape.rank()) return false;
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    const Value& size = operation.rest[axis];
    Dim dim;
    if (is_symbol(size)) {
      const Operation* extent = rewriter.maker(size);
      if (extent == nullptr || extent->kind != Kind::dimension || !is_symbol(extent->args[0])) return false;
      dim = rewriter.type(extent->args[0]).shape[static_cast<unsigned>(extent->number)];
    } else if (size.tag() == Tag::i64 && size.i64() >= 0) {
      dim = Dim(size.i64());
    } else {
      return false;
    }
    if (!rewriter.extents().same(dim, shape[axis])) return false;
  }
  return to_own_shape(rewriter, operation);
}

// All of an axis.
bool narrow(Rewriter& rewriter, Operation& operation) {
  const Value& first = operation.args[2];
  return first.tag() == Tag::i64 && first.i64() == 0 && to_own_shape(rewriter, operation);
}

// Slices that leave nothing out.
bool slice(Rewriter& rewriter, Operation& operation) {
  const ops::IndexSpec spec(operation.args[1].i64());
  for (unsigned i = 0; i < spec.items(); ++i) {
    if (spec.item(i) != ops::IndexSpec::Item::slice || spec.has_step(i)) return false;
  }
  return to_own_shape(rewriter, operation);
}

// Reversed along no axis that has two elements: a number.
bool of_number(Rewriter& rewriter, Operation& operation) {
  return rewriter.type(operation.args[0]).shape.empty() && to_own_shape(rewriter, operation);
}

// Only the operand's type counts, in what is asked and in what is said. So what it is made of, element by element, does
// as well, if that has its type: then the operand itself need not be there as early.
bool expect_elements(Rewriter& rewriter, Operation& operation) {
  const Value& x = operation.args[0];
  const Operation* made_by = rewriter.maker(x);
  if (made_by == nullptr || made_by->kind != Kind::apply || made_by->entry->pointwise == nullptr) return false;
  for (const Value& earlier : made_by->args) {
    if (!is_symbol(earlier) || rewriter.is_boxed(earlier) || !rewriter.visible(earlier)) continue;
    if (!rewriter.same_type(earlier, x)) continue;
    operation.args[0] = earlier;
    return true;
  }
  return false;
}

}  // namespace

Rule shape_rule(const ops::Entry& entry) {
  static const std::unordered_map<const ops::Entry*, Rule> rules = {
      {&ops::reshape_entry(), reshape},     {&ops::squeeze_entry(), reshape},
      {&ops::unsqueeze_entry(), reshape},   {&ops::broadcast_to_entry(), to_own_shape},
      {&ops::sum_to_entry(), to_own_shape}, {&ops::fit_to_entry(), to_own_shape},
      {&ops::transpose_entry(), permute},   {&ops::permute_entry(), permute},
      {&ops::expect_shape_entry(), expect}, {&ops::flip_entry(), of_number},
      {&ops::handles().narrow, narrow},     {&ops::expect_elements_entry(), expect_elements},
      {&ops::handles().index_read, slice},
  };
  const auto found = rules.find(&entry);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace covec::passes
