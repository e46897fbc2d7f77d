#include "jit/lower/lists.hpp"

#include "jit/ir/any_extents.hpp"
#include "jit/lower/not_staged.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
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

// The operator on lists that one of trees becomes.
const ops::Entry* entry_for(const ops::Call& call) {
  if (is_list_symbol(call.args[0])) {
    if (&call.entry == &ops::push_entry()) return &ops::list_push_entry();
    if (&call.entry == &ops::len_entry()) return &ops::list_length_entry();
  }
  return &call.entry;
}

}  // namespace

bool ItemType::joins(const ItemType& other) const {
  if (!uniform || !other.uniform) return false;
  return empty || other.empty || (dtype == other.dtype && rank == other.rank);
}

ItemType Lists::item_type(const Value& item) const {
  const Value& value = bare(context_, item);
  const bool typed = value.is_numeric() || (is_symbol(value) && !writer_.is_boxed(value));
  if (!typed) return ItemType::several();
  const Type type = logical_type(value);
  return {true, false, type.dtype, type.shape.rank()};
}

ItemType Lists::items_of(const Value& list) const {
  if (is_list_symbol(list)) {
    const Type& type = writer_.graph().values[id_of(list)].type;
    return {true, false, type.dtype, type.shape.rank()};
  }
  if (!list.is(ObjectKind::list)) return ItemType::several();
  ItemType all;
  for (const Value& item : list.list().items()) {
    const ItemType type = item_type(item);
    if (!type.joins(all)) return ItemType::several();
    all = type;
  }
  return all;
}

Value Lists::list_result(Operation operation, const ItemType& items) {
  Value result = writer_.list_result_of(operation, items.dtype, items.rank);
  writer_.append_applied(std::move(operation));
  return result;
}

// A number or tensor: an item, or how many there are.
Value Lists::item_result(Operation operation, const ItemType& items) {
  Type type{operation.entry == &ops::list_length_entry() ? Dtype::i64 : items.dtype, {}};
  const unsigned rank = operation.entry == &ops::list_item_entry() ? items.rank : 0;
  for (unsigned axis = 0; axis < rank; ++axis) type.shape.push_back(writer_.dimensions().unknown());
  Value result = writer_.result_of(operation, type);
  writer_.append_applied(std::move(operation));
  return result;
}

Value Lists::to_list(const Value& list, const ItemType& items) {
  if (is_list_symbol(list)) return list;
  Operation operation;
  operation.entry = &ops::list_of_entry();
  operation.args = {Value()};
  for (const Value& item : list.list().items()) operation.rest.push_back(bare(context_, item));
  return list_result(std::move(operation), items);
}

void Lists::check_uniform(const Value& list) const {
  if (items_of(list).uniform) return;
  for (const Value& item : parts_of(list)) {
    if (!item_type(item).uniform) refuse(bare(context_, item));
  }
  refuse(Value());
}

bool Lists::apply(ops::Call& call, Value& result) {
  if (call.args.empty()) return false;
  const Value& list = call.args[0];
  const ops::Entry* entry = entry_for(call);
  if (entry->staging != ops::Staging::lists) return is_list_symbol(list) && apply_to_items(call, result);
  check_uniform(list);
  const ItemType items = items_of(list);
  if (items.empty) not_staged("an item of a list that has none yet");
  Operation operation;
  operation.entry = entry;
  operation.args = {to_list(list, items)};
  for (const Value& arg : call.args.subspan(1)) operation.args.push_back(plain_item(arg));
  for (const Value& arg : call.rest) operation.rest.push_back(plain_item(arg));
  const bool puts = entry == &ops::list_push_entry() || entry == &ops::list_set_entry();
  if (puts && !item_type(operation.args.back()).joins(items)) {
    not_staged("the type of an item of a list of several types");
  }
  const bool gives_list = puts || entry == &ops::list_slice_entry();
  result = gives_list ? list_result(std::move(operation), items) : item_result(std::move(operation), items);
  return true;
}

// An operator that takes a tree of tensors: a list's items are all alike, so that one of them tells what comes out.
bool Lists::apply_to_items(ops::Call& call, Value& result) {
  const ops::Entry& entry = call.entry;
  const bool takes = entry.staging == ops::Staging::typed && entry.parameters[0].kind == ops::ParameterKind::tensors;
  if (!takes) return false;
  const ItemType items = items_of(call.args[0]);
  AnyExtents extents;
  Type item{items.dtype, {}};
  for (unsigned axis = 0; axis < items.rank; ++axis) item.shape.push_back(extents.unknown_dim());
  Operation operation;
  operation.entry = &entry;
  operation.literals = call.literals;
  operation.args.assign(call.args.begin(), call.args.end());
  std::vector<Value> args = operation.args, rest = {Value::adopt(new Symbol(item, 0))};
  args[0] = Value();
  Type type = entry.type(extents, ops::Call{entry, args, rest, call.literals});
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) type.shape[axis] = writer_.dimensions().unknown();
  result = writer_.result_of(operation, type);
  writer_.append_applied(std::move(operation));
  return true;
}

Value Lists::plain_item(const Value& value) const {
  const Value& item = bare(context_, value);
  if (!item_type(item).uniform) refuse(item);
  return item;
}

}  // namespace covec::ir
