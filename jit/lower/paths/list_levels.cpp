#include "jit/lower/paths/list_levels.hpp"

#include <algorithm>

#include "jit/lower/graph/not_staged.hpp"
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/sweep.hpp"
#include "stdlib/autodiff/tape.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

using autodiff::is_traced_at;

const Value& primal_of(const Value& value, uint64_t level) {
  return is_traced_at(value, level) ? value.traced().primal : value;
}

std::vector<Value> primals_of(std::span<const Value> values, uint64_t level) {
  std::vector<Value> primals;
  for (const Value& value : values) primals.push_back(primal_of(value, level));
  return primals;
}

uint32_t node_at(const Value& value, uint64_t level) { return is_traced_at(value, level) ? value.traced().node : 0; }

bool puts(const ops::Entry& entry) {
  return &entry == &ops::list_push_entry() || &entry == &ops::list_set_entry() || &entry == &ops::list_put_entry();
}

bool takes(const ops::Entry& entry) { return &entry == &ops::list_item_entry() || &entry == &ops::list_at_entry(); }

bool makes(const ops::Entry& entry) { return &entry == &ops::list_of_entry(); }

// The item that goes into the list.
size_t item_argument(const ops::Entry& entry) { return &entry == &ops::list_push_entry() ? 1 : 2; }

// The values of a call that transformations may have wrapped: the list, and what goes into it.
template <typename Function>
void each_wrapped(ops::Call& call, Function&& f) {
  if (makes(call.entry)) {
    for (Value& item : call.rest) f(item);
    return;
  }
  f(call.args[0]);
  if (puts(call.entry)) f(call.args[item_argument(call.entry)]);
}

}  // namespace

// A masked list, taken apart: the values of items, and which are defined.
struct ListLevels::MaskedList {
  explicit MaskedList(const Value& pair) : values(pair.tuple().items[0]), is_defined(pair.tuple().items[1]) {}
  Value values, is_defined;
  Value pair() && { return make_tuple({std::move(values), std::move(is_defined)}); }
};

// Two empty lists are none.
const Value* ListLevels::or_nothing(const Value& masked) const {
  const Value* const zeros = masked.is_unbound() ? tangents_.or_zeros(masked) : nullptr;
  return zeros != nullptr && zeros->is(ObjectKind::tuple) ? zeros : nullptr;
}

// One operator on a list, on a tape.
class ListLevels::Step final : public autodiff::Composite {
 public:
  Step(ListLevels& levels, const ops::Call& call, uint64_t level, const ItemType& items)
      : levels_(levels), entry_(call.entry), items_(items) {
    if (makes(entry_)) {
      for (const Value& item : call.rest) operands_.push_back(node_at(item, level));
      return;
    }
    operands_.push_back(node_at(call.args[0], level));
    if (puts(entry_)) operands_.push_back(node_at(call.args[item_argument(entry_)], level));
  }
  std::span<const uint32_t> operands() const { return operands_; }
  void set_place(Value place) { place_ = std::move(place); }
  void set_length(Value length) { length_ = std::move(length); }
  void set_result(uint32_t node) { result_ = node; }

  autodiff::RuleUse rule_use() const override { return autodiff::RuleUse::none; }
  bool pass(ops::Builder&, std::vector<Value>& cotangents, const autodiff::SweepOptions& options) override {
    Value given = std::exchange(cotangents[result_], Value());
    if (given.is_none()) return true;
    if (const Value* sure = given.is_unbound() ? levels_.or_nothing(given) : &given) {
      back(*sure, Value(true), cotangents, options);
    } else if (const Value* read = takes(entry_) && items_.rank == 0 ? levels_.tangents_.or_anything(given) : nullptr) {
      const Value here = levels_.tangents_.is_present(given);
      back(*read, here, cotangents, options);
    } else {
      std::vector<Value*> others;
      for (const uint32_t node : operands_) {
        if (node != 0) others.push_back(&cotangents[node]);
      }
      levels_.tangents_.where_present(given, others, [&] { back(given, Value(true), cotangents, options); });
    }
    return true;
  }

 private:
  // `is_defined`: where `given` is there.
  void back(const Value& given, const Value& is_defined, std::vector<Value>& cotangents,
            const autodiff::SweepOptions& options) {
    ops::RuleContext rules(levels_.builder_, options.ieee);
    if (takes(entry_)) return add_at(rules, place_, given, is_defined, cotangents[operands_[0]]);
    if (makes(entry_)) return back_to_items(rules, MaskedList(given), cotangents);
    if (puts(entry_)) return back_to_item(rules, MaskedList(given), cotangents);
    if (&entry_ == &ops::list_cut_entry()) return hand_on(rules, given, cotangents);
    back_to_stacked(rules, given, cotangents[operands_[0]]);
  }

  void hand_on(ops::RuleContext& rules, Value given, std::vector<Value>& cotangents) const {
    if (operands_[0] != 0) autodiff::accumulate(rules, cotangents[operands_[0]], std::move(given));
  }

  Value item_at(const MaskedList& masked, const Value& place) const {
    ops::Builder& b = levels_.builder_;
    Value item = ops::call(b, ops::list_at_entry(), {masked.values, place, levels_.otherwise(items_)});
    const Value is_defined = ops::call(b, ops::list_at_entry(), {masked.is_defined, place, Value(false)});
    return levels_.conditional_values_.hold(
        {std::move(item), is_defined,
         items_.rank == 0 ? ConditionalValue::Absent::anything : ConditionalValue::Absent::undefined});
  }

  void back_to_items(ops::RuleContext& rules, const MaskedList& masked, std::vector<Value>& cotangents) const {
    for (size_t i = operands_.size(); i-- > 0;) {
      if (operands_[i] == 0) continue;
      autodiff::accumulate(rules, cotangents[operands_[i]], item_at(masked, Value(static_cast<int64_t>(i))));
    }
  }

  void back_to_item(ops::RuleContext& rules, MaskedList masked, std::vector<Value>& cotangents) const {
    ops::Builder& b = levels_.builder_;
    if (operands_[1] != 0) autodiff::accumulate(rules, cotangents[operands_[1]], item_at(masked, place_));
    if (operands_[0] == 0) return;
    if (&entry_ == &ops::list_push_entry()) {
      masked.values = ops::call(b, ops::list_cut_entry(), {std::move(masked.values), place_});
      masked.is_defined = ops::call(b, ops::list_cut_entry(), {std::move(masked.is_defined), place_});
    } else {
      masked.is_defined =
          ops::call(b, ops::list_put_entry(), {std::move(masked.is_defined), place_, Value(false), Value(false)});
    }
    hand_on(rules, std::move(masked).pair(), cotangents);
  }

  // Makes a pair of a cotangent that is not there, or perhaps not.
  void begin(Value& sum) const {
    const auto nothing = [&] { return levels_.lists_.empty_masked_list(items_); };
    if (const Value* sure = levels_.or_nothing(sum)) {
      sum = Value(*sure);
    } else if (sum.is_unbound()) {
      sum = levels_.tangents_.completed(sum, [&](Value before) { return before.is_none() ? nothing() : before; });
    } else if (sum.is_none()) {
      sum = nothing();
    }
  }

  void add_at(ops::RuleContext& rules, const Value& place, const Value& term, const Value& is_defined,
              Value& sum) const {
    ops::Builder& b = levels_.builder_;
    begin(sum);
    MaskedList masked(std::exchange(sum, Value()));
    const Value filler = levels_.otherwise(items_);
    const Value old = ops::call(b, ops::list_at_entry(), {masked.values, place, filler});
    const Value here = ops::call(b, ops::list_at_entry(), {masked.is_defined, place, Value(false)});
    Value total = total_of(rules, old, here, term);
    Value there(true);
    if (is_defined.tag() != Tag::boolean) {
      total = rules.where(is_defined, std::move(total), old);
      there = ops::call(b, ops::handles().bit_or, {here, is_defined});
    }
    masked.values = ops::call(b, ops::list_put_entry(), {std::move(masked.values), place, std::move(total), filler});
    masked.is_defined =
        ops::call(b, ops::list_put_entry(), {std::move(masked.is_defined), place, std::move(there), Value(false)});
    sum = std::move(masked).pair();
  }

  Value total_of(ops::RuleContext& rules, const Value& old, const Value& here, const Value& term) const {
    if (items_.rank == 0) return rules.where(here, rules.add(old, term), term);
    return levels_.builder_.choose(
        here, [&] { return rules.add(old, term); }, [&] { return term; });
  }

  void back_to_stacked(ops::RuleContext& rules, const Value& given, Value& sum) const {
    begin(sum);
    levels_.control_flow_.repeat(length_, {&sum}, [&](const Value& number) {
      add_at(rules, number, autodiff::example_of(levels_.builder_, given, number), Value(true), sum);
      return Value();
    });
  }

  ListLevels& levels_;
  const ops::Entry& entry_;
  const ItemType items_;
  std::vector<uint32_t> operands_;
  Value place_, length_;  // where the item is; of what is stacked: how many there are
  uint32_t result_ = 0;
};

bool ListLevels::apply(ops::Call& call, Value& result) {
  const ops::Entry* entry = lists_.entry_for(call);
  if (entry == nullptr) return false;
  ops::Call of_list{*entry, call.args, call.rest, call.literals};
  const autodiff::OpenLevel* highest = nullptr;
  const auto look = [&](Value& value) {
    const auto look_at = [&](const Value& leaf) {
      if (!leaf.is_traced()) return;
      const autodiff::OpenLevel* const level = autodiff::find_level(builder_.context(), leaf.traced().level);
      if (level != nullptr && (highest == nullptr || level->level > highest->level)) highest = level;
    };
    value = Lists::bare(builder_.context(), value);
    value.is(ObjectKind::list) ? each_leaf(value, look_at) : look_at(value);
  };
  each_wrapped(of_list, look);
  if (highest == nullptr) return false;
  if (!makes(*entry) && of_list.args[0].is(ObjectKind::list)) {
    of_list.args[0] = lists_.as_one(builder_, of_list.args[0]);
    return apply(of_list, result);
  }
  switch (highest->kind) {
    case TraceKind::tape: result = on_tape(*highest, of_list); break;
    case TraceKind::jvp: result = forward(*highest, of_list); break;
    case TraceKind::batch: result = for_examples(*highest, of_list); break;
  }
  return true;
}

// The same operator, of what lies below the level.
Value ListLevels::below(ops::Call& call, std::span<Value> args, std::span<Value> rest) {
  ops::Call one{call.entry, args, rest, call.literals};
  return builder_.apply(one);
}

// From 0 on, of what the call puts into the list or takes out.
Value ListLevels::place_of(const ops::Call& call, const Value& list) {
  const auto length = [&] { return ops::call(builder_, ops::list_length_entry(), {list}); };
  if (&call.entry == &ops::list_push_entry()) return length();
  Value at = ops::cast_to(builder_, concrete(call.args[1]), Dtype::i64);
  if (&call.entry == &ops::list_at_entry() || &call.entry == &ops::list_put_entry()) return at;
  if (at.is_scalar() && at.i64() >= 0) return at;
  const Value from_end = ops::call(builder_, ops::handles().add, {at, length()});
  if (at.is_scalar()) return from_end;
  const Value negative = ops::call(builder_, ops::handles().less, {at, Value(int64_t{0})});
  return ops::call(builder_, ops::handles().where, {negative, from_end, at});
}

// For an item that is not there: a number is 0; of tensors nothing is known but the rank.
Value ListLevels::otherwise(const ItemType& items) {
  if (items.rank == 0) return ops::RuleContext(builder_, false).number(0, items.dtype);
  Type type{items.dtype, {}};
  for (unsigned axis = 0; axis < items.rank; ++axis) type.shape.push_back(writer_.dimensions().unknown());
  Operation operation;
  operation.kind = Kind::undefined;
  Value result = writer_.result_of(operation, type);
  writer_.append(std::move(operation));
  nothing_.insert(id_of(result));
  return result;
}

namespace {

bool is_stack(const ops::Call& call) {
  return &call.entry == &ops::handles().stack && call.args[1].tag() == Tag::i64 && call.args[1].i64() == 0;
}

bool is_about_items(const ops::Call& call) {
  return puts(call.entry) || takes(call.entry) || makes(call.entry) || &call.entry == &ops::list_cut_entry() ||
         is_stack(call);
}

[[noreturn]] void refuse(const ops::Call& call) {
  const bool slice = &call.entry == &ops::list_slice_entry();
  not_staged((slice ? "a slice" : std::string(call.entry.name)) + " of a list of active values");
}

}  // namespace

Value ListLevels::on_tape(const autodiff::OpenLevel& level, ops::Call& call) {
  std::vector<Value> args = primals_of(call.args, level.level), rest = primals_of(call.rest, level.level);
  if (&call.entry == &ops::list_length_entry()) return below(call, args, rest);
  if (!is_about_items(call)) refuse(call);
  const Value list = makes(call.entry) ? Value() : args[0];
  const ItemType items = makes(call.entry) ? lists_.items_of(make_list(rest)) : lists_.items_of(list);
  auto step = std::make_unique<Step>(*this, call, level.level, items);
  if (puts(call.entry) || takes(call.entry)) step->set_place(place_of(call, list));
  if (is_stack(call)) step->set_length(ops::call(builder_, ops::list_length_entry(), {list}));
  Value result = below(call, args, rest);
  Step& recorded = *step;
  const std::vector<uint32_t> operands(recorded.operands().begin(), recorded.operands().end());
  const uint32_t node = level.tape->record(std::move(step), operands, 1, builder_.context().site);
  recorded.set_result(node);
  return autodiff::make_tape(level.level, std::move(result), node);
}

// --- tangents ---

void ListLevels::put_tangent(Value& masked, const Value& place, const Value& tangent, const ItemType& items) {
  MaskedList parts(masked);
  const ConditionalValue* const conditional = conditional_values_.find(tangent);
  const Value filler = otherwise(items);
  const Value item = conditional != nullptr ? conditional->value : tangent.is_none() ? filler : tangent;
  const Value is_defined = conditional != nullptr ? conditional->is_defined : Value(!tangent.is_none());
  parts.values = ops::call(builder_, ops::list_put_entry(), {std::move(parts.values), place, item, filler});
  parts.is_defined =
      ops::call(builder_, ops::list_put_entry(), {std::move(parts.is_defined), place, is_defined, Value(false)});
  masked = std::move(parts).pair();
}

// Zeros where it is not there.
Value ListLevels::tangent_at(const Value& masked, const Value& place, const Value& item, const ItemType& items) {
  const MaskedList parts(masked);
  Value tangent = ops::call(builder_, ops::list_at_entry(), {parts.values, place, otherwise(items)});
  const Value is_defined = ops::call(builder_, ops::list_at_entry(), {parts.is_defined, place, Value(false)});
  ops::RuleContext rules(builder_, false);
  if (items.rank == 0) {
    tangent = rules.where(is_defined, std::move(tangent), rules.number(0, items.dtype));
  } else {
    tangent = builder_.choose(
        is_defined, [&] { return tangent; }, [&] { return rules.zeros(logical_type(item)); });
  }
  return conditional_values_.hold({std::move(tangent), is_defined, ConditionalValue::Absent::zeros});
}

Value ListLevels::tangent_of_stack(const Value& masked, const Value& list, const ops::Call& call) {
  const ItemType items = lists_.items_of(list);
  const Value length = ops::call(builder_, ops::list_length_entry(), {list});
  Value all = lists_.none_of(items), any(false);
  control_flow_.repeat(length, {&all, &any}, [&](const Value& number) {
    const Value item = ops::call(builder_, ops::list_item_entry(), {list, number});
    const Value tangent = tangent_at(masked, number, item, items);
    const ConditionalValue& conditional = *conditional_values_.find(tangent);
    all = ops::call(builder_, ops::list_push_entry(), {std::move(all), conditional.value});
    any = ops::call(builder_, ops::handles().bit_or, {any, conditional.is_defined});
    return Value();
  });
  Value stacked = ops::call(builder_, call.entry, {std::move(all), call.args[1]});
  return conditional_values_.hold({std::move(stacked), std::move(any), ConditionalValue::Absent::zeros});
}

Value ListLevels::forward(const autodiff::OpenLevel& level, ops::Call& call) {
  const auto tangent_of = [&](const Value& value) {
    return is_traced_at(value, level.level) ? value.traced().tangent : Value();
  };
  std::vector<Value> args = primals_of(call.args, level.level), rest = primals_of(call.rest, level.level);
  if (&call.entry == &ops::list_length_entry()) return below(call, args, rest);
  if (!is_about_items(call)) refuse(call);
  const Value list = makes(call.entry) ? Value() : args[0];
  const ItemType items = makes(call.entry) ? lists_.items_of(make_list(rest)) : lists_.items_of(list);
  Value masked = makes(call.entry) ? Value() : tangent_of(call.args[0]);
  if (masked.is_none()) masked = lists_.empty_masked_list(items);
  const bool placed = puts(call.entry) || takes(call.entry);
  const Value place = placed ? place_of(call, list) : Value();
  Value result = below(call, args, rest);
  const auto with = [&](Value tangent) {
    return autodiff::make_jvp(level.level, std::move(result), std::move(tangent));
  };
  if (takes(call.entry)) {
    Value tangent = tangent_at(masked, place, result, items);
    return with(std::move(tangent));
  }
  if (is_stack(call)) return with(tangent_of_stack(masked, list, call));
  if (makes(call.entry)) {
    for (size_t i = 0; i < rest.size(); ++i)
      put_tangent(masked, Value(static_cast<int64_t>(i)), tangent_of(call.rest[i]), items);
  } else if (puts(call.entry)) {
    put_tangent(masked, place, tangent_of(call.args[item_argument(call.entry)]), items);
  } else {
    MaskedList parts(masked);
    parts.values = ops::call(builder_, ops::list_cut_entry(), {std::move(parts.values), args[1]});
    parts.is_defined = ops::call(builder_, ops::list_cut_entry(), {std::move(parts.is_defined), args[1]});
    masked = std::move(parts).pair();
  }
  return with(std::move(masked));
}

// --- examples ---

Value ListLevels::for_examples(const autodiff::OpenLevel& level, ops::Call& call) {
  const auto batched = [&](const Value& value) {
    if (is_traced_at(value, level.level)) return value.traced().primal;
    Shape shape = logical_type(value).shape;
    shape.insert(0, level.size);
    return ops::broadcast_to(builder_, value, shape);
  };
  // A filler may be read where no item is, so it has a shape, also for each example.
  const auto filler = [&](const Value& of_one, const Value& list) {
    const bool is_nothing = is_symbol(of_one) && nothing_.contains(id_of(of_one));
    return is_nothing ? otherwise(lists_.items_of(list)) : batched(of_one);
  };
  std::vector<Value> args(call.args.begin(), call.args.end()), rest;
  for (const Value& value : call.rest) rest.push_back(makes(call.entry) ? batched(value) : value);
  const bool whole = is_traced_at(args.empty() ? Value() : args[0], level.level);
  if (!makes(call.entry)) args[0] = Value(primal_of(args[0], level.level));
  if (&call.entry == &ops::list_length_entry()) return below(call, args, rest);
  if (puts(call.entry)) {
    if (!whole) args[0] = conversions_.to_batch(args[0], level.size);
    Value& item = args[item_argument(call.entry)];
    item = batched(item);
    if (&call.entry == &ops::list_put_entry()) args[3] = filler(args[3], args[0]);
  } else if (&call.entry == &ops::list_at_entry()) {
    args[2] = filler(args[2], args[0]);
  } else if (is_stack(call)) {
    args[1] = Value(int64_t{1});
  } else if (!is_about_items(call) && &call.entry != &ops::list_slice_entry()) {
    not_staged(std::string(call.entry.name) + " of a list with batched items");
  }
  return autodiff::make_batch(level.level, below(call, args, rest));
}

}  // namespace covec::ir
