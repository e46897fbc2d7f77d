// x[indices] op= v where an element is named more than once: every update counts, in index order. The updates are made
// in rounds: round k has the k-th update of each element. A round reads, computes and writes with the usual operators,
// so derivatives and batches follow. `+=` and `-=` do not come here: they have an operator that adds each time. The
// trade-off: compiled code checks for such elements; if there are any, the interpreter makes the call again.
#include <unordered_map>

#include "interpreter/eval/walk/update_path.hpp"

#include "interpreter/eval/values/store.hpp"
#include "interpreter/eval/walk/parts.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

namespace {

// A tensor of integers: numbers, slices and masks name no place twice.
bool names_places(const Value& item) {
  if (!is_operand(item)) return item.is(ObjectKind::list) || item.is(ObjectKind::tuple);
  const Type type = logical_type(item);
  return type.shape.rank() > 0 && type.dtype != Dtype::boolean;
}

// By round, where in `places` its elements stand.
std::vector<std::vector<int64_t>> rounds_of(const Tensor& places) {
  std::vector<std::vector<int64_t>> rounds;
  std::unordered_map<int64_t, size_t> times;
  for (int64_t i = 0; i < places.size(); ++i) {
    const size_t round = times[places.as<int64_t>()[i]]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(i);
  }
  return rounds;
}

Value vector_of(ops::Builder& b, const std::vector<int64_t>& numbers) {
  Value result = make_tensor(b.pool(), Dtype::i64, Shape{Dim(static_cast<int64_t>(numbers.size()))});
  std::copy(numbers.begin(), numbers.end(), result.tensor().as<int64_t>());
  return result;
}

Value elements_at(ops::Builder& b, const Value& x, const Value& at) {
  ops::IndexSpec spec;
  spec.push(ops::IndexSpec::Item::at);
  return ops::index_read(b, x, Value(spec.packed()), {&at, 1});
}

}  // namespace

bool UpdatePath::may_repeat(const Value& place, const IndexValues& at, const Change& change, const Frame& f) const {
  if (change.kind != Change::Kind::augment || !change.op->entry->pointwise) return false;
  if (std::none_of(at.items.begin(), at.items.end(), names_places)) return false;
  Value args[] = {constant_of(place), Value(at.spec.packed())};
  std::vector<Value> items = at.items;
  const Value distinct = parts_.applier.call(ops::index_distinct_entry(), args, items, 0, change.whole, {}, f);
  if (!f.is_staged()) return !concrete(distinct).boolean();
  if (distinct.is_traced())
    parts_.reporter.stop_staging("which elements a batched update assigns twice", change.whole, f);
  parts_.applier.staging()->require(distinct);
  return false;
}

void UpdatePath::update_in_rounds(Value& place, const core::Target& target, const IndexValues& at, const Change& change,
                                  Span span, const Frame& f) const {
  ops::Builder& b = parts_.applier.builder();
  const Shape shape = logical_type(place).shape;
  const Dim count(shape.elements());
  const Value numbers = ops::call(b, ops::handles().arange, {Value(count.number()), Value(), Value(), Value()});
  const Value part = ops::index_read(b, ops::reshape(b, numbers, shape), Value(at.spec.packed()), at.items);
  const Value places = concrete(ops::flatten(b, part));
  const bool spread = logical_type(change.value).shape.rank() > 0;
  const Value values =
      spread ? ops::flatten(b, ops::broadcast_to(b, change.value, logical_type(part).shape)) : change.value;
  Value whole = ops::flatten(b, place);
  for (const std::vector<int64_t>& round : rounds_of(places.tensor())) {
    const Value where = vector_of(b, round);
    IndexValues index;
    index.spec.push(ops::IndexSpec::Item::at);
    index.items = {elements_at(b, places, where)};
    index.spans = {span};
    Change now{Change::Kind::augment,
               spread ? elements_at(b, values, where) : values,
               change.op,
               change.literal,
               change.value_span,
               change.whole};
    Value changed = elements_at(b, whole, index.items[0]);
    finish(changed, target, now, f);
    Value args[3] = {std::move(whole), std::move(changed), Value(index.spec.packed())};
    whole = write(ops::index_update_entry(), args, index, change, span, f);
  }
  place = ops::reshape(b, std::move(whole), shape);
}

}  // namespace covec
