// Iterates over values, and raises the error for values without a length.
#include "interpreter/eval/apply/iteration.hpp"

#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "stdlib/kernels/collect.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using eval::row;

int64_t iterations_of(const Range& range) {
  try {
    return range.length();
  } catch (const OpError&) {
    return INT64_MAX;
  }
}

Dim Iteration::length_of(const Value& iterable, Span span, const Frame& f) const {
  if (iterable.is(ObjectKind::sequence)) {
    try {
      return iterable.sequence().length();
    } catch (const OpError& error) {
      reporter_.raise(error, span, {}, &f);
    }
  }
  if (iterable.is(ObjectKind::list)) return Dim(static_cast<int64_t>(iterable.list().size()));
  if (iterable.is(ObjectKind::tuple)) return Dim(static_cast<int64_t>(iterable.tuple().items.size()));
  if (iterable.is(ObjectKind::string)) return Dim(iterable.string().length());
  if (iterable.is_object() && is_operand(shaped_part(iterable))) {
    const Type type = logical_type(shaped_part(iterable));
    if (type.shape.rank() > 0) return type.shape[0];
  }
  reporter_.fail(row("not_iterable"), {what_is(iterable)}, {{span, "this is " + what_is(iterable)}}, f,
                 iterable.is_integer() ? "use range(n) to count" : "");
}

int64_t Iteration::known_length_of(const Value& iterable, Span span, const Frame& f) const {
  const Dim length = length_of(iterable, span, f);
  if (!length.known()) reporter_.stop_staging("how many items there are", span, f);
  return length.number();
}

Value Iteration::item_of(const Value& iterable, int64_t index, Span span, const Frame& f) const {
  const ops::Context& context = applier_.builder().context();
  if (iterable.is(ObjectKind::list)) return new_item(context, iterable.list().item(static_cast<size_t>(index)));
  if (iterable.is(ObjectKind::tuple)) return iterable.tuple().items[static_cast<size_t>(index)];
  if (iterable.is(ObjectKind::sequence)) {
    try {
      return new_item(context, iterable.sequence().at(applier_.builder(), index));
    } catch (...) {
      reporter_.raise(current_error(), span, {}, &f);
    }
  }
  if (iterable.is(ObjectKind::string)) return character(iterable.string(), index);
  return item_at(iterable, Value(index), span, f);
}

void Iteration::add_items(const Value& iterable, int64_t first, int64_t step, int64_t count, std::vector<Value>& to,
                          Span span, const Frame& f) const {
  try {
    kernels::collect(applier_.builder().context(), count, to,
                     [&](int64_t i) { return item_of(iterable, first + i * step, span, f); });
  } catch (...) {
    reporter_.raise(current_error(), span, {}, &f);
  }
}

// Of a tensor, at a place that may be a Symbol.
Value Iteration::item_at(const Value& tensor, const Value& index, Span span, const Frame& f) const {
  ops::IndexSpec spec;
  spec.push(ops::IndexSpec::Item::at);
  Value args[2] = {tensor, Value(spec.packed())};
  Value item[1] = {index};
  return applier_.call(ops::index_read_entry(), args, item, 0, span, {}, f);
}

Dim Iteration::extent_of(const Value& tensor, uint32_t axis, std::string_view name, Span span, const Frame& f) const {
  if (is_operand(shaped_part(tensor))) {
    const Shape shape = logical_type(shaped_part(tensor)).shape;
    if (axis < shape.rank()) return shape[axis];
  } else if (axis == 0 && (tensor.is(ObjectKind::list) || tensor.is(ObjectKind::tuple))) {
    return length_of(tensor, span, f);
  }
  reporter_.fail(row("extent_operand"), {std::string(name), "axis " + std::to_string(axis) + " of " + what_is(tensor)},
                 {{span, "this is " + what_is(tensor)}}, f);
}

}  // namespace covec
