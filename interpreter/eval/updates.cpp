// Updates of places: x += e, x[i, :] = v, p.layer.w = v, xs.push(v). The right side is evaluated first, then the
// indices of the path; then the root is updated where it lies, copying what is shared on the way down. No code of the
// user runs while that happens, and a part that has been taken out for an operator is put back when the operator fails:
// data stays whole.
#include "interpreter/eval/arithmetic.hpp"
#include "interpreter/eval/element.hpp"
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/messages.hpp"
#include "interpreter/eval/store.hpp"
#include "interpreter/eval/update.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using core::PathStep;
using eval::row;

Value& Interpreter::root_of(const core::Target& target, Frame& f) {
  Value& root = slot(target.slot, f);
  if (root.is_unbound()) {
    const Message& what = target.slot.global ? row("no_global_value") : row("no_value");
    fail(what, {std::string(target.name)}, {{target.span, ""}}, f);
  }
  return root;
}

void Interpreter::update_with(const core::UpdatePath& node, Raw raw, Frame& f) {
  const core::Target& target = *node.target;
  if (target.steps.empty() && !node.op) return store(slot(target.slot, f), raw);
  Update change{node.op ? Update::Kind::augment : Update::Kind::assign,
                own(raw),
                node.op,
                node.value->literal,
                node.value->span,
                node.span};
  if (target.steps.size() == 1 && is_element(target.steps[0])) return update_element(target, change, f);
  const PathValues path = evaluate_path(target, f);
  set_site(node.span);
  update_place(root_of(target, f), target, 0, path, change, f);
}

// A part of destructuring, a loop's variable.
void Interpreter::assign(const core::Target& target, Value value, Span value_span, Frame& f) {
  if (target.kind == core::Target::Kind::tuple) return unpack(value, target, value_span, f);
  if (target.steps.empty()) return store(slot(target.slot, f), give(std::move(value)));
  Update change{Update::Kind::assign, std::move(value), nullptr, false, value_span, target.span};
  const PathValues path = evaluate_path(target, f);
  update_place(root_of(target, f), target, 0, path, change, f);
}

Interpreter::PathValues Interpreter::evaluate_path(const core::Target& target, Frame& f) {
  PathValues path;
  for (size_t i = 0; i < target.steps.size(); ++i) {
    if (target.steps[i].is_field) continue;
    path.steps.resize(target.steps.size());
    evaluate_items(target.steps[i].items, target.steps[i].span, path.steps[i], f);
  }
  return path;
}

bool Interpreter::is_element(const PathStep& step) {
  if (step.is_field || step.items.size() > ElementIndex::most) return false;
  for (const core::IndexItem& item : step.items) {
    if (item.kind != core::IndexItem::Kind::at) return false;
  }
  return true;
}

// x[i, j] = v and x[i, j] op= v: one element of a tensor that nobody else sees is written where it lies.
void Interpreter::update_element(const core::Target& target, Update& change, Frame& f) {
  const std::vector<core::IndexItem>& items = target.steps[0].items;
  Value numbers[ElementIndex::most];
  ElementIndex at;
  for (size_t i = 0; i < items.size(); ++i) {
    numbers[i] = value_of(*items[i].at, f);
    at.push(numbers[i]);
  }
  Value& root = root_of(target, f);
  if (root.is_tensor() && write_element(root, at, change)) return;
  PathValues path;
  IndexValues& step = path.steps.emplace_back();
  for (size_t i = 0; i < items.size(); ++i) {
    step.spec.push(ops::IndexSpec::Item::at);
    step.items.push_back(std::move(numbers[i]));
    step.spans.push_back(items[i].at->span);
  }
  set_site(change.whole);
  update_place(root, target, 0, path, change, f);
}

bool Interpreter::write_element(Value& root, const ElementIndex& at, const Update& change) {
  Tensor& tensor = root.tensor();
  if (!change.value.is_scalar() || !root.unique() || !tensor.exclusive()) return false;
  std::byte* element = const_cast<std::byte*>(at.element(tensor));
  if (!element) return false;
  Raw value = number(change.value);
  if (change.kind == Update::Kind::augment) {
    const Value old = Value::scalar(tensor.dtype(), element);
    if (!quick_binary(engine_builtin(*change.op).quick, number(old), number(change.value), value)) return false;
  }
  const Value written = own(value);
  if (written.scalar_dtype() != tensor.dtype()) return false;
  std::memcpy(element, written.scalar_data(), size_of(tensor.dtype()));
  return true;
}

// --- down the path ---

void Interpreter::update_place(Value& place, const core::Target& target, size_t step, const PathValues& path,
                               Update& change, Frame& f) {
  if (step == target.steps.size()) return finish_update(place, target, change, f);
  const PathStep& at = target.steps[step];
  if (at.is_field) return update_field(place, target, step, path, change, f);
  if (staging_ && is_run_part(place, path.steps[step], at.span, f)) {
    return update_run_item(place, target, step, path, change, f);
  }
  if (is_operand(place)) return update_tensor(place, target, step, path, change, f);
  if (place.is(ObjectKind::list) || place.is(ObjectKind::tuple))
    return update_item(place, target, step, path, change, f);
  if (place.is(ObjectKind::string)) fail(row("string_update"), {}, {{at.span, ""}}, f);
  fail(row("not_assignable"), {what_is(place)}, {{at.span, "this indexes " + what_is(place)}}, f);
}

void Interpreter::update_field(Value& place, const core::Target& target, size_t step, const PathValues& path,
                               Update& change, Frame& f) {
  const PathStep& at = target.steps[step];
  if (!place.is(ObjectKind::record)) {
    fail(row("not_assignable"), {what_is(place)}, {{at.span, "a field of " + what_is(place)}}, f);
  }
  const auto& names = place.record().layout->names;
  const int found = place.record().layout->find(at.field);
  if (found < 0) {
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string_view near = nearest_name(at.field, candidates);
    fail(row("new_field"), {"the record", std::string(at.field)}, {{at.span, "its fields are " + listed(candidates)}},
         f, near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
  }
  if (!place.unique()) place = make_record(place.record().layout, place.record().items);
  update_place(place.record().items[found], target, step + 1, path, change, f);
}

void Interpreter::update_item(Value& place, const core::Target& target, size_t step, const PathValues& path,
                              Update& change, Frame& f) {
  const bool list = place.is(ObjectKind::list);
  const char* what = list ? "a list" : "a tuple";
  const IndexValues& at = path.steps[step];
  const Span span = target.steps[step].span;
  if (at.spec.items() != 1) fail(row("one_index"), {what, std::to_string(at.spec.items())}, {{span, ""}}, f);
  if (at.spec.item(0) == ops::IndexSpec::Item::slice) fail(row("slice_update"), {what}, {{span, ""}}, f);
  if (at.spec.item(0) != ops::IndexSpec::Item::at) fail(row("ellipsis_list"), {what}, {{span, ""}}, f);
  const int64_t length = static_cast<int64_t>(children(place)->size());
  const int64_t index = position(at.items[0], length, what, at.spans[0], f);
  if (!place.unique()) place = list ? make_list(place.list().items) : make_tuple(place.tuple().items);
  update_place((*children(place))[index], target, step + 1, path, change, f);
}

namespace {

// What is taken out of its place for an operator goes back when that fails.
class TakenOut {
 public:
  TakenOut(Value& place, Value& taken) : place_(place), taken_(taken) { taken_ = std::move(place_); }
  ~TakenOut() {
    if (!done_ && !taken_.is_unbound() && !taken_.is_none()) place_ = std::move(taken_);
  }
  void finish(Value result) {
    place_ = std::move(result);
    done_ = true;
  }

 private:
  Value& place_;
  Value& taken_;
  bool done_ = false;
};

}  // namespace

void Interpreter::update_tensor(Value& place, const core::Target& target, size_t step, const PathValues& path,
                                Update& change, Frame& f) {
  const IndexValues& at = path.steps[step];
  const Span span = target.steps[step].span;
  const bool last = step + 1 == target.steps.size();
  const Quick quick = change.op ? engine_builtin(*change.op).quick : Quick::none;
  const bool accumulate = last && change.kind == Update::Kind::augment && (quick == Quick::add || quick == Quick::sub);
  Value value;
  if (!last || (change.kind != Update::Kind::assign && !accumulate)) {  // read the part, change it, write it back
    IndexValues read = at;
    value = index_into(place, read, span, span, f);
    if (change.kind == Update::Kind::push) fail(row("push"), {what_is(value)}, {{span, ""}}, f);
    update_place(value, target, step + 1, path, change, f);
  } else {
    value = std::move(change.value);
    if (quick == Quick::sub) value = negated(std::move(value), change.value_span, f);
  }
  std::vector<Span> spans = {span, change.value_span, span};
  spans.insert(spans.end(), at.spans.begin(), at.spans.end());
  Value args[3] = {Value(), std::move(value), Value(at.spec.packed())};
  TakenOut taken(place, args[0]);
  std::vector<Value> items = at.items;
  const ops::Entry& entry = accumulate ? ops::index_add_entry() : ops::index_update_entry();
  taken.finish(call_entry(entry, args, items, change.literal ? 2 : 0, change.whole, spans, f));
}

Value Interpreter::negated(Value value, Span span, Frame& f) {
  return call_entry(*host_.operator_of(Operator::negate).entry, {&value, 1}, {}, 0, span, {}, f);
}

void Interpreter::finish_update(Value& place, const core::Target& target, Update& change, Frame& f) {
  if (change.kind == Update::Kind::assign) {
    place = std::move(change.value);
    return;
  }
  if (change.kind == Update::Kind::push && is_list_symbol(place)) {
    return push_run_item(place, std::move(change.value), change.whole, change.value_span, f);
  }
  if (change.kind == Update::Kind::push) {
    if (is_boxed_symbol(place)) {
      stop_staging("what a list of trees, or of values of several types, holds", change.whole, f);
    }
    if (!place.is(ObjectKind::list)) {
      fail(row("push"), {what_is(place)}, {{target.span, "this is " + what_is(place)}}, f,
           is_operand(place) ? "a list is made with list(…); tensors are joined with concat" : "");
    }
    if (!place.unique()) place = make_list(place.list().items);
    place.list().items.push_back(std::move(change.value));
    return;
  }
  Raw result;
  if (place.is_scalar() && change.value.is_scalar() &&
      quick_binary(engine_builtin(*change.op).quick, number(place), number(change.value), result)) {
    return store(place, result);
  }
  const Span spans[2] = {target.span, change.value_span};
  Value args[2] = {Value(), std::move(change.value)};
  TakenOut taken(place, args[0]);
  taken.finish(call_entry(*change.op->entry, args, {}, change.literal ? 2 : 0, change.whole, spans, f));
}

// --- push ---

void Interpreter::push(const core::Push& node, Frame& f) {
  const core::Target& target = *node.target;
  Value& root = root_of(target, f);
  if (target.steps.empty() && root.is(ObjectKind::list)) {
    const Raw value = evaluate(*node.value, f);
    if (root.unique()) {
      root.list().items.push_back(own(value));
      return;
    }
    Value held = own(value);
    root = make_list(root.list().items);
    root.list().items.push_back(std::move(held));
    return;
  }
  const PathValues path = evaluate_path(target, f);
  if (node.call && has_push_field(root, target, path, f)) {
    own(evaluate(*node.call, f));
    return;
  }
  Update change{Update::Kind::push, value_of(*node.value, f), nullptr, false, node.value->span, node.span};
  set_site(node.span);
  update_place(root, target, 0, path, change, f);
}

// Does the path lead to a record or module with a field of that name? Then the statement is a call.
bool Interpreter::has_push_field(const Value& root, const core::Target& target, const PathValues& path, Frame& f) {
  const Value* at = &root;
  for (size_t i = 0; i < target.steps.size(); ++i) {
    const PathStep& step = target.steps[i];
    const std::vector<Value>* items = children(*at);
    if (!items) return false;
    if (step.is_field) {
      at = at->is(ObjectKind::record) ? at->record().find(step.field) : nullptr;
      if (!at) return false;
    } else {
      const IndexValues& index = path.steps[i];
      if (index.spec.items() != 1 || index.spec.item(0) != ops::IndexSpec::Item::at || at->is(ObjectKind::record))
        return false;
      at = &(*items)[position(index.items[0], static_cast<int64_t>(items->size()), "a list", index.spans[0], f)];
    }
  }
  if (at->is(ObjectKind::record)) return at->record().find("push") != nullptr;
  return at->is(ObjectKind::module) && module_of(*at).find("push") != nullptr;
}

}  // namespace covec
