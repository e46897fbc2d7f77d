// Runs contractions. The operator takes factors by the numbers of their axes. Indices other than the reduced names are
// applied to each factor first.
#include "interpreter/eval/walk/contractions.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include <algorithm>

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

using core::Contract;
using core::ContractFactor;
using eval::row;

Raw Contractions::contract(const Contract& node, Frame& f) {
  std::vector<Value> tensors, ranges;
  for (const ContractFactor& factor : node.factors)
    tensors.push_back(tensor_of(parts_.expressions.value_of(*factor.tensor, f), factor.tensor->span, f));
  for (const core::Expr* range : node.ranges)
    ranges.push_back(range ? parts_.expressions.value_of(*range, f) : Value());
  parts_.applier.set_site(node.span);
  for (size_t t = 0; t < tensors.size(); ++t)
    tensors[t] = take_ranges(node.factors[t], std::move(tensors[t]), ranges, f);
  check_extents(node, tensors, f);
  std::vector<Span> spans;
  for (size_t t = 0; t < tensors.size(); ++t) {
    tensors[t] = read_outer(node.factors[t], std::move(tensors[t]), f);
    spans.push_back(node.factors[t].tensor->span);
  }
  return give(contract_factors(node, tensors, spans, f));
}

// A list or tuple of numbers that is indexed like a tensor is one.
Value Contractions::tensor_of(Value value, Span span, const Frame& f) const {
  if (!value.is(ObjectKind::list) && !value.is(ObjectKind::tuple)) return value;
  std::vector<Value> items = *children(value);
  try {
    return ops::make_literal(parts_.applier.builder(), items);
  } catch (...) {
    parts_.reporter.raise(current_error(), span, {}, &f);
  }
}

// Where a reduced name has a range of its own, each axis that it indexes is read at its numbers.
Value Contractions::take_ranges(const ContractFactor& factor, Value tensor, std::span<const Value> ranges,
                                const Frame& f) const {
  for (uint32_t axis = 0; axis < factor.axes.size(); ++axis) {
    const ContractFactor::Axis& at = factor.axes[axis];
    if (!at.reduced || ranges[at.which].is_none()) continue;
    IndexValues index;
    for (uint32_t before = 0; before < axis; ++before) index.spec.push(ops::IndexSpec::Item::slice);
    index.spec.push(ops::IndexSpec::Item::at);
    Value numbers = ranges[at.which];
    index.items.push_back(parts_.applier.call(ops::tensor_entry(), {&numbers, 1}, {}, 0, at.span, {}, f));
    index.spans.push_back(at.span);
    tensor = parts_.indexing.index_into(std::move(tensor), index, factor.tensor->span, factor.tensor->span, f);
  }
  return tensor;
}

// Every reduced name has one extent.
void Contractions::check_extents(const Contract& node, std::span<const Value> tensors, Frame& f) const {
  struct Seen {
    bool any = false;
    Dim extent = 0;
    Span span;
    std::string text;
  };
  std::vector<Seen> seen(node.reduced_names.size());
  for (size_t t = 0; t < tensors.size(); ++t) {
    const ContractFactor& factor = node.factors[t];
    for (uint32_t axis = 0; axis < factor.axes.size(); ++axis) {
      if (!factor.axes[axis].reduced) continue;
      const uint32_t which = factor.axes[axis].which;
      const std::string name(node.reduced_names[which]);
      const Dim extent = parts_.iteration.extent_of(tensors[t], axis, name, factor.tensor->span, f);
      const std::string text = "axis " + std::to_string(axis) + " of " + describe(tensors[t]);
      Seen& first = seen[which];
      if (!first.any) {
        first = {true, extent, factor.tensor->span, text};
      } else if (first.extent != extent) {
        if (!extent.known() || !first.extent.known()) {
          parts_.staged.agree(first.extent, extent, factor.tensor->span, f);
          continue;
        }
        parts_.reporter.fail(row("extent_mismatch"),
                             {name, std::to_string(first.extent.number()), std::to_string(extent.number())},
                             {{first.span, first.text}, {factor.tensor->span, text}}, f);
      }
    }
  }
}

// The factor with its outer indices applied; its reduced axes are left, in the order in which it has them.
Value Contractions::read_outer(const ContractFactor& factor, Value tensor, Frame& f) {
  IndexValues at;
  bool any = false;
  for (const ContractFactor::Axis& axis : factor.axes) {
    if (axis.reduced) {
      at.spec.push(ops::IndexSpec::Item::slice);
      continue;
    }
    any = true;
    at.spec.push(ops::IndexSpec::Item::at);
    at.items.push_back(parts_.expressions.value_of(*axis.outer, f));
    at.spans.push_back(axis.span);
  }
  return any ? parts_.indexing.index_into(std::move(tensor), at, factor.tensor->span, factor.tensor->span, f) : tensor;
}

// Reduced names are numbered from 0; axes that no index takes are axes of the result, numbered from their right end.
Value Contractions::contract_factors(const Contract& node, std::vector<Value>& tensors, std::span<const Span> spans,
                                     const Frame& f) const {
  // The first number of an axis that no index takes; more than a formula has reduced names.
  constexpr int64_t left_over = 1000;
  ops::ContractSpec spec;
  unsigned widest = 0;
  for (size_t t = 0; t < tensors.size(); ++t) {
    std::vector<int64_t> axes;
    for (const ContractFactor::Axis& axis : node.factors[t].axes) {
      if (axis.reduced) axes.push_back(axis.which);
    }
    const unsigned rank = logical_type(shaped_part(tensors[t])).shape.rank();
    const unsigned more = rank - static_cast<unsigned>(axes.size());
    for (unsigned i = more; i-- > 0;) axes.push_back(left_over + i);
    widest = std::max(widest, more);
    spec.factors.push_back(std::move(axes));
  }
  for (unsigned i = widest; i-- > 0;) spec.output.push_back(left_over + i);
  for (size_t k = 0; k < node.reduced_names.size(); ++k) spec.reduced.push_back(static_cast<int64_t>(k));
  Value args[1] = {spec.value()};
  std::vector<Span> operands = {node.span};
  operands.insert(operands.end(), spans.begin(), spans.end());
  return parts_.applier.call(ops::contract_entry(), args, tensors, 0, node.span, operands, f);
}

}  // namespace covec
