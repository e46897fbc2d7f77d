// A clause assigns its targets in the active frame and releases them afterwards. The body is evaluated where it is
// written; no function is made of it.
#include "interpreter/eval/walk/comprehensions.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include <algorithm>

#include "frontend/core/walk.hpp"
#include "interpreter/eval/apply/source_scope.hpp"
#include "interpreter/eval/report/caught_errors.hpp"
#include "interpreter/eval/report/hints.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "interpreter/eval/walk/updates.hpp"
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
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
  if (node.filter != nullptr) forget_below(node.filter);
}

// Whether all items are evaluated at once.
bool is_mapped(const Value& over) {
  if (is_operand(shaped_part(over))) return true;
  if (!over.is(ObjectKind::sequence)) return false;
  return dynamic_cast<const Range*>(&over.sequence()) != nullptr ||
         dynamic_cast<const SymbolicRange*>(&over.sequence()) != nullptr;
}

// Lists of lists without an item.
bool is_nothing(const Value& value) {
  return value.is(ObjectKind::list) && std::ranges::all_of(value.list().items(), is_nothing);
}

Span range_span(const Clause& clause) { return clause.range ? clause.range->span : clause.span; }

// The value of a plain variable; nullptr for any other expression.
const Value* variable_in(const core::Expr* expr, const Frame& f) {
  if (expr == nullptr) return nullptr;
  if (expr->kind == core::ExprKind::local) return &f.slots[static_cast<const core::Local*>(expr)->slot];
  return expr->kind == core::ExprKind::global ? &f.globals[static_cast<const core::Global*>(expr)->slot] : nullptr;
}

}  // namespace

Raw Comprehensions::map_index(const MapIndex& node, Frame& f) {
  const Clause& outer = node.clauses[0];
  const Value over = outer.range ? parts_.expressions.value_of(*outer.range, f) : clause_range(outer, f);
  try {
    return give(of_items(node, Iteration::walked(over), f));
  } catch (CovecError& error) {  // perhaps names of a record were taken for its values
    for (const Clause& clause : node.clauses) {
      const Value* record = &clause == &outer ? &over : variable_in(clause.range, f);
      if (clause.range == nullptr || record == nullptr) continue;
      hint_at_names(parts_.reporter, *clause.target, clause.range->span, *record, error);
    }
    throw;
  }
}

// `first`: what the first clause runs over.
Value Comprehensions::of_items(const MapIndex& node, const Value& first, Frame& f) {
  if (node.as_list) {
    Value list = make_list({});
    f.is_staged() ? collect_staged(node, 0, list, f, &first) : collect(node, 0, list.list(), f, &first);
    return list;
  }
  // What is flat in any case is a loop where a range may act, which must happen once for each item, and where lengths
  // differ.
  const bool flat = node.filter != nullptr || node.reduction != nullptr;
  const bool loop = flat && (node.acts && (node.ragged || node.filter != nullptr));
  const bool asks = !loop && node.ragged && !f.is_staged() && !node.acts;
  if (!loop && !(asks && lengths_differ(node, first, f))) return at_once(node, first, f);
  Value items = collected(node, first, f);
  return node.reduction != nullptr ? reduced(node, std::move(items), 1, f) : items;
}

// Whether the ranges of a clause have several lengths. Before anything else happens, as a body may print.
bool Comprehensions::lengths_differ(const MapIndex& node, const Value& first, Frame& f) {
  try {
    const Value numbers = map_clauses({node, *node.body, first, true}, 0, f);
    const bool flat = node.filter != nullptr || node.reduction != nullptr;
    return flat && !is_operand(numbers) && !is_nothing(numbers);
  } catch (CovecError& error) {
    Diagnostic& told = error.diagnostics.front();
    if (told.code != message("examples_differ").key) throw;
    if (node.filter != nullptr || node.reduction != nullptr) return true;
    told.hint = "where lengths differ, list(e for …) gives a flat list";
    throw;
  }
}

Value Comprehensions::at_once(const MapIndex& node, const Value& first, Frame& f) {
  if (node.filter != nullptr) return filtered(node, first, f);
  Value mapped = map_clauses({node, *node.body, first}, 0, f);
  if (f.is_staged()) forget_middles(node, f);
  return node.reduction ? reduced(node, std::move(mapped), node.clauses.size(), f) : mapped;
}

namespace {

Value joined_lists(const Value& lists) {
  std::vector<Value> items;
  for (const Value& list : lists.list().items()) {
    if (!list.is(ObjectKind::list)) return lists;
    items.insert(items.end(), list.list().items().begin(), list.list().items().end());
  }
  return make_list(std::move(items));
}

}  // namespace

// What a reduction is given where there is nothing: its neutral element, or its error, comes of that.
Value Comprehensions::nothing(const MapIndex& node, size_t axes) const {
  const ops::Entry* entry = node.reduction->entry;
  const bool logical = entry == &ops::any_entry() || entry == &ops::all_entry();
  Shape shape;
  for (size_t i = 0; i < axes; ++i) shape.push_back(Dim(0));
  return make_tensor(parts_.applier.builder().pool(), logical ? Dtype::boolean : Dtype::f64, shape);
}

// Only max and min take what are no numbers.
void Comprehensions::check_items(const MapIndex& node, const std::vector<Value>& items, size_t axes_count,
                                 const Frame& f) const {
  const ops::Entry* entry = node.reduction->entry;
  if (items.empty() || entry == &ops::max_entry() || entry == &ops::min_entry()) return;
  const Value* item = &items.front();
  for (size_t k = 1; k < axes_count && item->is(ObjectKind::list) && !item->list().items().empty(); ++k)
    item = &item->list().items().front();
  const bool text = item->is(ObjectKind::string) && entry == &ops::sum_entry();
  parts_.reporter.fail(message("not_numeric"), {std::string(node.reduction->name), what_is(*item)},
                       {{node.body->span, ""}}, f, text ? "to join texts, write join(list(e for …), \"\")" : "");
}

// Whether results that are no numbers become a list. While a function is staged, reductions of such are interpreted.
bool Comprehensions::lists_others(const MapIndex& node, const Frame& f) {
  return node.reduction == nullptr || !f.is_staged();
}

// `axes`: the first ones go. Of a list, which may hold a list for each further clause, its items.
Value Comprehensions::reduced(const MapIndex& node, Value mapped, size_t axes_count, Frame& f) {
  const ops::Entry& entry = *node.reduction->entry;
  const size_t axis = axis_parameter(entry);
  Window args(parts_.stack, axis + 1);
  const bool empty = mapped.is(ObjectKind::list) && mapped.list().items().empty();
  args[0] = empty ? nothing(node, axes_count) : std::move(mapped);
  if (args[0].is(ObjectKind::list)) {
    check_items(node, args[0].list().items(), axes_count, f);
    for (size_t k = 1; k < axes_count; ++k) args[0] = joined_lists(args[0]);
    args[axis] = Value();
  } else {
    std::vector<Value> axes;
    for (size_t i = 0; i < axes_count; ++i) axes.emplace_back(static_cast<int64_t>(i));
    args[axis] = make_tuple(std::move(axes));
  }
  parts_.applier.set_site(node.span);
  return parts_.applier.call(entry, args.span(), {}, 0, node.span, {&node.span, 1}, f);
}

// What clause number `clause` runs over: its range, or the numbers below the extent that its target indexes.
Value Comprehensions::clause_range(const Clause& clause, Frame& f) {
  if (clause.range) {
    Value over = parts_.iteration.walked(parts_.expressions.value_of(*clause.range, f));
    if (!clause.names.empty()) warn_of_pairs(clause, over, f);
    return over;
  }
  const Dim extent = inferred_extent(clause, f);
  if (extent.known()) return make_range(0, extent.number(), 1);
  return range_between(Value(int64_t{0}), parts_.applier.builder().extent(extent), 1);
}

// `for i, j in pairs`, where only a pair of names in parentheses takes each item apart.
void Comprehensions::warn_of_pairs(const Clause& clause, const Value& over, Frame& f) {
  const int64_t count = std::ranges::count(clause.names, ',') + 1;
  const std::vector<Value>* const items =
      over.is(ObjectKind::list) || over.is(ObjectKind::tuple) ? children(over) : nullptr;
  const Shape shape = is_operand(shaped_part(over)) ? logical_type(shaped_part(over)).shape : Shape();
  const bool tuples = items != nullptr && !items->empty() && items->front().is(ObjectKind::tuple) &&
                      std::ssize(*children(items->front())) == count;
  if (!tuples && !(shape.rank() > 1 && shape[1] == Dim(count))) return;
  const std::string names(clause.names);
  Value args[2] = {Value(true),
                   make_string("the names before `" + std::string(clause.target->name) +
                               "` are indices of their own: to take each item apart, write for (" + names + ") in …")};
  parts_.applier.call(ops::handles().warn_where, args, clause.span, f);
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

Value Comprehensions::map_clauses(const Pass& pass, size_t clause, Frame& f) {
  const MapIndex& node = pass.node;
  if (clause == node.clauses.size()) {
    if (pass.lengths_only) return Value(int64_t{0});
    if (f.is_staged()) forget_middles(node, f);
    return parts_.expressions.value_of(pass.body, f);
  }
  const bool known = clause == 0 && !pass.first.is_none();
  const Value over = known ? pass.first : clause_range(node.clauses[clause], f);
  parts_.applier.set_site(node.span);
  const OptionalSourceScope place(parts_.applier.staging(), node.span, {}, nullptr, f);
  Value result;
  try {
    result = map_over(pass, clause, over, f);
  } catch (...) {
    parts_.reporter.raise(current_error(), node.span, {}, &f);
  }
  forget(*node.clauses[clause].target, f);
  return result;
}

Value Comprehensions::map_over(const Pass& pass, size_t clause, const Value& over, Frame& f) {
  const MapIndex& node = pass.node;
  const Clause& at = node.clauses[clause];
  const Span span = range_span(at);
  const auto body = [&](Value item) {
    parts_.updates.assign(*at.target, std::move(item), span, f);
    return map_clauses(pass, clause + 1, f);
  };
  if (is_run_list(over)) return parts_.staged.map(node, over, body, span, f);
  const bool apart = lists_others(node, f);
  if (!is_mapped(over)) return map_items(node, over, body, span, f);
  const auto at_once = [&] { return map_at_once(over, body, apart, span, f); };
  return apart && f.is_staged() ? parts_.staged.apart(node, over, at_once, body, span, f) : at_once();
}

// Over a range or tensor.
Value Comprehensions::map_at_once(const Value& over, FunctionRef<Value(Value)> body, bool apart, Span span, Frame& f) {
  ops::Builder& builder = parts_.applier.builder();
  if (is_operand(shaped_part(over))) {
    const auto batch = [&](uint64_t level) {
      if (!is_complex(over)) return autodiff::make_batch(level, over);
      const Complex& z = complex_of(over);
      return make_complex(autodiff::make_batch(level, z.re()), autodiff::make_batch(level, z.im()));
    };
    const auto each = [&](uint64_t level, const Value& example) {
      return body(example.is_none() ? batch(level) : item_of(over, example, span, f));
    };
    return autodiff::over_examples(builder, parts_.iteration.length_of(over, span, f), true, comprehension_name, each,
                                   apart);
  }
  const auto of_index = [&](const Value& index) { return body(index); };
  if (const auto* range = dynamic_cast<const Range*>(&over.sequence()))
    return autodiff::over_range(builder, range->start, range->stride, range->length(), comprehension_name, of_index,
                                apart);
  return autodiff::over_range(builder, dynamic_cast<const SymbolicRange&>(over.sequence()), comprehension_name,
                              of_index, apart);
}

// Of a tensor; where it has none, zeros show the type.
Value Comprehensions::item_of(const Value& over, const Value& index, Span span, const Frame& f) {
  const Type type = logical_type(shaped_part(over));
  if (type.shape.rank() == 0 || !(type.shape[0] == Dim(0))) return parts_.iteration.item_at(over, index, span, f);
  const Shape shape(type.shape.begin() + 1, type.shape.rank() - 1);
  Value item = ops::zeros(parts_.applier.builder(), {type.dtype, shape});
  return is_complex(over) ? ops::complex_value(parts_.applier.builder(), item, item) : item;
}

Value Comprehensions::map_items(const MapIndex& node, const Value& over, FunctionRef<Value(Value)> body, Span span,
                                Frame& f) {
  const int64_t length = parts_.iteration.known_length_of(over, span, f);
  if (length == 0) return make_list({});
  std::vector<Value> items;
  int64_t i = 0;
  try {
    for (; i < length; ++i) {
      parts_.stack.poll(f, span);
      items.push_back(body(parts_.iteration.item_of(over, i, span, f)));
    }
  } catch (CovecError& error) {
    parts_.reporter.note_iteration(error, node.span, i + 1);
    throw;
  }
  return stacked(node, make_list(std::move(items)), f);
}

// Numbers and tensors side by side; a list where there are none.
Value Comprehensions::stacked(const MapIndex& node, Value list, const Frame& f) {
  parts_.applier.set_site(node.span);
  if (!list.is(ObjectKind::list)) return parts_.staged.stacked(node, std::move(list), f);
  const std::vector<Value>& items = list.list().items();
  const auto is_number = [](const Value& item) { return is_operand(shaped_part(item)); };
  if (std::none_of(items.begin(), items.end(), is_number)) return list;
  return autodiff::stack_trees(parts_.applier.builder(), std::vector<Value>(items), comprehension_name);
}

void Comprehensions::push(List& list, Value item, Span span, const Frame& f) const {
  try {
    list.push(new_item(parts_.applier.builder().context(), std::move(item)));
  } catch (...) {
    parts_.reporter.raise(current_error(), span, {}, &f);
  }
}

// list(e for …): always a loop; elements may be anything.
void Comprehensions::collect(const MapIndex& node, size_t clause, List& out, Frame& f, const Value* given) {
  if (clause == node.clauses.size()) {
    if (node.filter != nullptr && !parts_.expressions.condition(*node.filter, f)) return;
    return push(out, parts_.expressions.value_of(*node.body, f), node.span, f);
  }
  const Clause& at = node.clauses[clause];
  const Span span = range_span(at);
  const Value over = given != nullptr ? *given : clause_range(at, f);
  const int64_t length = parts_.iteration.known_length_of(over, span, f);
  int64_t i = 0;
  try {
    for (; i < length; ++i) {
      parts_.stack.poll(f, span);
      parts_.updates.assign(*at.target, parts_.iteration.item_of(over, i, span, f), span, f);
      collect(node, clause + 1, out, f);
    }
  } catch (CovecError& error) {
    parts_.reporter.note_iteration(error, node.span, i + 1);
    throw;
  }
  forget(*at.target, f);
}

// The same while a function is staged: a loop of pushes.
void Comprehensions::collect_staged(const MapIndex& node, size_t clause, Value& list, Frame& f, const Value* given) {
  if (clause == node.clauses.size()) {
    const auto push_item = [&] {
      Value item = parts_.expressions.value_of(*node.body, f);
      parts_.staged.push(list, std::move(item), node.span, node.body->span, f);
    };
    if (node.filter == nullptr) return push_item();
    return parts_.staged.where(*node.filter, list, push_item, f);
  }
  const Clause& at = node.clauses[clause];
  const Span span = range_span(at);
  const auto run_iteration = [&](Value item) {
    parts_.updates.assign(*at.target, std::move(item), span, f);
    collect_staged(node, clause + 1, list, f);
  };
  parts_.staged.each(given != nullptr ? *given : clause_range(at, f), list, run_iteration, span, f);
}

// --- filters ---

namespace {

// Whether it is one of each example of a vmap or comprehension around.
bool is_of_examples(const Value& value) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::batch) return true;
  }
  return false;
}

// None passed, and a list that is gone through is empty: nothing shows the type of a result.
struct NoItem {};
// None passed, and the body cannot be tried at the first index.
struct NoType {};

}  // namespace

Value Comprehensions::filtered(const MapIndex& node, const Value& first, Frame& f) {
  if (is_mapped(first)) return passed(node, first, f);
  Value items = collected(node, first, f);
  return node.reduction != nullptr ? reduced(node, std::move(items), 1, f) : items;
}

// Over lists and what is not evaluated all at once: a loop that skips.
Value Comprehensions::collected(const MapIndex& node, const Value& first, Frame& f) {
  Value list = make_list({});
  if (!f.is_staged()) {
    collect(node, 0, list.list(), f, &first);
  } else {
    collect_staged(node, 0, list, f, &first);
    forget_middles(node, f);
  }
  return stacked(node, std::move(list), f);
}

// Of whether each index passes; then the body for those that do, in row-major order.
Value Comprehensions::passed(const MapIndex& node, Value first, Frame& f) {
  Value which = mask(node, first, f);
  if (is_of_examples(which)) {
    if (node.reduction == nullptr) parts_.reporter.fail(row("filter_of_examples"), {}, {{node.filter->span, ""}}, f);
    which = concrete(which);  // one example after the other
  }
  const Shape shape = logical_type(which).shape;
  parts_.applier.set_site(node.span);
  const Value found = parts_.applier.call(ops::nonzero_entry(), {&which, 1}, node.filter->span, f);
  const std::vector<Value>& places = *children(found);
  Value items = body_at(node, std::move(first), places, f);
  if (node.reduction == nullptr) return items;
  const std::string_view name = node.reduction->name;
  const bool adds = name == "sum" || name == "mean", numbers = is_operand(shaped_part(items));
  if (!numbers || !(adds || name == "prod")) return reduced(node, std::move(items), 1, f);
  Value all = among_all(std::move(items), shape, places, !adds, f);
  if (name != "mean") return reduced(node, std::move(all), node.clauses.size(), f);
  const Value count = parts_.applier.builder().extent(logical_type(places[0]).shape[0]);
  return mean_of(node, std::move(all), count, f);
}

Value Comprehensions::body_at(const MapIndex& node, Value first, const std::vector<Value>& places, Frame& f) {
  const Pass pass{node, *node.body, std::move(first)};
  const OptionalSourceScope place(parts_.applier.staging(), node.span, {}, nullptr, f);
  ops::Builder& builder = parts_.applier.builder();
  const Dim count = logical_type(places[0]).shape[0];
  const auto each = [&](uint64_t level, const Value& example) {
    std::vector<Value> of_example;
    for (const Value& all : places) {
      if (example.is_none()) {
        of_example.push_back(autodiff::make_batch(level, all));
      } else {  // the first index shows the type where none passed
        of_example.push_back(count == Dim(0) ? Value(int64_t{0}) : autodiff::example_of(builder, all, example));
      }
    }
    if (example.is_none() || !(count == Dim(0))) return at_places(pass, 0, of_example, f);
    try {
      return at_places(pass, 0, of_example, f);
    } catch (const CovecError& error) {  // none passed, so that no error may be told
      if (!CaughtErrors::may_catch(error)) throw;
      throw NoType();
    }
  };
  Value result;
  try {
    result = autodiff::over_examples(builder, count, true, comprehension_name, each, lists_others(node, f));
  } catch (const NoItem&) {
    return make_list({});
  } catch (const NoType&) {
    return make_tensor(builder.pool(), Dtype::f64, {Dim(0)});
  } catch (const autodiff::ApartLater& later) {
    if (!later.all.is_none()) return parts_.staged.pushed(later, node, f);
    parts_.reporter.stop_staging("a filtered comprehension of what are no numbers", node.span, f);
  } catch (...) {
    parts_.reporter.raise(current_error(), node.span, {}, &f);
  }
  if (f.is_staged()) forget_middles(node, f);
  return result;
}

// Sums and products go through all indices, so that which of them pass does not change the order: what passed is put
// at its places among 0 or 1.
Value Comprehensions::among_all(Value items, Shape shape, const std::vector<Value>& places, bool ones, Frame& f) {
  ops::Builder& builder = parts_.applier.builder();
  const bool complex = is_complex(items);
  const Type type = logical_type(shaped_part(items));
  for (unsigned i = 1; i < type.shape.rank(); ++i) shape.push_back(type.shape[i]);
  Value all = ops::zeros(builder, {type.dtype, shape});
  const Value zeros = all;
  const Span span = Span();
  if (ones) {
    Value args[2] = {std::move(all), Value(int64_t{1})};
    all = ops::cast_to(builder, parts_.applier.call(ops::handles().add, args, span, f), type.dtype);
  }
  if (complex) all = ops::complex_value(builder, std::move(all), zeros);
  ops::IndexSpec spec;
  for (size_t i = 0; i < places.size(); ++i) spec.push(ops::IndexSpec::Item::at);
  Value args[3] = {std::move(all), std::move(items), Value(spec.packed())};
  std::vector<Value> at = places;
  return parts_.applier.call(ops::index_update_entry(), args, at, 0, span, {}, f);
}

// A bool for each index.
Value Comprehensions::mask(const MapIndex& node, const Value& first, Frame& f) {
  Value mask = map_clauses({node, *node.filter, first}, 0, f);
  if (f.is_staged()) forget_middles(node, f);
  if (is_nothing(mask)) {
    Shape none;
    for (size_t k = 0; k < node.clauses.size(); ++k) none.push_back(Dim(0));
    return make_tensor(parts_.applier.builder().pool(), Dtype::boolean, none);
  }
  const unsigned axes = static_cast<unsigned>(node.clauses.size());
  const Type type = is_operand(mask) ? logical_type(mask) : Type();
  if (type.dtype == Dtype::boolean && type.shape.rank() == axes) return mask;
  const bool many = type.shape.rank() > axes;
  const Value* one = &mask;  // of a list for each clause
  for (unsigned k = 0; k < axes && one->is(ObjectKind::list) && !one->list().items().empty(); ++k)
    one = &one->list().items().front();
  const std::string got = many ? Type{type.dtype, Shape(type.shape.begin() + axes, type.shape.rank() - axes)}.text()
                          : is_operand(mask) ? std::string(name_of(type.dtype))
                                             : what_is(*one);
  const std::string hint = is_operand(mask) ? many ? "" : "to test a number, write x != 0" : hint_for_condition(*one);
  parts_.reporter.fail(row("condition"), {got}, {{node.filter->span, ""}}, f,
                       many && type.dtype == Dtype::boolean ? "use any or all" : hint);
}

Value Comprehensions::at_places(const Pass& pass, size_t clause, std::span<const Value> places, Frame& f) {
  if (clause == pass.node.clauses.size()) {
    if (f.is_staged()) forget_middles(pass.node, f);
    return parts_.expressions.value_of(pass.body, f);
  }
  const Clause& at = pass.node.clauses[clause];
  const Span span = range_span(at);
  const Value over = clause == 0 ? pass.first : clause_range(at, f);
  parts_.updates.assign(*at.target, item_at_place(over, places[clause], span, f), span, f);
  Value result = at_places(pass, clause + 1, places, f);
  forget(*at.target, f);
  return result;
}

Value Comprehensions::item_at_place(const Value& over, const Value& place, Span span, const Frame& f) {
  if (is_operand(shaped_part(over))) return item_of(over, place, span, f);
  const auto calculate = [&](const ops::Entry& entry, Value a, Value b) {
    Value args[2] = {std::move(a), std::move(b)};
    return parts_.applier.call(entry, args, span, f);
  };
  const auto counted = [&](const Value& start, int64_t stride) {
    Value value = stride == 1 ? place : calculate(ops::handles().multiply, place, Value(stride));
    const bool from_zero = start.tag() == Tag::i64 && start.i64() == 0;
    return from_zero ? value : calculate(ops::handles().add, std::move(value), start);
  };
  if (over.is(ObjectKind::sequence)) {
    if (const auto* range = dynamic_cast<const Range*>(&over.sequence()))
      return counted(Value(range->start), range->stride);
    if (const auto* range = dynamic_cast<const SymbolicRange*>(&over.sequence()))
      return counted(range->start, range->stride);
  }
  const Value known = concrete(place);
  if (known.tag() != Tag::i64) parts_.reporter.stop_staging("a list in a filtered comprehension", span, f);
  if (known.i64() >= parts_.iteration.known_length_of(over, span, f)) throw NoItem{};
  return parts_.iteration.item_of(over, known.i64(), span, f);
}

Value Comprehensions::mean_of(const MapIndex& node, Value all, Value count, Frame& f) {
  std::vector<Value> axes;
  for (size_t i = 0; i < node.clauses.size(); ++i) axes.emplace_back(static_cast<int64_t>(i));
  Value of_all[3] = {std::move(all), make_tuple(std::move(axes)), Value(false)};
  Value args[2] = {parts_.applier.call(ops::handles().sum, of_all, node.span, f), std::move(count)};
  const Dtype dtype = logical_type(shaped_part(args[0])).dtype;
  if (is_float(dtype)) args[1] = ops::cast_to(parts_.applier.builder(), std::move(args[1]), dtype);
  return parts_.applier.call(ops::handles().divide, args, node.span, f);
}

}  // namespace covec
