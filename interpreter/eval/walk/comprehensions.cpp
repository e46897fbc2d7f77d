// A clause assigns its targets in the active frame and releases them afterwards. The body is evaluated where it is
// written; no function is made of it.
#include "interpreter/eval/walk/comprehensions.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include <algorithm>

#include "frontend/core/walk.hpp"
#include "interpreter/eval/apply/source_scope.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "interpreter/eval/walk/updates.hpp"
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/tensor/tensor.hpp"
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

// A target's variables end with its comprehension.
void forget(const core::Target& target, const Frame& f) {
  for (const core::Target* part : target.parts) forget(*part, f);
  if (target.kind == core::Target::Kind::path) slot_of(target.slot, f) = Value::unbound();
}

// So does the middle of `a < b < c`: while a function is staged it may be a value of the loop over the examples, which
// what comes after that loop must not see, or of another example, or of a walk of all at once that has been given up.
void forget_middles(const MapIndex& node, const Frame& f) {
  const auto forget_below = [&](core::Expr* root) {
    resolve::each_below(root, [&](core::Expr* e) {
      if (e->kind == core::ExprKind::bind) f.slots[static_cast<const core::Bind*>(e)->slot] = Value::unbound();
    });
  };
  forget_below(node.body);
  for (const Clause& clause : node.clauses) {
    if (clause.range) forget_below(clause.range);
  }
}

Span range_span(const Clause& clause) { return clause.range ? clause.range->span : clause.span; }

}  // namespace

Raw Comprehensions::map_index(const MapIndex& node, Frame& f) {
  if (node.as_list && f.is_staged()) {
    Value list = make_list({});
    collect_staged(node, 0, list, f);
    return give(std::move(list));
  }
  if (node.as_list) {
    Value list = make_list({});
    collect(node, 0, list.list(), f);
    return give(std::move(list));
  }
  Value mapped = map_clauses(node, 0, f);
  if (f.is_staged()) forget_middles(node, f);
  return give(node.reduction ? reduced(node, std::move(mapped), f) : std::move(mapped));
}

// What a reduction is given where there is nothing: its neutral element, or its error, comes of that.
Value Comprehensions::nothing(const MapIndex& node) const {
  const ops::Entry* entry = node.reduction->entry;
  const bool logical = entry == &ops::any_entry() || entry == &ops::all_entry();
  Shape shape;
  for (size_t i = 0; i < node.clauses.size(); ++i) shape.push_back(Dim(0));
  return make_tensor(parts_.applier.builder().pool(), logical ? Dtype::boolean : Dtype::f64, shape);
}

Value Comprehensions::reduced(const MapIndex& node, Value mapped, Frame& f) {
  const ops::Entry& entry = *node.reduction->entry;
  const size_t axis = axis_parameter(entry);
  Window args(parts_.stack, axis + 1);
  args[0] = mapped.is(ObjectKind::list) && mapped.list().items().empty() ? nothing(node) : std::move(mapped);
  std::vector<Value> axes;
  for (size_t i = 0; i < node.clauses.size(); ++i) axes.emplace_back(static_cast<int64_t>(i));
  args[axis] = make_tuple(std::move(axes));
  parts_.applier.set_site(node.span);
  return parts_.applier.call(entry, args.span(), {}, 0, node.span, {&node.span, 1}, f);
}

// What clause number `clause` runs over: its range, or the numbers below the extent that its target indexes.
Value Comprehensions::clause_range(const Clause& clause, Frame& f) {
  if (clause.range) return parts_.iteration.walked(parts_.expressions.value_of(*clause.range, f));
  const Dim extent = inferred_extent(clause, f);
  if (extent.known()) return make_range(0, extent.number(), 1);
  return range_between(Value(int64_t{0}), parts_.applier.builder().extent(extent), 1);
}

Dim Comprehensions::inferred_extent(const Clause& clause, Frame& f) {
  Dim extent = 0;
  const core::InferredExtent* first = nullptr;
  std::string first_text;
  for (const core::InferredExtent& source : clause.inferred) {
    const Value tensor = parts_.expressions.value_of(*source.tensor, f);
    const Dim here = parts_.iteration.extent_of(tensor, source.axis, clause.target->name, source.span, f);
    if (!first) {
      first = &source;
      extent = here;
      first_text = what_is(tensor);
    } else if (here != extent) {
      if (!here.known() || !extent.known()) {
        parts_.staged.agree(extent, here, source.span, f);
        continue;
      }
      parts_.reporter.fail(
          row("extent_mismatch"),
          {std::string(clause.target->name), std::to_string(extent.number()), std::to_string(here.number())},
          {{first->span, "axis " + std::to_string(first->axis) + " of " + first_text},
           {source.span, "axis " + std::to_string(source.axis) + " of " + what_is(tensor)}},
          f);
    }
  }
  return extent;
}

// --- mapping ---

Value Comprehensions::map_clauses(const MapIndex& node, size_t clause, Frame& f) {
  if (clause == node.clauses.size()) {
    if (f.is_staged()) forget_middles(node, f);
    return parts_.expressions.value_of(*node.body, f);
  }
  const Value over = clause_range(node.clauses[clause], f);
  parts_.applier.set_site(node.span);
  const OptionalSourceScope place(parts_.applier.staging(), node.span, {}, nullptr, f);
  Value result;
  try {
    result = map_over(node, clause, over, f);
  } catch (...) {
    parts_.reporter.raise(current_error(), node.span, {}, &f);
  }
  forget(*node.clauses[clause].target, f);
  return result;
}

Value Comprehensions::map_over(const MapIndex& node, size_t clause, const Value& over, Frame& f) {
  const Clause& at = node.clauses[clause];
  const Span span = range_span(at);
  const auto body = [&](Value item) {
    parts_.updates.assign(*at.target, std::move(item), span, f);
    return map_clauses(node, clause + 1, f);
  };
  if (over.is(ObjectKind::sequence)) {
    if (const auto* range = dynamic_cast<const Range*>(&over.sequence())) {
      return autodiff::over_range(parts_.applier.builder(), range->start, range->stride, range->length(),
                                  comprehension_name, [&](const Value& index) { return body(index); });
    }
    if (const auto* range = dynamic_cast<const SymbolicRange*>(&over.sequence())) {
      return autodiff::over_range(parts_.applier.builder(), *range, comprehension_name, body);
    }
  }
  if (is_run_list(over)) return parts_.staged.map(node, over, body, span, f);
  return map_items(node, over, body, span, f);
}

Value Comprehensions::map_items(const MapIndex& node, const Value& over, FunctionRef<Value(Value)> body, Span span,
                                Frame& f) {
  if (is_operand(over)) {
    return autodiff::over_examples(parts_.applier.builder(), parts_.iteration.length_of(over, span, f), true,
                                   comprehension_name, [&](uint64_t level, const Value& example) {
                                     return body(example.is_none() ? autodiff::make_batch(level, over)
                                                                   : parts_.iteration.item_at(over, example, span, f));
                                   });
  }
  const int64_t length = parts_.iteration.known_length_of(over, span, f);
  if (length == 0) return make_list({});
  std::vector<Value> items;
  for (int64_t i = 0; i < length; ++i) {
    parts_.stack.poll(f, span);
    items.push_back(body(parts_.iteration.item_of(over, i, span, f)));
  }
  parts_.applier.set_site(node.span);
  const auto is_number = [](const Value& item) { return is_operand(shaped_part(item)); };
  if (std::none_of(items.begin(), items.end(), is_number)) return make_list(std::move(items));
  return autodiff::stack_trees(parts_.applier.builder(), std::move(items), comprehension_name);
}

void Comprehensions::push(List& list, Value item, Span span, const Frame& f) const {
  try {
    list.push(new_item(parts_.applier.builder().context(), std::move(item)));
  } catch (...) {
    parts_.reporter.raise(current_error(), span, {}, &f);
  }
}

// list(e for …): always a loop; elements may be anything.
void Comprehensions::collect(const MapIndex& node, size_t clause, List& out, Frame& f) {
  if (clause == node.clauses.size()) return push(out, parts_.expressions.value_of(*node.body, f), node.span, f);
  const Clause& at = node.clauses[clause];
  const Span span = range_span(at);
  const Value over = clause_range(at, f);
  const int64_t length = parts_.iteration.known_length_of(over, span, f);
  for (int64_t i = 0; i < length; ++i) {
    parts_.stack.poll(f, span);
    parts_.updates.assign(*at.target, parts_.iteration.item_of(over, i, span, f), span, f);
    collect(node, clause + 1, out, f);
  }
  forget(*at.target, f);
}

// The same while a function is staged: a loop of pushes.
void Comprehensions::collect_staged(const MapIndex& node, size_t clause, Value& list, Frame& f) {
  if (clause == node.clauses.size()) {
    Value item = parts_.expressions.value_of(*node.body, f);
    return parts_.staged.push(list, std::move(item), node.span, node.body->span, f);
  }
  const Clause& at = node.clauses[clause];
  const Span span = range_span(at);
  const auto run_iteration = [&](Value item) {
    parts_.updates.assign(*at.target, std::move(item), span, f);
    collect_staged(node, clause + 1, list, f);
  };
  parts_.staged.each(clause_range(at, f), list, run_iteration, span, f);
}

}  // namespace covec
