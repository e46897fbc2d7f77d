// Each step makes its part unshared before it goes on, so the last one writes in place. An operand that an operator is
// to reuse is taken out of its place meanwhile.
#include "interpreter/eval/walk/update_path.hpp"

#include "frontend/common/nearest.hpp"
#include "interpreter/eval/walk/parts.hpp"

#include "interpreter/eval/apply/tree_operators.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/arithmetic.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "interpreter/eval/values/store.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using core::PathStep;
using eval::row;

void UpdatePath::update(Value& place, const core::Target& target, size_t step, const PathValues& path, Change& change,
                        const Frame& f) const {
  if (step == target.steps.size()) return finish(place, target, change, f);
  if (f.is_staged() && place.is(ObjectKind::sequence)) place = parts_.applier.staging()->present(place);
  const PathStep& at = target.steps[step];
  if (at.is_field) return update_field(place, target, step, at.field, path, change, f);
  if (f.is_staged() && parts_.staged.is_run_part(place, path.steps[step], at.span, f)) {
    return update_run_item(place, target, step, path, change, f);
  }
  if (is_operand(shaped_part(place))) return update_tensor(place, target, step, path, change, f);
  if (place.is(ObjectKind::list) || place.is(ObjectKind::tuple))
    return update_item(place, target, step, path, change, f);
  if (place.is(ObjectKind::record) && is_field_name(path.steps[step])) {
    return update_field(place, target, step, path.steps[step].items[0].string().text, path, change, f);
  }
  if (place.is(ObjectKind::map)) return update_key(place, target, step, path, change, f);
  if (place.is(ObjectKind::string)) parts_.reporter.fail(row("string_update"), {}, {{at.span, ""}}, f);
  const bool record = place.is(ObjectKind::record);
  parts_.reporter.fail(row("not_assignable"), {what_is(place)}, {{at.span, "this indexes " + what_is(place)}}, f,
                       record ? "make a map with map() or {\"a\": 1}; for a record, write r.name = v" : "");
}

namespace {

// {...p, c: 1} where the record is a variable; else the nearest name alone. `{}` was meant to be a map.
std::string field_hint(const std::vector<std::string_view>& fields, std::string_view field,
                       const core::Target& target) {
  if (fields.empty()) return "{} is a record without fields: write map() for an empty map";
  if (const std::string_view near = nearest_name(field, fields); !near.empty()) return did_you_mean(near);
  if (target.steps.size() != 1) return "";
  const std::string name(target.name);
  return "write " + name + " = {..." + name + ", " + std::string(field) + ": …}";
}

}  // namespace

void UpdatePath::update_field(Value& place, const core::Target& target, size_t step, std::string_view field,
                              const PathValues& path, Change& change, const Frame& f) const {
  const PathStep& at = target.steps[step];
  if (!place.is(ObjectKind::record)) {
    parts_.reporter.fail(row("not_assignable"), {what_is(place)}, {{at.span, "a field of " + what_is(place)}}, f);
  }
  const auto& names = place.record().layout->names;
  const int found = place.record().layout->find(field);
  if (found < 0) {
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    parts_.reporter.fail(row("new_field"), {"the record", std::string(field)},
                         {{at.span, candidates.empty() ? "it has none" : "its fields are " + listed(candidates)}}, f,
                         field_hint(candidates, field, target));
  }
  if (!place.unique()) place = make_record(place.record().layout, place.record().items);
  update(place.record().items[found], target, step + 1, path, change, f);
}

// The item is read, where the old one is wanted, and written back.
void UpdatePath::update_run_item(Value& place, const core::Target& target, size_t step, const PathValues& path,
                                 Change& change, const Frame& f) const {
  const IndexValues& at = path.steps[step];
  const Span span = target.steps[step].span;
  if (at.spec.item(0) != ops::IndexSpec::Item::at) {
    parts_.reporter.stop_staging("a part of a list that has grown in a loop", span, f);
  }
  Value item;
  if (step + 1 == target.steps.size() && change.kind == Change::Kind::assign) {
    item = std::move(change.value);
  } else {
    item = parts_.staged.part(place, at, span, span, f);
    update(item, target, step + 1, path, change, f);
  }
  const Span spans[3] = {span, at.spans[0], change.value_span};
  parts_.staged.set(place, at, std::move(item), change.whole, spans, f);
}

void UpdatePath::update_item(Value& place, const core::Target& target, size_t step, const PathValues& path,
                             Change& change, const Frame& f) const {
  const bool list = place.is(ObjectKind::list);
  const char* what = list ? "a list" : "a tuple";
  const IndexValues& at = path.steps[step];
  const Span span = target.steps[step].span;
  if (at.spec.items() != 1)
    parts_.reporter.fail(row("one_index"), {what, std::to_string(at.spec.items())}, {{span, ""}}, f);
  if (at.spec.item(0) == ops::IndexSpec::Item::slice)
    parts_.reporter.fail(row("slice_update"), {what}, {{span, ""}}, f);
  if (at.spec.item(0) != ops::IndexSpec::Item::at) parts_.reporter.fail(row("ellipsis_list"), {what}, {{span, ""}}, f);
  const size_t items = list ? place.list().size() : place.tuple().items.size();
  const int64_t length = static_cast<int64_t>(items);
  const auto index = static_cast<size_t>(parts_.indexing.position(at.items[0], length, what, at.spans[0], f));
  if (!place.unique()) place = list ? make_list(place.list().items()) : make_tuple(place.tuple().items);
  const auto further = [&](Value& item) {
    update(item, target, step + 1, path, change, f);
    if (list) autodiff::renew_if_open(parts_.applier.builder().context(), item);
  };
  if (list)
    place.list().change_item(index, further);
  else
    further(place.tuple().items[index]);
}

// d[k] = v makes a new key where there is none; everything else needs the old value.
void UpdatePath::update_key(Value& place, const core::Target& target, size_t step, const PathValues& path,
                            Change& change, const Frame& f) const {
  const Span span = target.steps[step].span;
  const Value key = parts_.indexing.key_of(path.steps[step], span, f);
  const bool assigns = step + 1 == target.steps.size() && change.kind == Change::Kind::assign;
  if (!assigns) parts_.indexing.entry_of(place, path.steps[step], span, f);
  try {
    if (!place.unique()) place = make_map(map_of(place).keys(), map_of(place).values());
    if (assigns) return map_of(place).set(key, std::move(change.value));
  } catch (...) {
    parts_.reporter.raise(current_error(), span, {}, &f);
  }
  update(*map_of(place).find(key), target, step + 1, path, change, f);
}

namespace {

// What is taken out of its place for an operator goes back when that fails.
class TakenOut {
 public:
  TakenOut(Value& place, Value& taken, Value kept = {}) : place_(place), taken_(taken), kept_(std::move(kept)) {
    taken_ = std::move(place_);
  }
  ~TakenOut() {
    if (done_) return;
    if (!kept_.is_none())
      place_ = std::move(kept_);
    else if (!taken_.is_unbound() && !taken_.is_none())
      place_ = std::move(taken_);
  }
  void finish(Value result) {
    place_ = std::move(result);
    done_ = true;
  }

 private:
  Value& place_;
  Value& taken_;
  Value kept_;
  bool done_ = false;
};

}  // namespace

void UpdatePath::update_tensor(Value& place, const core::Target& target, size_t step, const PathValues& path,
                               Change& change, const Frame& f) const {
  const IndexValues& at = path.steps[step];
  const Span span = target.steps[step].span;
  const bool last = step + 1 == target.steps.size();
  const Quick quick = change.op ? engine_builtin(*change.op).quick : Quick::none;
  const bool accumulate = last && change.kind == Change::Kind::augment && (quick == Quick::add || quick == Quick::sub);
  const ops::Entry& entry = accumulate ? ops::index_add_entry() : ops::index_update_entry();
  Value args[3] = {Value(), Value(), Value(at.spec.packed())};
  if (!last || (change.kind != Change::Kind::assign && !accumulate)) {  // read the part, change it, write it back
    Value& value = args[1] = parts_.indexing.index_into(place, at, span, span, f);
    if (change.kind == Change::Kind::push) parts_.reporter.fail(row("push"), {what_is(value)}, {{span, ""}}, f);
    const bool repeats = last && may_repeat(place, at, change, f);
    const Change in_rounds = change;
    update(value, target, step + 1, path, change, f);
    if (repeats) {
      args[0] = place;
      write(entry, args, at, change, span, f);  // its errors are those of all places at once
      return update_in_rounds(place, target, at, in_rounds, span, f);
    }
  } else {
    args[1] = std::move(change.value);
    if (quick == Quick::sub) {
      change.literal = change.literal && !fits_in(args[1], place);  // the negative of what fits need not fit
      args[1] = negated(widened(std::move(args[1]), place), change.value_span, f);
    }
  }
  TakenOut taken(place, args[0]);
  taken.finish(write(entry, args, at, change, span, f));
}

// index_update or index_add of (x, value, spec).
Value UpdatePath::write(const ops::Entry& entry, std::span<Value> args, const IndexValues& at, const Change& change,
                        Span span, const Frame& f) const {
  std::vector<Span> spans = {span, change.value_span, span};
  spans.insert(spans.end(), at.spans.begin(), at.spans.end());
  std::vector<Value> items = at.items;
  return parts_.applier.call(entry, args, items, change.literal ? 2 : 0, change.whole, spans, f);
}

// Of integers: whether the tensor's dtype has the number.
bool UpdatePath::fits_in(const Value& value, const Value& tensor) {
  if (!is_operand(shaped_part(tensor)) || value.tag() != Tag::i64) return true;
  const Dtype dtype = logical_type(shaped_part(tensor)).dtype;
  return kind_of(dtype) != DtypeKind::integer || fits(value.i64(), dtype);
}

// Integers as what the tensor holds, where that has more: there the least one has a negative, and 0 one of its own.
Value UpdatePath::widened(Value value, const Value& tensor) const {
  if (!is_operand(value)) return value;
  const Dtype from = logical_type(value).dtype, to = logical_type(shaped_part(tensor)).dtype;
  const bool more = kind_of(from) == DtypeKind::integer &&
                    (is_float(to) || (kind_of(to) == DtypeKind::integer && size_of(to) > size_of(from)));
  return more ? ops::cast_to(parts_.applier.builder(), std::move(value), to) : value;
}

Value UpdatePath::negated(Value value, Span span, const Frame& f) const {
  return parts_.applier.call(*parts_.host.operator_of(Operator::negate).entry, {&value, 1}, {}, 0, span, {}, f);
}

void UpdatePath::finish(Value& place, const core::Target& target, Change& change, const Frame& f) const {
  switch (change.kind) {
    case Change::Kind::assign: place = std::move(change.value); return;
    case Change::Kind::augment: return augment(place, target, change, f);
    case Change::Kind::push: return push(place, target, change, f);
    case Change::Kind::pop: return pop(place, target, change, f);
  }
}

void UpdatePath::push(Value& place, const core::Target& target, Change& change, const Frame& f) const {
  if (is_run_list(place)) {
    return parts_.staged.push(place, std::move(change.value), change.whole, change.value_span, f);
  }
  if (is_boxed_symbol(place)) {
    parts_.reporter.stop_staging("the items of a list of trees or of several types", change.whole, f);
  }
  if (!place.is(ObjectKind::list)) {
    parts_.reporter.fail(row("push"), {what_is(place)}, {{target.span, "this is " + what_is(place)}}, f,
                         is_operand(place) ? "make a list with list(…); join tensors with concat" : "");
  }
  try {
    if (!place.unique()) place = make_list(place.list().items());
    place.list().push(new_item(parts_.applier.builder().context(), std::move(change.value)));
  } catch (...) {
    parts_.reporter.raise(current_error(), change.whole, {}, &f);
  }
}

void UpdatePath::pop(Value& place, const core::Target& target, Change& change, const Frame& f) const {
  if (is_run_list(place) && change.value.is_unbound()) {
    change.value = parts_.staged.pop(place, change.whole, f);
    return;
  }
  if (is_run_list(place) || is_boxed_symbol(place))
    parts_.reporter.stop_staging("a list that grows and shrinks in a loop", change.whole, f);
  const Span spans[2] = {target.span, change.value_span};
  Value args[2] = {Value(), std::move(change.value)};
  TakenOut taken(place, args[0]);
  const Value both = parts_.applier.call(*change.op->entry, args, {}, 0, change.whole, spans, f);
  change.value = new_item(parts_.applier.builder().context(), both.tuple().items[1]);
  taken.finish(both.tuple().items[0]);
}

void UpdatePath::augment(Value& place, const core::Target& target, Change& change, const Frame& f) const {
  Raw result;
  if (place.is_scalar() && change.value.is_scalar() && !parts_.applier.watches_numbers() &&
      quick_binary(engine_builtin(*change.op).quick, number(place), number(change.value), result)) {
    return store(place, result);
  }
  if (place.is(ObjectKind::list)) {
    if (auto all = tree_operator(parts_.applier, parts_.host, change.op->entry, place, change.value, change.whole, f)) {
      place = std::move(*all);
      return;
    }
  }
  const Span spans[2] = {target.span, change.value_span};
  // A list or tuple becomes a tensor on the way, also where that fails: it is not taken out.
  const bool converts = place.is(ObjectKind::list) || place.is(ObjectKind::tuple);
  const Value kept = converts ? place : Value();
  Value args[2] = {Value(), std::move(change.value)};
  TakenOut taken(place, args[0], kept);
  taken.finish(parts_.applier.call(*change.op->entry, args, {}, change.literal ? 2 : 0, change.whole, spans, f));
}

}  // namespace covec
