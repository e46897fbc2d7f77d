// Items are functions of an index that may be a number or a Symbol; sequences are made of such functions.
#include "interpreter/eval/staged/lists.hpp"

#include "interpreter/eval/staged/parts.hpp"

#include <algorithm>

#include "interpreter/compiler.hpp"
#include "interpreter/eval/staged/point.hpp"
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/lists.hpp"
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

// --- what is gone through ---

Value StagedLists::calculate(const ops::Entry& entry, Value a, Value b, const Frame& f) const {
  Value args[2] = {std::move(a), std::move(b)};
  return parts_.walk.applier.call(entry, args, Span(), f);
}

// How many, and item number `index`. Items of lists and tuples can only be taken at a number.
StagedItems StagedLists::items(const Value& written, Span span, const Frame& f) const {
  const Value iterable = parts_.walk.applier.staging()->present(Iteration::walked(written));
  const bool long_list = iterable.is(ObjectKind::list) &&
                         parts_.walk.iteration.known_length_of(iterable, span, f) > StagedItems::longest_unrolled;
  if (is_run_list(iterable) || long_list) return items_of_list(iterable, span, f);
  if (is_operand(shaped_part(iterable))) {
    const Type type = logical_type(shaped_part(iterable));
    if (type.shape.empty()) parts_.walk.iteration.length_of(iterable, span, f);  // says that it cannot be iterated over
    return {parts_.walk.applier.builder().extent(type.shape[0]), [this, iterable, span, &f](const Value& index) {
              return parts_.walk.iteration.item_at(iterable, index, span, f);
            }};
  }
  if (is_tree(iterable)) {
    return {Value(static_cast<int64_t>(children(iterable)->size())),
            [this, iterable, span, &f](const Value& index) {
              return parts_.walk.iteration.item_of(iterable, index.i64(), span, f);
            },
            true};
  }
  if (iterable.is(ObjectKind::string)) {
    return {Value(iterable.string().length()),
            [this, iterable, span, &f](const Value& index) {
              return parts_.walk.iteration.item_of(iterable, index.i64(), span, f);
            },
            true};
  }
  if (!iterable.is(ObjectKind::sequence)) parts_.walk.iteration.length_of(iterable, span, f);
  return items_of_sequence(iterable.sequence(), span, f);
}

StagedItems StagedLists::items_of_list(const Value& list, Span span, const Frame& f) const {
  Value of = list;
  return {parts_.walk.applier.call(ops::len_entry(), {&of, 1}, span, f), [this, list, span, &f](const Value& index) {
            Value args[2] = {list, index};
            return parts_.walk.applier.call(ops::list_item_entry(), args, span, f);
          }};
}

StagedItems StagedLists::items_of_sequence(const Sequence& sequence, Span span, const Frame& f) const {
  if (const auto* range = dynamic_cast<const Range*>(&sequence)) {
    return counted(Value(iterations_of(*range)), Value(range->start), range->stride, f);
  }
  if (const auto* range = dynamic_cast<const SymbolicRange*>(&sequence)) {
    return counted(ops::range_length(parts_.walk.applier.builder(), *range), range->start, range->stride, f);
  }
  if (const auto* numbered = dynamic_cast<const ops::Enumerated*>(&sequence)) {
    StagedItems items = this->items(numbered->items, span, f);
    const Value start = numbered->start;
    const ops::Entry* const add = parts_.walk.host.operator_of(Operator::add).entry;
    items.at = [this, start, add, at = items.at, &f](const Value& index) {
      return make_tuple({calculate(*add, start, index, f), at(index)});
    };
    return items;
  }
  if (const auto* several = dynamic_cast<const ops::Zipped*>(&sequence)) return zipped(several->items, span, f);
  if (const auto* shown = dynamic_cast<const ops::Progress*>(&sequence)) return items(shown->items, span, f);
  parts_.walk.reporter.stop_staging("a loop over this sequence", span, f);
}

// start, start + stride, …
StagedItems StagedLists::counted(Value count, Value start, int64_t stride, const Frame& f) const {
  const bool plain = start.tag() == Tag::i64 && start.i64() == 0 && stride == 1;
  if (plain) return {std::move(count), [](const Value& index) { return index; }};
  const ops::Entry* const add = parts_.walk.host.operator_of(Operator::add).entry;
  const ops::Entry* const mul = parts_.walk.host.operator_of(Operator::mul).entry;
  return {std::move(count), [this, start, step = Value(stride), add, mul, &f](const Value& index) {
            return calculate(*add, start, calculate(*mul, index, step, f), f);
          }};
}

StagedItems StagedLists::zipped(std::span<const Value> sequences, Span span, const Frame& f) const {
  if (sequences.empty()) return {Value(int64_t{0}), {}};
  std::vector<StagedItems> parts;
  for (const Value& part : sequences) parts.push_back(items(part, span, f));
  StagedItems all{parts[0].count, {}, parts[0].unrolled};
  for (size_t i = 1; i < parts.size(); ++i) {
    all.count = calculate(ops::handles().minimum, all.count, parts[i].count, f);
    all.unrolled |= parts[i].unrolled;
  }
  all.at = [parts](const Value& index) {
    std::vector<Value> values;
    for (const StagedItems& part : parts) values.push_back(part.at(index));
    return make_tuple(std::move(values));
  };
  return all;
}

// --- items of lists ---

bool StagedLists::is_run_part(const Value& object, const IndexValues& at, Span whole, const Frame& f) const {
  using Item = ops::IndexSpec::Item;
  const bool one = at.spec.items() == 1 && (at.spec.item(0) == Item::at || at.spec.item(0) == Item::slice);
  const auto of_run = [](const Value& part) { return is_symbolic(part) && is_run_integer(concrete(part)); };
  const bool list = is_run_list(object);
  if (!list && !(one && object.is(ObjectKind::list) && std::any_of(at.items.begin(), at.items.end(), of_run))) {
    return false;
  }
  const auto known = [](const Value& part) { return part.is_integer(); };
  const bool integers = one && std::all_of(at.items.begin(), at.items.end(),
                                           [&](const Value& part) { return known(part) || of_run(part); });
  const bool steps = one && at.spec.has_step(0);
  if (!integers || (steps && (!known(at.items.back()) || ops::integer_of(at.items.back()) == 0))) {
    parts_.walk.reporter.stop_staging("a part of a list that has grown in a loop", whole, f);
  }
  return true;
}

Value StagedLists::part(Value list, const IndexValues& at, Span whole, Span object_span, const Frame& f) const {
  if (at.spec.item(0) == ops::IndexSpec::Item::slice) {
    Value args[2] = {std::move(list), Value(at.spec.packed())};
    std::vector<Value> parts;
    for (const Value& part : at.items) parts.push_back(concrete(part));
    return parts_.walk.applier.call(ops::list_slice_entry(), args, parts, 0, whole, {}, f);
  }
  const Span spans[2] = {object_span, at.spans[0]};
  Value args[2] = {std::move(list), concrete(at.items[0])};
  return parts_.walk.applier.call(ops::list_item_entry(), args, {}, 0, whole, spans, f);
}

void StagedLists::set(Value& list, const IndexValues& at, Value item, Span whole, std::span<const Span> spans,
                      const Frame& f) const {
  Value args[3] = {list, concrete(at.items[0]), std::move(item)};
  list = parts_.walk.applier.call(ops::list_set_entry(), args, {}, 0, whole, spans, f);
}

void StagedLists::push(Value& list, Value item, Span whole, Span item_span, const Frame& f) const {
  const Span spans[2] = {whole, item_span};
  Value args[2] = {std::move(list), std::move(item)};
  list = parts_.walk.applier.call(ops::push_entry(), args, {}, 0, whole, spans, f);
}

Value StagedLists::pop(Value& list, Span whole, const Frame& f) const {
  Value length = parts_.walk.applier.call(ops::len_entry(), {&list, 1}, whole, f);
  Value some[2] = {Value(int64_t{0}), length};
  parts_.walk.applier.staging()->require(parts_.walk.applier.call(ops::handles().less, some, whole, f));
  Value last[2] = {list, Value(int64_t{-1})};
  Value item = parts_.walk.applier.call(ops::list_item_entry(), last, whole, f);
  Value cut[2] = {std::move(list), calculate(ops::handles().subtract, std::move(length), Value(int64_t{1}), f)};
  list = parts_.walk.applier.call(ops::list_cut_entry(), cut, whole, f);
  return item;
}

// --- comprehensions ---

namespace {

// What an iteration of a comprehension leaves in variables, its targets and the middles of comparisons, means nothing
// after it.
class PassScope {
 public:
  explicit PassScope(const Frame& f) : slots_(f.slots), before_(slots_, slots_ + f.closure->function.slots) {}
  PassScope(const PassScope&) = delete;
  PassScope& operator=(const PassScope&) = delete;
  ~PassScope() { std::move(before_.begin(), before_.end(), slots_); }

 private:
  Value* const slots_;
  std::vector<Value> before_;
};

}  // namespace

void StagedLists::each(const Value& over, Value& list, FunctionRef<void(Value item)> body, Span span, Frame& f) const {
  const StagedItems items = this->items(over, span, f);
  const auto run_iteration = [&](const Value& index) {
    const PassScope scope(f);
    body(items.at(index));
    return Value();
  };
  const bool known = items.count.tag() == Tag::i64;
  if (known && items.count.i64() <= StagedItems::longest_unrolled) {
    for (int64_t i = 0; i < items.count.i64(); ++i) run_iteration(Value(i));
  } else if (items.unrolled) {
    parts_.walk.reporter.stop_staging("a loop over a long list", span, f);
  } else {
    parts_.walk.applier.staging()->repeat(items.count, {&list}, run_iteration);
  }
}

void StagedLists::require_some(const StagedItems& items, Span span, const Frame& f) const {
  Value some[2] = {Value(int64_t{0}), items.count};
  parts_.walk.applier.staging()->require(parts_.walk.applier.call(ops::handles().less, some, span, f));
}

// Of tensors the interpreter says which one differs; over nothing it gives list(), which has another type.
Value StagedLists::map(const core::MapIndex& node, const Value& over, FunctionRef<Value(Value item)> body, Span span,
                       Frame& f) const {
  const StagedItems items = this->items(over, span, f);
  require_some(items, span, f);
  Value list = make_list({});
  parts_.walk.applier.staging()->repeat(items.count, {&list}, [&](const Value& index) {
    const PassScope scope(f);
    push(list, body(items.at(index)), node.span, node.body->span, f);
    return Value();
  });
  return stacked(node, std::move(list), f);
}

Value StagedLists::apart(const core::MapIndex& node, const Value& over, FunctionRef<Value()> at_once,
                         FunctionRef<Value(Value item)> body, Span span, Frame& f) const {
  const StagedPoint before(*parts_.walk.applier.staging(), f);
  try {
    return at_once();
  } catch (const autodiff::ApartLater& later) {
    if (!later.all.is_none()) return pushed(later, node, f);
    before.rollback();
  }
  require_some(items(over, span, f), span, f);  // of none, the body is tried for its type, and may fail
  const size_t since = parts_.walk.applier.staging()->staged();
  Value list = make_list({});
  each(
      over, list, [&](Value item) { push(list, body(std::move(item)), node.span, node.body->span, f); }, span, f);
  if (parts_.walk.applier.staging()->draws(since))  // it would have to know which example it draws for
    parts_.walk.reporter.stop_staging("a draw in a comprehension of what are no numbers", node.span, f);
  return list;
}

Value StagedLists::pushed(const autodiff::ApartLater& later, const core::MapIndex& node, Frame& f) const {
  ops::Builder& builder = parts_.walk.applier.builder();
  Value list = make_list({});
  parts_.walk.applier.staging()->repeat(builder.extent(later.size), {&list}, [&](const Value& index) {
    const PassScope scope(f);
    push(list, autodiff::example_of_tree(builder, later.all, index), node.span, node.body->span, f);
    return Value();
  });
  return list;
}

Value StagedLists::stacked(const core::MapIndex& node, Value list, const Frame& f) const {
  const Value* bottom = &list;
  unsigned batches = 0;
  for (; bottom->is_traced(); bottom = &bottom->traced().primal) batches += bottom->traced().trace == TraceKind::batch;
  const bool numbers =
      is_list_symbol(*bottom) && static_cast<const Symbol*>(bottom->object())->type.shape.rank() == batches;
  if (!numbers)
    parts_.walk.reporter.stop_staging("a comprehension of tensors over a list that has grown in a loop", node.span, f);
  if (node.filter != nullptr) {
    Value some[2] = {Value(int64_t{0}), parts_.walk.applier.call(ops::len_entry(), {&list, 1}, node.span, f)};
    parts_.walk.applier.staging()->require(parts_.walk.applier.call(ops::handles().less, some, node.span, f));
  }
  Value args[2] = {std::move(list), Value(int64_t{0})};
  return parts_.walk.applier.call(ops::stack_entry(), args, node.span, f);
}

}  // namespace covec
