// Comprehensions. Over ranges and tensors they mean vmap of the body over its indices: the body is evaluated once, its
// operators each over all elements. Over lists and other sequences they are loops. A reduction is applied to the new
// axes of the result; a sum of products of indexed tensors is one contraction.
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/messages.hpp"
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using core::Clause;
using core::MapIndex;
using eval::row;

namespace {

constexpr std::string_view comprehension_name = "a comprehension";

// The parameter of a reduction that takes the axes.
size_t axis_parameter(const ops::Entry& entry) {
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    if (entry.parameters[i].name == "axis") return i;
  }
  return 1;
}

}  // namespace

Raw Interpreter::map_index(const MapIndex& node, Frame& f) {
  if (node.as_list && staging_) {
    Value list = make_list({});
    staged_collect(node, 0, list, f);
    return give(std::move(list));
  }
  if (node.as_list) {
    std::vector<Value> items;
    collect(node, 0, items, f);
    return give(make_list(std::move(items)));
  }
  Value mapped = map_clauses(node, 0, f);
  if (!node.reduction) return give(std::move(mapped));
  const ops::Entry& entry = *node.reduction->entry;
  const size_t axis = axis_parameter(entry);
  Window args(*this, axis + 1);
  args[0] = std::move(mapped);
  std::vector<Value> axes;
  for (size_t i = 0; i < node.clauses.size(); ++i) axes.emplace_back(static_cast<int64_t>(i));
  args[axis] = make_tuple(std::move(axes));
  set_site(node.span);
  return give(call_entry(entry, args.span(), {}, 0, node.span, {&node.span, 1}, f));
}

// What clause number `clause` runs over: its range, or the numbers below the extent that its target indexes.
Value Interpreter::clause_range(const Clause& clause, Frame& f) {
  if (clause.range) return value_of(*clause.range, f);
  const int64_t extent = inferred_extent(clause, f);
  if (extent >= 0) return make_range(0, extent, 1);
  return range_between(Value(int64_t{0}), builder_->extent(Dim(extent)), 1);
}

int64_t Interpreter::inferred_extent(const Clause& clause, Frame& f) {
  int64_t extent = 0;  // below 0: a symbol's
  const core::InferredExtent* first = nullptr;
  std::string first_text;
  for (const core::InferredExtent& source : clause.inferred) {
    const Value tensor = value_of(*source.tensor, f);
    const int64_t here = extent_of(tensor, source.axis, clause.target->name, source.span, f);
    if (!first) {
      first = &source;
      extent = here;
      first_text = what_is(tensor);
    } else if (here != extent) {
      if (here < 0 || extent < 0) {
        staged_agree(Dim(extent), Dim(here), source.span, f);
        continue;
      }
      fail(row("extent_mismatch"), {std::string(clause.target->name), std::to_string(extent), std::to_string(here)},
           {{first->span, "axis " + std::to_string(first->axis) + " of " + first_text},
            {source.span, "axis " + std::to_string(source.axis) + " of " + what_is(tensor)}},
           f);
    }
  }
  return extent;
}

int64_t Interpreter::extent_of(const Value& tensor, uint32_t axis, std::string_view name, Span span, Frame& f) {
  if (is_operand(tensor)) {
    const Shape shape = logical_type(tensor).shape;
    if (axis < shape.rank()) return shape[axis].number();
  } else if (axis == 0 && (tensor.is(ObjectKind::list) || tensor.is(ObjectKind::tuple))) {
    return length_of(tensor, span, f);
  }
  fail(row("extent_operand"), {std::string(name), "axis " + std::to_string(axis) + " of " + what_is(tensor)},
       {{span, "this is " + what_is(tensor)}}, f);
}

// --- mapping ---

Value Interpreter::map_clauses(const MapIndex& node, size_t clause, Frame& f) {
  if (clause == node.clauses.size()) return value_of(*node.body, f);
  const Value over = clause_range(node.clauses[clause], f);
  set_site(node.span);
  Value result;
  try {
    result = map_over(node, clause, over, f);
  } catch (const OpError& error) {
    raise(error, node.span, {}, &f);
  }
  forget(*node.clauses[clause].target, f);
  return result;
}

Value Interpreter::map_over(const MapIndex& node, size_t clause, const Value& over, Frame& f) {
  const Clause& at = node.clauses[clause];
  const Span span = at.range ? at.range->span : at.span;
  const auto body = [&](Value item) {
    assign(*at.target, std::move(item), span, f);
    return map_clauses(node, clause + 1, f);
  };
  if (over.is(ObjectKind::sequence)) {
    if (const auto* range = dynamic_cast<const Range*>(&over.sequence())) {
      return autodiff::over_range(*builder_, range->start, range->stride, range->length(), comprehension_name,
                                  [&](const Value& index) { return body(index); });
    }
    if (const auto* range = dynamic_cast<const SymbolicRange*>(&over.sequence())) {
      return autodiff::over_range(*builder_, *range, comprehension_name, body);
    }
  }
  if (is_list_symbol(over)) return staged_map(node, clause, over, span, f);
  const int64_t length = length_of(over, span, f);
  if (is_operand(over)) {
    return autodiff::over_examples(
        *builder_, length, true, comprehension_name, [&](uint64_t level, const Value& example) {
          return body(example.is_none() ? autodiff::make_batch(level, over) : item_at(over, example, span, f));
        });
  }
  if (length == 0) fail(row("empty_comprehension"), {what_is(over)}, {{span, ""}}, f, "list(e for …) may be empty");
  std::vector<Value> items;
  for (int64_t i = 0; i < length; ++i) {
    poll(f, span);
    items.push_back(body(item_of(over, i, span, f)));
  }
  set_site(node.span);
  return autodiff::stack_trees(*builder_, std::move(items), comprehension_name);
}

// list(e for …): always a loop; elements may be anything.
void Interpreter::collect(const MapIndex& node, size_t clause, std::vector<Value>& out, Frame& f) {
  if (clause == node.clauses.size()) {
    out.push_back(value_of(*node.body, f));
    return;
  }
  const Clause& at = node.clauses[clause];
  const Span span = at.range ? at.range->span : at.span;
  const Value over = clause_range(at, f);
  const int64_t length = length_of(over, span, f);
  for (int64_t i = 0; i < length; ++i) {
    poll(f, span);
    assign(*at.target, item_of(over, i, span, f), span, f);
    collect(node, clause + 1, out, f);
  }
  forget(*at.target, f);
}

// A target's variables end with its comprehension.
void Interpreter::forget(const core::Target& target, Frame& f) {
  for (const core::Target* part : target.parts) forget(*part, f);
  if (target.kind == core::Target::Kind::path) slot(target.slot, f) = Value::unbound();
}

}  // namespace covec
