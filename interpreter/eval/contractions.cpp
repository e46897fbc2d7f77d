// sum of a product of indexed tensors over names that several factors share: one operator, in the order of products.
// Outer indices are read off each factor first (by a comprehension's index: a view), which leaves its reduced axes.
#include <algorithm>

#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/messages.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using core::Contract;
using core::ContractFactor;
using eval::row;

Raw Interpreter::contract(const Contract& node, Frame& f) {
  std::vector<Value> tensors, ranges;
  for (const ContractFactor& factor : node.factors)
    tensors.push_back(tensor_of(value_of(*factor.tensor, f), factor.tensor->span, f));
  for (const core::Expr* range : node.ranges) ranges.push_back(range ? value_of(*range, f) : Value());
  set_site(node.span);
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
Value Interpreter::tensor_of(Value value, Span span, Frame& f) {
  if (!value.is(ObjectKind::list) && !value.is(ObjectKind::tuple)) return value;
  try {
    return ops::make_literal(*builder_, *children(value));
  } catch (const OpError& error) {
    raise(error, span, {}, &f);
  }
}

// Where a reduced name has a range of its own, each axis that it indexes is read at its numbers.
Value Interpreter::take_ranges(const ContractFactor& factor, Value tensor, std::span<const Value> ranges, Frame& f) {
  for (uint32_t axis = 0; axis < factor.axes.size(); ++axis) {
    const ContractFactor::Axis& at = factor.axes[axis];
    if (!at.reduced || ranges[at.which].is_none()) continue;
    IndexValues index;
    for (uint32_t before = 0; before < axis; ++before) index.spec.push(ops::IndexSpec::Item::slice);
    index.spec.push(ops::IndexSpec::Item::at);
    Value numbers = ranges[at.which];
    index.items.push_back(call_entry(ops::tensor_entry(), {&numbers, 1}, {}, 0, at.span, {}, f));
    index.spans.push_back(at.span);
    tensor = index_into(std::move(tensor), index, factor.tensor->span, factor.tensor->span, f);
  }
  return tensor;
}

// Every reduced name has one extent.
void Interpreter::check_extents(const Contract& node, std::span<const Value> tensors, Frame& f) {
  struct Seen {
    bool any = false;
    int64_t extent = 0;  // below 0: a symbol's
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
      const int64_t extent = extent_of(tensors[t], axis, name, factor.tensor->span, f);
      const std::string text = "axis " + std::to_string(axis) + " of " + describe(tensors[t]);
      Seen& first = seen[which];
      if (!first.any) {
        first = {true, extent, factor.tensor->span, text};
      } else if (first.extent != extent) {
        if (extent < 0 || first.extent < 0) {
          staged_agree(Dim(first.extent), Dim(extent), factor.tensor->span, f);
          continue;
        }
        fail(row("extent_mismatch"), {name, std::to_string(first.extent), std::to_string(extent)},
             {{first.span, first.text}, {factor.tensor->span, text}}, f);
      }
    }
  }
}

// The factor with its outer indices applied; its reduced axes are left, in the order in which it has them.
Value Interpreter::read_outer(const ContractFactor& factor, Value tensor, Frame& f) {
  IndexValues at;
  bool any = false;
  for (const ContractFactor::Axis& axis : factor.axes) {
    if (axis.reduced) {
      at.spec.push(ops::IndexSpec::Item::slice);
      continue;
    }
    any = true;
    at.spec.push(ops::IndexSpec::Item::at);
    at.items.push_back(value_of(*axis.outer, f));
    at.spans.push_back(axis.span);
  }
  return any ? index_into(std::move(tensor), at, factor.tensor->span, factor.tensor->span, f) : tensor;
}

// Reduced names are numbered from 0; axes that no index takes are axes of the result, numbered from their right end.
Value Interpreter::contract_factors(const Contract& node, std::vector<Value>& tensors, std::span<const Span> spans,
                                    Frame& f) {
  constexpr int64_t left_over = 1000;
  ops::ContractSpec spec;
  unsigned widest = 0;
  for (size_t t = 0; t < tensors.size(); ++t) {
    std::vector<int64_t> axes;
    for (const ContractFactor::Axis& axis : node.factors[t].axes) {
      if (axis.reduced) axes.push_back(axis.which);
    }
    const unsigned rank = logical_type(tensors[t]).shape.rank();
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
  return call_entry(ops::contract_entry(), args, tensors, 0, node.span, operands, f);
}

}  // namespace covec
