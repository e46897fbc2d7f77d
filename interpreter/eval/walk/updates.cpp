// Elements of tensors, the commonest place, are found and written without a path.
#include "interpreter/eval/walk/updates.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include "interpreter/eval/report/hints.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/arithmetic.hpp"
#include "interpreter/eval/values/element.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "interpreter/eval/values/store.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using core::PathStep;
using eval::row;

namespace {

std::string count_of(int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

bool is_element(const core::PathStep& step) {
  if (step.is_field || step.items.size() > ElementIndex::most) return false;
  for (const core::IndexItem& item : step.items) {
    if (item.kind != core::IndexItem::Kind::at) return false;
  }
  return true;
}

// A part of a tree that nobody else holds; nullptr: there is none, or it is not found that simply.
Value* field_in(Value& tree, std::string_view name) {
  return tree.is(ObjectKind::record) ? const_cast<Value*>(tree.record().find(name)) : nullptr;
}

Value* item_in(Value& tree, const Value& index) {
  if (tree.is(ObjectKind::map)) return is_key(index) ? map_of(tree).find(index) : nullptr;
  if (!tree.is(ObjectKind::list) || index.tag() != Tag::i64) return nullptr;
  const auto place = ops::place_of(index.i64(), static_cast<int64_t>(tree.list().size()));
  return place ? const_cast<Value*>(&tree.list().item(static_cast<size_t>(*place))) : nullptr;
}

// One element of a tensor that nobody else sees is written where it lies; false: that is not what this is.
bool write_element(Value& root, const ElementIndex& at, const Change& change, bool watches) {
  Tensor& tensor = root.tensor();
  if (watches && change.kind == Change::Kind::augment) return false;
  if (!change.value.is_scalar() || !root.unique() || !tensor.exclusive()) return false;
  std::byte* element = const_cast<std::byte*>(at.element(tensor));
  if (!element) return false;
  Raw value = number(change.value);
  if (change.kind == Change::Kind::augment) {
    const Value old = Value::scalar(tensor.dtype(), element);
    if (!quick_binary(engine_builtin(*change.op).quick, number(old), number(change.value), value)) return false;
  }
  const Value written = own(value);
  if (written.scalar_dtype() != tensor.dtype()) return false;
  std::memcpy(element, written.scalar_data(), size_of(tensor.dtype()));
  return true;
}

}  // namespace

Value& Updates::root_of(const core::Target& target, const Frame& f) const {
  Value& root = slot_of(target.slot, f);
  if (root.is_unbound()) {
    const Message& what = target.slot.global ? row("no_global_value") : row("no_value");
    parts_.reporter.fail(what, {std::string(target.name)}, {{target.span, ""}}, f,
                         target.slot.global ? "" : hint_for_unassigned(&f, target.name));
  }
  return root;
}

void Updates::update_with(const core::UpdatePath& node, Raw raw, Frame& f) {
  const core::Target& target = *node.target;
  if (target.steps.empty() && !node.op) return store(slot_of(target.slot, f), raw);
  Change change{node.op ? Change::Kind::augment : Change::Kind::assign,
                own(raw),
                node.op,
                node.value->literal,
                node.value->span,
                node.span};
  if (target.steps.size() == 1 && is_element(target.steps[0])) return update_element(target, change, f);
  const PathValues path = evaluate_path(target, f);
  parts_.applier.set_site(node.span);
  parts_.places.update(root_of(target, f), target, 0, path, change, f);
}

void Updates::assign(const core::Target& target, Value value, Span value_span, Frame& f) {
  if (target.kind == core::Target::Kind::tuple) return unpack(value, target, value_span, f);
  if (target.steps.empty()) return store(slot_of(target.slot, f), give(std::move(value)));
  Change change{Change::Kind::assign, std::move(value), nullptr, false, value_span, target.span};
  const PathValues path = evaluate_path(target, f);
  parts_.places.update(root_of(target, f), target, 0, path, change, f);
}

// Where the target leads, if nothing but its variable leads there, and to that list, which the caller alone holds
// beside.
Value* Updates::own_list(const core::Target& target, const Value& list, Frame& f) {
  const bool known = list.is(ObjectKind::list) && list.object()->references == 2;
  if (!known || parts_.applier.builder().context().innermost != nullptr)
    return nullptr;  // of an open derivative it is new
  Value* at = &slot_of(target.slot, f);
  for (const PathStep& step : target.steps) {
    if (!at->unique()) return nullptr;
    at = step.is_field ? field_in(*at, step.field) : item_in(*at, parts_.expressions.value_of(*step.items[0].at, f));
    if (at == nullptr) return nullptr;
  }
  return at->is_object() && at->object() == list.object() ? at : nullptr;
}

PathValues Updates::evaluate_path(const core::Target& target, Frame& f) {
  PathValues path;
  for (size_t i = 0; i < target.steps.size(); ++i) {
    if (target.steps[i].is_field) continue;
    path.steps.resize(target.steps.size());
    parts_.indexing.evaluate_items(target.steps[i].items, target.steps[i].span, path.steps[i], f);
  }
  return path;
}

// x[i, j] = v and x[i, j] op= v: one element of a tensor that nobody else sees is written where it lies.
void Updates::update_element(const core::Target& target, Change& change, Frame& f) {
  const std::vector<core::IndexItem>& items = target.steps[0].items;
  Value numbers[ElementIndex::most];
  ElementIndex at;
  for (size_t i = 0; i < items.size(); ++i) {
    numbers[i] = parts_.expressions.value_of(*items[i].at, f);
    at.push(numbers[i]);
  }
  Value& root = root_of(target, f);
  if (root.is_tensor() && write_element(root, at, change, parts_.applier.watches_numbers())) return;
  PathValues path;
  IndexValues& step = path.steps.emplace_back();
  for (size_t i = 0; i < items.size(); ++i) {
    step.spec.push(ops::IndexSpec::Item::at);
    step.items.push_back(std::move(numbers[i]));
    step.spans.push_back(items[i].at->span);
  }
  parts_.applier.set_site(change.whole);
  parts_.places.update(root, target, 0, path, change, f);
}

void Updates::unpack(const Value& value, const core::Target& target, Span value_span, Frame& f) {
  const bool parts =
      value.is(ObjectKind::tuple) || value.is(ObjectKind::list) || value.is(ObjectKind::sequence) ||
      (value.is_object() && is_operand(shaped_part(value)) && logical_type(shaped_part(value)).shape.rank() > 0);
  if (!parts) {
    const bool tree = value.is(ObjectKind::map) || value.is(ObjectKind::record);
    const char* hint = tree                           ? "values(x) is a list of its values"
                       : value.is(ObjectKind::string) ? "to loop over keys and values, loop over items(d)"
                                                      : "";
    parts_.reporter.fail(row("unpack_kind"), {what_is(value)},
                         {{target.span, ""}, {value_span, "this is " + what_is(value)}}, f, hint);
  }
  const int64_t wanted = static_cast<int64_t>(target.parts.size());
  const bool rest = target.rest >= 0;
  const Dim extent = parts_.iteration.length_of(value, value_span, f);
  const bool assumed = !extent.known() && !rest;  // staged: the run sees that there are as many
  if (assumed) parts_.staged.agree(extent, Dim(wanted), value_span, f);
  const int64_t length = assumed ? wanted : parts_.iteration.known_length_of(value, value_span, f);
  if (rest ? length < wanted - 1 : length != wanted) {
    const std::string targets = rest ? "at least " + count_of(wanted - 1, "value") : count_of(wanted, "target");
    parts_.reporter.fail(row("unpack"), {count_of(length, "value"), targets},
                         {{target.span, targets}, {value_span, "this is " + what_is(value)}}, f);
  }
  int64_t at = 0;
  for (int64_t i = 0; i < wanted; ++i) {
    const int64_t count = i == target.rest ? length - wanted + 1 : 1;
    Value part = i == target.rest ? slice_of(value, at, count, value_span, f)
                                  : parts_.iteration.item_of(value, at, value_span, f);
    assign(*target.parts[static_cast<size_t>(i)], std::move(part), value_span, f);
    at += count;
  }
}

// `count` of the items from `first` on, as a value of the same kind; a list of those of a range.
Value Updates::slice_of(const Value& value, int64_t first, int64_t count, Span span, Frame& f) {
  IndexValues at;
  at.spec.push(ops::IndexSpec::Item::slice, true, true, false);
  at.items = {Value(first), Value(first + count)};
  at.spans = {span, span};
  return parts_.indexing.index_into(value, at, span, span, f);
}

void Updates::push(const core::Push& node, Frame& f) {
  const core::Target& target = *node.target;
  Value& root = root_of(target, f);
  if (node.how == core::Push::Kind::push && target.steps.empty() && root.is(ObjectKind::list)) {
    const Raw value = parts_.expressions.evaluate(*node.value, f);
    if (!root.unique() || root.list().is_full()) return push_item(root, own(value), node.span, f);
    root.list().push(new_item(parts_.applier.builder().context(), own(value)));
    return;
  }
  const PathValues path = evaluate_path(target, f);
  Value result;
  if (node.call && has_field(root, target, path, node.call->name, f)) {
    result = parts_.expressions.value_of(*node.call, f);
  } else {
    const Span value_span = node.value != nullptr ? node.value->span : node.span;
    Change change{Change::of(node.how), Value::unbound(), node.builtin, false, value_span, node.span};
    if (node.value != nullptr) change.value = parts_.expressions.value_of(*node.value, f);
    parts_.applier.set_site(node.span);
    parts_.places.update(root, target, 0, path, change, f);
    result = std::move(change.value);
  }
  if (node.result != nullptr) assign(*node.result, std::move(result), node.span, f);
}

void Updates::push_item(Value& list, Value item, const Span& span, const Frame& f) const {
  try {
    if (!list.unique()) list = make_list(list.list().items());
    list.list().push(new_item(parts_.applier.builder().context(), std::move(item)));
  } catch (...) {
    parts_.reporter.raise(current_error(), span, {}, &f);
  }
}

// Does the path lead to a record or module with a field of that name? Then the statement is a call.
bool Updates::has_field(const Value& root, const core::Target& target, const PathValues& path, std::string_view name,
                        const Frame& f) const {
  const Value* at = &root;
  for (size_t i = 0; i < target.steps.size(); ++i) {
    const PathStep& step = target.steps[i];
    const std::vector<Value>* items = children(*at);
    if (!items) return false;
    if (step.is_field) {
      at = at->is(ObjectKind::record) ? at->record().find(step.field) : nullptr;
      if (!at) return false;
    } else if (at->is(ObjectKind::map)) {
      at = parts_.indexing.entry_of(*at, path.steps[i], step.span, f);
    } else {
      const IndexValues& index = path.steps[i];
      if (index.spec.items() != 1 || index.spec.item(0) != ops::IndexSpec::Item::at || at->is(ObjectKind::record))
        return false;
      const auto length = static_cast<int64_t>(items->size());
      at =
          &(*items)[static_cast<size_t>(parts_.indexing.position(index.items[0], length, "a list", index.spans[0], f))];
    }
  }
  if (at->is(ObjectKind::record)) return at->record().find(name) != nullptr;
  return at->is(ObjectKind::module) && module_of(*at).find(name) != nullptr;
}

}  // namespace covec
