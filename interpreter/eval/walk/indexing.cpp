// The commonest index, plain numbers into a tensor or list, is tried first, without making IndexValues.
#include "interpreter/eval/walk/indexing.hpp"

#include "frontend/common/nearest.hpp"
#include "interpreter/eval/walk/parts.hpp"

#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/report/operand_hints.hpp"
#include "interpreter/eval/values/element.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "stdlib/ops/general/maps.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/tensor/sparse_record.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

using core::IndexItem;
using eval::row;

namespace {

const char* kind_name(const Value& object) {
  if (object.is(ObjectKind::list)) return "a list";
  if (object.is(ObjectKind::tuple)) return "a tuple";
  if (object.is(ObjectKind::string)) return "a string";
  return "a sequence";
}

bool all_at(const std::vector<IndexItem>& items) {
  for (const IndexItem& item : items) {
    if (item.kind != IndexItem::Kind::at) return false;
  }
  return true;
}

Value string_part(const String& text, const ops::ListSlice& part) {
  if (part.step == 1) return make_string(std::string(text.part(part.start, part.count)), part.count);
  std::string out;
  for (int64_t i = 0; i < part.count; ++i) out += text.character(part.start + i * part.step);
  return make_string(std::move(out));
}

// Tensors, and what one plain number or key leads into.
bool has_plain_parts(const Value& object, const Frame& f) {
  return object.is_tensor() || object.is(ObjectKind::list) || object.is(ObjectKind::tuple) ||
         object.is(ObjectKind::string) || (object.is(ObjectKind::map) && !f.is_staged());
}

// A local variable whose value lies still meanwhile.
const Value* kept_local(const core::Index& node, const Frame& f) {
  return node.object_stays ? &f.slots[static_cast<const core::Local&>(*node.object).slot] : nullptr;
}

// While an index is not a plain one, the variable whose last use this is has its value again, so that a prompt after
// the error shows it.
class RestoredVariable {
 public:
  RestoredVariable(const Parts& parts, const core::Expr& expr, const Value& object, const Frame& f) {
    if (!parts.saved_frames.is_enabled() || expr.kind != core::ExprKind::local) return;
    const auto& local = static_cast<const core::Local&>(expr);
    if (!local.last_use || f.is_staged() || !object.is_object()) return;
    slot_ = &f.slots[local.slot];
    *slot_ = object;
  }
  ~RestoredVariable() {
    if (slot_ != nullptr) const Value gone(std::move(*slot_));
  }
  RestoredVariable(const RestoredVariable&) = delete;
  RestoredVariable& operator=(const RestoredVariable&) = delete;

 private:
  Value* slot_ = nullptr;
};

bool has_one_place(const core::Index& node) {
  return node.items.size() == 1 && node.items[0].kind == IndexItem::Kind::at;
}

}  // namespace

// Reads what is at one plain number, or at a map's key, if it is there.
[[gnu::always_inline]] inline std::optional<Raw> Indexing::plain_part(const Value& object, const Value& at) const {
  if (object.is(ObjectKind::map)) {
    const Value* const found = is_key(at) ? std::as_const(map_of(object)).find(at) : nullptr;
    if (found != nullptr) return share(*found);
    return std::nullopt;
  }
  ElementIndex place;
  place.push(at);
  if (object.is_tensor()) {
    if (const std::byte* const element = place.element(object.tensor()))
      return give(Value::scalar(object.tensor().dtype(), element));
  } else if (object.is(ObjectKind::list)) {
    if (const Value* const item = place.item(object.list()))
      return renewed(parts_.applier.builder().context(), share(*item));
  } else if (object.is(ObjectKind::tuple)) {
    if (const Value* const item = place.item(object.tuple())) return share(*item);
  } else if (const auto character = place.place(object.string().length())) {
    return give(parts_.iteration.character(object.string(), *character));
  }
  return std::nullopt;
}

Raw Indexing::index(const core::Index& node, Frame& f) {
  if (const Value* const kept = kept_local(node, f);
      kept != nullptr && has_one_place(node) && has_plain_parts(*kept, f))
    return index_one(node, *kept, f);
  Value object = parts_.expressions.value_of(*node.object, f);
  if (has_one_place(node) && has_plain_parts(object, f)) return index_one(node, object, f);
  return index_general(node, std::move(object), f);
}

Raw Indexing::index_one(const core::Index& node, const Value& object, Frame& f) {
  Value at = parts_.expressions.value_of(*node.items[0].at, f);
  if (const std::optional<Raw> part = plain_part(object, at)) return *part;
  IndexValues values;
  values.spec.push(ops::IndexSpec::Item::at);
  values.items.push_back(std::move(at));
  values.spans.push_back(node.items[0].span);
  const RestoredVariable restored(parts_, *node.object, object, f);
  return give(index_into(object, values, node.span, node.object->span, f));
}

Raw Indexing::index_general(const core::Index& node, Value object, Frame& f) {
  const size_t count = node.items.size();
  if (count <= ElementIndex::most && object.is_tensor() && all_at(node.items)) {
    Value items[ElementIndex::most];
    ElementIndex at;
    for (size_t i = 0; i < count; ++i) {
      items[i] = parts_.expressions.value_of(*node.items[i].at, f);
      at.push(items[i]);
    }
    if (const std::byte* element = at.element(object.tensor()))
      return give(Value::scalar(object.tensor().dtype(), element));
    IndexValues values;
    for (size_t i = 0; i < count; ++i) {
      values.spec.push(ops::IndexSpec::Item::at);
      values.items.push_back(std::move(items[i]));
      values.spans.push_back(node.items[i].span);
    }
    const RestoredVariable restored(parts_, *node.object, object, f);
    return give(index_into(std::move(object), values, node.span, node.object->span, f));
  }
  if (object.is(ObjectKind::list) && count == 1 && node.items[0].kind == IndexItem::Kind::slice && !f.is_staged())
    return list_slice(node, std::move(object), f);
  IndexValues values;
  evaluate_items(node.items, node.span, values, f);
  parts_.applier.set_site(node.span);
  const RestoredVariable restored(parts_, *node.object, object, f);
  return give(index_into(std::move(object), values, node.span, node.object->span, f));
}

namespace {

// Nobody sees the list any more but through `slice`'s object: it was a variable's that has been moved out of it, or
// that its statement replaces.
bool is_replaced(const Value& list, const core::Index& slice, const Frame& f) {
  if (list.unique()) return true;
  if (slice.object->kind != core::ExprKind::global) return false;
  const auto& global = static_cast<const core::Global&>(*slice.object);
  Value& variable = f.globals[global.slot];
  if (!global.last_use || !variable.is_object() || variable.object() != list.object() || list.object()->references != 2)
    return false;
  variable = Value::unbound();
  return true;
}

}  // namespace

// q = q[1:] leaves the items where they are. While a derivative is open they become new values.
Raw Indexing::list_slice(const core::Index& node, Value list, Frame& f) {
  const IndexItem& item = node.items[0];
  const core::Expr* const given[] = {item.start, item.stop, item.step};
  Value values[3];
  std::optional<int64_t> parts[3];
  bool plain = true;
  for (size_t i = 0; i < 3; ++i) {
    if (given[i] == nullptr) continue;
    values[i] = parts_.expressions.value_of(*given[i], f);
    plain = plain && values[i].tag() == Tag::i64 && (i < 2 || values[i].i64() != 0);
    parts[i] = values[i].i64();
  }
  if (plain && parts_.applier.builder().context().innermost == nullptr) {
    const auto length = static_cast<int64_t>(list.list().size());
    const auto part = ops::ListSlice::of(length, parts[0], parts[1], parts[2].value_or(1));
    if (part.keeps_most(list.list()) && is_replaced(list, node, f)) {
      part.keep(list.list());
      return give(std::move(list));
    }
  }
  IndexValues at;
  at.spec.push(ops::IndexSpec::Item::slice, item.start, item.stop, item.step);
  for (size_t i = 0; i < 3; ++i) {
    if (given[i] == nullptr) continue;
    at.items.push_back(std::move(values[i]));
    at.spans.push_back(given[i]->span);
  }
  parts_.applier.set_site(node.span);
  return give(index_sequence(list, at, node.span, f));
}

void Indexing::evaluate_items(const std::vector<IndexItem>& items, Span span, IndexValues& out, Frame& f) {
  if (items.size() > ops::IndexSpec::max_items) {
    parts_.reporter.fail(row("too_many_items"),
                         {std::to_string(items.size()), std::to_string(ops::IndexSpec::max_items)}, {{span, ""}}, f);
  }
  const auto add = [&](const core::Expr* expr) {
    if (!expr) return;
    out.items.push_back(parts_.expressions.value_of(*expr, f));
    Value& item = out.items.back();
    if (item.is(ObjectKind::sequence) && f.is_staged()) item = parts_.applier.staging()->present(item);
    out.spans.push_back(expr->span);
  };
  for (const IndexItem& item : items) {
    switch (item.kind) {
      case IndexItem::Kind::at: out.spec.push(ops::IndexSpec::Item::at); break;
      case IndexItem::Kind::slice: out.spec.push(ops::IndexSpec::Item::slice, item.start, item.stop, item.step); break;
      case IndexItem::Kind::ellipsis: out.spec.push(ops::IndexSpec::Item::ellipsis); break;
      case IndexItem::Kind::newaxis: out.spec.push(ops::IndexSpec::Item::newaxis); break;
    }
    add(item.at);
    add(item.start);
    add(item.stop);
    add(item.step);
  }
}

Value Indexing::index_into(Value object, const IndexValues& at, Span whole, Span object_span, const Frame& f) const {
  if (f.is_staged() && object.is(ObjectKind::sequence)) object = parts_.applier.staging()->present(object);
  if (f.is_staged() && parts_.staged.is_run_part(object, at, whole, f)) {
    return parts_.staged.part(std::move(object), at, whole, object_span, f);
  }
  if (is_operand(shaped_part(object))) {
    std::vector<Span> spans = {object_span, whole};
    spans.insert(spans.end(), at.spans.begin(), at.spans.end());
    Value args[2] = {std::move(object), Value(at.spec.packed())};
    std::vector<Value> items = at.items;
    return parts_.applier.call(ops::index_read_entry(), args, items, 0, whole, spans, f);
  }
  if (object.is(ObjectKind::map)) return *entry_of(object, at, whole, f);
  if (object.is(ObjectKind::list) || object.is(ObjectKind::tuple) || object.is(ObjectKind::string) ||
      object.is(ObjectKind::sequence)) {
    return index_sequence(object, at, whole, f);
  }
  if (object.is(ObjectKind::record) && is_field_name(at)) return field_of(object, at, f);
  std::string hint;
  if (object.is(ObjectKind::record)) hint = "write a field of a record as r.name, or as r[\"name\"] for any name";
  if (is_sparse_matrix(object)) {
    hint = at.spec.items() == 1 ? "sparse.row(a, i) is a row of a sparse matrix, as a vector"
                                : "sparse.entry(a, i, j) is an element of a sparse matrix";
  }
  if (object.is(ObjectKind::function)) hint = "a function is called with parentheses";
  parts_.reporter.fail(row("not_indexable"), {what_is(object)}, {{object_span, "this is " + what_is(object)}}, f, hint);
}

Value Indexing::field_of(const Value& record, const IndexValues& at, const Frame& f) const {
  const std::string& name = at.items[0].string().text;
  if (const Value* found = record.record().find(name)) return *found;
  const auto& names = record.record().layout->names;
  const std::vector<std::string_view> known(names.begin(), names.end());
  parts_.reporter.fail(row("no_field"), {"the record", name}, {{at.spans[0], "its fields are " + listed(known)}}, f,
                       did_you_mean(nearest_name(name, known)));
}

// d[k]; d[i, j] is d[(i, j)].
Value Indexing::key_of(const IndexValues& at, Span whole, const Frame& f) const {
  for (unsigned i = 0; i < at.spec.items(); ++i) {
    if (at.spec.item(i) != ops::IndexSpec::Item::at) parts_.reporter.fail(row("key_slice"), {}, {{whole, ""}}, f);
  }
  try {
    return ops::key_of(at.items.size() == 1 ? at.items[0] : make_tuple(at.items));
  } catch (...) {
    parts_.reporter.raise(current_error(), at.items.size() == 1 ? at.spans[0] : whole, {}, &f);
  }
}

const Value* Indexing::entry_of(const Value& map, const IndexValues& at, Span whole, const Frame& f) const {
  const Value key = key_of(at, whole, f);
  if (const Value* found = map_of(map).find(key)) return found;
  std::vector<std::string_view> near;
  for (const Value& one : map_of(map).keys()) {
    if (one.is(ObjectKind::string)) near.push_back(one.string().text);
  }
  const std::string_view nearest = key.is(ObjectKind::string) ? nearest_name(key.string().text, near) : "";
  const std::string hint = !nearest.empty()          ? "did you mean \"" + std::string(nearest) + "\"?"
                           : map_of(map).size() == 0 ? "it is empty; get(d, k, 0) is 0 if there is no key k"
                                                     : ops::some_keys(map);
  parts_.reporter.fail(message("key_missing"), {key_text(key)}, {{whole, ""}}, f, hint);
}

Value Indexing::index_sequence(const Value& object, const IndexValues& at, Span whole, const Frame& f) const {
  const char* what = kind_name(object);
  if (at.spec.items() != 1)
    parts_.reporter.fail(row("one_index"), {what, std::to_string(at.spec.items())}, {{whole, ""}}, f);
  const auto kind = at.spec.item(0);
  const bool slice = kind == ops::IndexSpec::Item::slice;
  if (!slice && kind != ops::IndexSpec::Item::at) parts_.reporter.fail(row("ellipsis_list"), {what}, {{whole, ""}}, f);
  if (object.is(ObjectKind::string)) {
    for (const Value& part : at.items) {
      if (is_symbolic(part)) parts_.reporter.stop_staging("which part of a string is selected", whole, f);
    }
  }
  const int64_t length = parts_.iteration.known_length_of(object, whole, f);
  const ops::ListSlice bounds = slice ? slice_bounds(at, length, whole, f)
                                      : ops::ListSlice{position(at.items[0], length, what, at.spans[0], f), 1, 1};
  if (object.is(ObjectKind::string) && slice) return string_part(object.string(), bounds);
  if (!slice) return parts_.iteration.item_of(object, bounds.start, whole, f);
  std::vector<Value> items;
  parts_.iteration.add_items(object, bounds.start, bounds.step, bounds.count, items, whole, f);
  return object.is(ObjectKind::tuple) ? make_tuple(std::move(items)) : make_list(std::move(items));
}

// A plain integer, also when a transformation has wrapped it.
int64_t whole_number(const Reporter& reporter, const Value& value, const Message& otherwise, const char* what,
                     Span span, const Frame& f) {
  if (value.is_integer()) return value.integer();
  if (value.is_traced()) {
    const Type type = logical_type(value);
    if (type.shape.empty() && kind_of(type.dtype) == DtypeKind::integer) {
      return whole_number(reporter, concrete(value), otherwise, what, span, f);
    }
  }
  std::vector<std::string> parts;
  if (what) parts.emplace_back(what);
  parts.push_back(what_is(value));
  const bool places = is_operand(value) && logical_type(value).shape.rank() == 1 &&
                      kind_of(logical_type(value).dtype) == DtypeKind::integer;
  std::string hint = hint_for_quotient(reporter.source_of(span));
  if (value.is_none()) hint = "find returns none if it finds nothing: test `part in text` first";
  if (places) hint = "for several items, write list(xs[i] for i in k)";
  const bool number = value.is_scalar() && is_float(value.scalar_dtype());
  const bool index = otherwise.key == row("index_kind").key || otherwise.key == row("slice_part").key;
  if (hint.empty() && number && index) hint = "i64(x) makes integers of numbers";
  reporter.fail(otherwise, std::move(parts), {{span, ""}}, f, std::move(hint));
}

int64_t Indexing::position(const Value& index, int64_t length, const char* what, Span span, const Frame& f) const {
  const int64_t number = whole_number(parts_.reporter, index, row("index_kind"), what, span, f);
  const std::optional<int64_t> place = ops::place_of(number, length);
  if (!place)
    parts_.reporter.fail(message("item_range"), {std::to_string(number), what, std::to_string(length)}, {{span, ""}},
                         f);
  return *place;
}

// Python's rules for a slice of something of `length`.
ops::ListSlice Indexing::slice_bounds(const IndexValues& at, int64_t length, Span span, const Frame& f) const {
  size_t next = 0;
  const auto part = [&](bool present) -> std::optional<int64_t> {
    if (!present) return std::nullopt;
    const size_t i = next++;
    return whole_number(parts_.reporter, at.items[i], row("slice_part"), nullptr, at.spans[i], f);
  };
  const std::optional<int64_t> first = part(at.spec.has_start(0)), last = part(at.spec.has_stop(0));
  const int64_t step = part(at.spec.has_step(0)).value_or(1);
  if (step == 0) parts_.reporter.fail(row("slice_step"), {}, {{span, ""}}, f);
  return ops::ListSlice::of(length, first, last, step);
}

}  // namespace covec
