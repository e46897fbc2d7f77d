// Lists of one type, whose length only the run knows: arrays of numbers, or of tensors of one dtype and rank. A list is
// a tree with a value for each item, as always, until a loop or branch leaves it with another length (join.cpp), or it
// is indexed with a number that only the run has; from then on it is one value of the graph. What its items are is
// known, so that what is read from it is typed.
//
// The trade-off: where items differ in type, are trees, or are active, there is no such list, and the
// statement goes to the interpreter. Start at Stager::apply_to_list.
#include "stdlib/ops/lists.hpp"
#include "jit/ir/any_extents.hpp"
#include "jit/lower/stager.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/general.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

// Without the levels of derivatives that have ended.
const Value& bare(const ops::Context& context, const Value& value) {
  const Value* at = &value;
  while (at->is_traced() && at->traced().trace == TraceKind::tape &&
         autodiff::find_level(context, at->traced().level) == nullptr) {
    at = &at->traced().primal;
  }
  return *at;
}

[[noreturn]] void refuse(const Value& value) {
  if (value.is_traced()) fail(message("list_active"), {"an item"});
  if (is_tree(value) || is_list_symbol(value)) not_staged("an item of a list of trees");
  not_staged("the type of an item of a list of several types");
}

}  // namespace

bool ItemType::joins(const ItemType& other) const {
  if (!uniform || !other.uniform) return false;
  return empty || other.empty || (dtype == other.dtype && rank == other.rank);
}

ItemType Stager::item_type(const Value& item) const {
  const Value& value = bare(context(), item);
  const bool typed = value.is_numeric() || (is_symbol(value) && !graph_.values[id_of(value)].boxed);
  if (!typed) return ItemType::several();
  const Type type = logical_type(value);
  return {true, false, type.dtype, type.shape.rank()};
}

ItemType Stager::items_of(const Value& list) const {
  if (is_list_symbol(list)) {
    const Type& type = graph_.values[id_of(list)].type;
    return {true, false, type.dtype, type.shape.rank()};
  }
  if (!list.is(ObjectKind::list)) return ItemType::several();
  ItemType all;
  for (const Value& item : list.list().items) {
    const ItemType type = item_type(item);
    if (!type.joins(all)) return ItemType::several();
    all = type;
  }
  return all;
}

Value Stager::list_result(Operation operation, const ItemType& items) {
  const Id id = graph_.add_list(items.dtype, items.rank);
  operation.results.push_back(id);
  append(std::move(operation));
  return graph_.symbol(id);
}

Value Stager::to_list(const Value& list, const ItemType& items) {
  if (is_list_symbol(list)) return list;
  Operation operation;
  operation.entry = &ops::list_of_entry();
  operation.args = {Value()};
  for (const Value& item : list.list().items) operation.rest.push_back(bare(context(), item));
  return list_result(std::move(operation), items);
}

bool Stager::apply_to_list(ops::Call& call, Value& result) {
  if (call.args.empty()) return false;
  const Value& list = call.args[0];
  const bool array = is_list_symbol(list);
  const ops::Entry* entry = &call.entry;
  if (array && entry == &ops::push_entry()) entry = &ops::list_push_entry();
  if (array && entry == &ops::len_entry()) entry = &ops::list_length_entry();
  if (entry->staging != ops::Staging::lists) return array && apply_to_items(call, result);
  const ItemType items = items_of(list);
  if (!items.uniform) {
    for (const Value& item : parts_of(list)) {
      if (!item_type(item).uniform) refuse(bare(context(), item));
    }
    refuse(Value());
  }
  if (items.empty) not_staged("an item of a list that has none yet");
  Operation operation;
  operation.entry = entry;
  operation.args = {to_list(list, items)};
  for (const Value& arg : call.args.subspan(1)) operation.args.push_back(plain_item(arg));
  for (const Value& arg : call.rest) operation.rest.push_back(plain_item(arg));
  const bool puts = entry == &ops::list_push_entry() || entry == &ops::list_set_entry();
  const bool changes = puts || entry == &ops::list_slice_entry();
  if (puts && !item_type(operation.args.back()).joins(items))
    not_staged("the type of an item of a list of several types");
  note_batch(operation);
  result = changes ? list_result(std::move(operation), items) : item_result(std::move(operation), items);
  return true;
}

// An operator that takes a tree of tensors: a list's items are all alike, so that one of them tells what comes out.
bool Stager::apply_to_items(ops::Call& call, Value& result) {
  const ops::Entry& entry = call.entry;
  const bool takes = entry.staging == ops::Staging::typed && entry.parameters[0].kind == ops::ParameterKind::tensors;
  if (!takes) return false;
  const ItemType items = items_of(call.args[0]);
  Type item{items.dtype, {}};
  for (unsigned axis = 0; axis < items.rank; ++axis) item.shape.push_back(AnyExtents().unknown_dim());
  Operation operation;
  operation.entry = &entry;
  operation.literals = call.literals;
  operation.args.assign(call.args.begin(), call.args.end());
  std::vector<Value> args = operation.args, rest = {Value::adopt(new Symbol(item, 0))};
  args[0] = Value();
  AnyExtents extents;
  Type type = entry.type(extents, ops::Call{entry, args, rest, call.literals});
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) type.shape[axis] = unknown_dim();
  note_batch(operation);
  result = result_of(operation, type);
  append(std::move(operation));
  return true;
}

Value Stager::plain_item(const Value& value) const {
  const Value& item = bare(context(), value);
  if (!item_type(item).uniform) refuse(item);
  return item;
}

// A number or tensor: an item, or how many there are.
Value Stager::item_result(Operation operation, const ItemType& items) {
  Type type{operation.entry == &ops::list_length_entry() ? Dtype::i64 : items.dtype, {}};
  const unsigned rank = operation.entry == &ops::list_item_entry() ? items.rank : 0;
  for (unsigned axis = 0; axis < rank; ++axis) type.shape.push_back(unknown_dim());
  Value result = result_of(operation, type);
  append(std::move(operation));
  return result;
}

}  // namespace covec::ir
