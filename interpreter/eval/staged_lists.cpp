// What loops and comprehensions go through while a function is staged, and the items of lists. A list of which the walk
// knows each item is a tree like others; one that has grown in a loop is a single value of one type (a list Symbol),
// and so is one that is indexed with a number that only the run has. Operators of their own do with it what the
// interpreter does with a list (stdlib/ops/general/lists.hpp). Start at staged_items.
#include <algorithm>

#include "interpreter/compiler.hpp"
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/update.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/sequences.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

namespace {

bool is_run_integer(const Value& value) {
  if (!value.is_symbol()) return false;
  const Type& type = symbol_type(value);
  return type.shape.empty() && kind_of(type.dtype) == DtypeKind::integer;
}

}  // namespace

// What a loop over `iterable` goes through: how many, and item number `index`. Items of lists and tuples can only be
// taken at a number.
Interpreter::StagedItems Interpreter::staged_items(const Value& iterable, Span span, Frame& f) {
  const auto calculate = [this, &f](const ops::Entry& entry, Value a, Value b) {
    Value args[2] = {std::move(a), std::move(b)};
    return call_entry(entry, args, {}, 0, Span(), {}, f);
  };
  const ops::Entry* const add = host_.operator_of(Operator::add).entry;
  const ops::Entry* const mul = host_.operator_of(Operator::mul).entry;
  const auto counted = [=](Value start, Value step) {
    return [=](const Value& index) { return calculate(*add, start, calculate(*mul, index, step)); };
  };
  const bool long_list = iterable.is(ObjectKind::list) && length_of(iterable, span, f) > longest_unrolled;
  if (is_list_symbol(iterable) || long_list) {
    Value list = iterable;
    return {call_entry(ops::len_entry(), {&list, 1}, {}, 0, span, {}, f),
            [this, iterable, span, &f](const Value& index) {
              Value args[2] = {iterable, index};
              return call_entry(ops::list_item_entry(), args, {}, 0, span, {}, f);
            }};
  }
  if (is_operand(iterable)) {
    const Type type = logical_type(iterable);
    if (type.shape.empty()) length_of(iterable, span, f);  // says that it cannot be iterated over
    return {builder_->extent(type.shape[0]),
            [this, iterable, span, &f](const Value& index) { return item_at(iterable, index, span, f); }};
  }
  if (is_tree(iterable) && !iterable.is(ObjectKind::record)) {
    return {Value(static_cast<int64_t>(children(iterable)->size())),
            [iterable](const Value& index) { return (*children(iterable))[static_cast<size_t>(index.i64())]; }, true};
  }
  if (!iterable.is(ObjectKind::sequence)) length_of(iterable, span, f);
  const Sequence* sequence = &iterable.sequence();
  if (const auto* range = dynamic_cast<const Range*>(sequence)) {
    if (range->start == 0 && range->stride == 1)
      return {Value(range->length()), [](const Value& index) { return index; }};
    return {Value(range->length()), counted(Value(range->start), Value(range->stride))};
  }
  if (const auto* range = dynamic_cast<const SymbolicRange*>(sequence)) {
    const bool plain = range->start.tag() == Tag::i64 && range->start.i64() == 0 && range->stride == 1;
    const Value count = ops::range_length(*builder_, *range);
    if (plain) return {count, [](const Value& index) { return index; }};
    return {count, counted(range->start, Value(range->stride))};
  }
  if (const auto* numbered = dynamic_cast<const ops::Enumerated*>(sequence)) {
    StagedItems items = staged_items(numbered->items, span, f);
    const Value start = numbered->start;
    const auto at = items.at;
    items.at = [=](const Value& index) { return make_tuple({calculate(*add, start, index), at(index)}); };
    return items;
  }
  if (const auto* zipped = dynamic_cast<const ops::Zipped*>(sequence)) {
    if (zipped->items.empty()) return {Value(int64_t{0}), {}};
    std::vector<StagedItems> parts;
    for (const Value& part : zipped->items) parts.push_back(staged_items(part, span, f));
    StagedItems items{parts[0].count, {}, parts[0].unrolled};
    for (size_t i = 1; i < parts.size(); ++i) {
      items.count = calculate(*ops::find_entry("minimum"), items.count, parts[i].count);
      items.unrolled |= parts[i].unrolled;
    }
    items.at = [parts](const Value& index) {
      std::vector<Value> values;
      for (const StagedItems& part : parts) values.push_back(part.at(index));
      return make_tuple(std::move(values));
    };
    return items;
  }
  stop_staging("a loop over this", span, f);
}

// --- items of lists ---

// Whether `object[at]` is an item, or a slice, of a list that only the run can find.
bool Interpreter::is_run_part(const Value& object, const IndexValues& at, Span whole, Frame& f) {
  using Item = ops::IndexSpec::Item;
  const bool one = at.spec.items() == 1 && (at.spec.item(0) == Item::at || at.spec.item(0) == Item::slice);
  const auto of_run = [](const Value& part) { return is_symbolic(part) && is_run_integer(concrete(part)); };
  const bool list = is_list_symbol(object);
  if (!list && !(one && object.is(ObjectKind::list) && std::any_of(at.items.begin(), at.items.end(), of_run))) {
    return false;
  }
  const auto known = [](const Value& part) { return part.tag() == Tag::i64 || part.tag() == Tag::i32; };
  const bool integers = one && std::all_of(at.items.begin(), at.items.end(),
                                           [&](const Value& part) { return known(part) || of_run(part); });
  const bool steps = one && at.spec.has_step(0);
  if (!integers || (steps && (!known(at.items.back()) || ops::integer_of(at.items.back()) == 0))) {
    stop_staging("a part of a list that has grown in a loop", whole, f);
  }
  return true;
}

Value Interpreter::run_part(Value list, const IndexValues& at, Span whole, Span object_span, Frame& f) {
  if (at.spec.item(0) == ops::IndexSpec::Item::slice) {
    Value args[2] = {std::move(list), Value(at.spec.packed())};
    std::vector<Value> parts;
    for (const Value& part : at.items) parts.push_back(concrete(part));
    return call_entry(ops::list_slice_entry(), args, parts, 0, whole, {}, f);
  }
  const Span spans[2] = {object_span, at.spans[0]};
  Value args[2] = {std::move(list), concrete(at.items[0])};
  return call_entry(ops::list_item_entry(), args, {}, 0, whole, spans, f);
}

// The item is read, where the old one is wanted, and written back.
void Interpreter::update_run_item(Value& place, const core::Target& target, size_t step, const PathValues& path,
                                  Update& change, Frame& f) {
  const IndexValues& at = path.steps[step];
  const Span span = target.steps[step].span;
  if (at.spec.item(0) != ops::IndexSpec::Item::at) stop_staging("a part of a list that has grown in a loop", span, f);
  Value item;
  if (step + 1 == target.steps.size() && change.kind == Update::Kind::assign) {
    item = std::move(change.value);
  } else {
    item = run_part(place, at, span, span, f);
    update_place(item, target, step + 1, path, change, f);
  }
  const Span spans[3] = {span, at.spans[0], change.value_span};
  Value args[3] = {place, concrete(at.items[0]), std::move(item)};
  place = call_entry(ops::list_set_entry(), args, {}, 0, change.whole, spans, f);
}

void Interpreter::push_run_item(Value& list, Value item, Span whole, Span item_span, Frame& f) {
  const Span spans[2] = {whole, item_span};
  Value args[2] = {std::move(list), std::move(item)};
  list = call_entry(ops::push_entry(), args, {}, 0, whole, spans, f);
}

// --- comprehensions ---

namespace {

// What a pass of a comprehension leaves in variables, its targets and the middles of comparisons, means nothing after
// it.
class PassScope {
 public:
  explicit PassScope(Frame& f) : slots_(f.slots), before_(slots_, slots_ + f.closure->function.slots) {}
  PassScope(const PassScope&) = delete;
  PassScope& operator=(const PassScope&) = delete;
  ~PassScope() { std::move(before_.begin(), before_.end(), slots_); }

 private:
  Value* const slots_;
  std::vector<Value> before_;
};

}  // namespace

// list(e for …): a loop of pushes.
void Interpreter::staged_collect(const core::MapIndex& node, size_t clause, Value& list, Frame& f) {
  if (clause == node.clauses.size()) {
    Value item = value_of(*node.body, f);
    return push_run_item(list, std::move(item), node.span, node.body->span, f);
  }
  const core::Clause& at = node.clauses[clause];
  const Span span = at.range ? at.range->span : at.span;
  const StagedItems items = staged_items(clause_range(at, f), span, f);
  const auto pass = [&](const Value& index) {
    const PassScope scope(f);
    assign(*at.target, items.at(index), span, f);
    staged_collect(node, clause + 1, list, f);
    return Value();
  };
  const bool known = items.count.tag() == Tag::i64;
  if (known && items.count.i64() <= longest_unrolled) {
    for (int64_t i = 0; i < items.count.i64(); ++i) pass(Value(i));
  } else if (items.unrolled) {
    stop_staging("a loop over a long list", span, f);
  } else {
    staging_->repeat(items.count, {&list}, pass);
  }
}

// [e for x in xs]: the numbers that a loop gives, side by side. Of tensors the interpreter says which one differs.
Value Interpreter::staged_map(const core::MapIndex& node, size_t clause, const Value& over, Span span, Frame& f) {
  const StagedItems items = staged_items(over, span, f);
  Value some[2] = {Value(int64_t{0}), items.count};
  staged_require(call_entry(*ops::find_entry("less"), some, {}, 0, span, {}, f), "whether a list is empty", span, f);
  Value list = make_list({});
  staging_->repeat(items.count, {&list}, [&](const Value& index) {
    const PassScope scope(f);
    assign(*node.clauses[clause].target, items.at(index), span, f);
    Value item = map_clauses(node, clause + 1, f);
    push_run_item(list, std::move(item), node.span, node.body->span, f);
    return Value();
  });
  const bool numbers = is_list_symbol(list) && static_cast<const Symbol*>(list.object())->type.shape.empty();
  if (!numbers) stop_staging("a comprehension of tensors over a list that has grown in a loop", span, f);
  Value args[2] = {std::move(list), Value(int64_t{0})};
  return call_entry(ops::stack_entry(), args, {}, 0, node.span, {}, f);
}

}  // namespace covec
