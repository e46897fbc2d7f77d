#include "jit/lower/graph/lists.hpp"

#include <algorithm>
#include <iterator>

#include "jit/ir/any_extents.hpp"
#include "jit/lower/graph/complex_parts.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

[[noreturn]] void refuse(const Value& value) {
  if (value.is_traced()) fail(message("list_active"), {"an item"});
  if (is_tree(value) || is_list_symbol(value)) not_staged("an item of a list of trees");
  not_staged("the type of an item of a list of several types");
}

}  // namespace

const Value& Lists::bare(const ops::Context& context, const Value& value) {
  const Value* at = &value;
  while (at->is_traced() && at->traced().trace == TraceKind::tape &&
         autodiff::find_level(context, at->traced().level) == nullptr) {
    at = &at->traced().primal;
  }
  return *at;
}

const ops::Entry* Lists::entry_for(const ops::Call& call) const {
  if (&call.entry == &ops::list_of_entry()) return &call.entry;
  if (call.args.empty()) return nullptr;
  const bool list = is_run_list(call.args[0]);
  if (list && &call.entry == &ops::push_entry()) return &ops::list_push_entry();
  if (list && &call.entry == &ops::len_entry()) return &ops::list_length_entry();
  const bool takes =
      call.entry.staging == ops::Staging::typed && call.entry.parameters[0].kind == ops::ParameterKind::tensors;
  return call.entry.staging == ops::Staging::lists || (list && takes) ? &call.entry : nullptr;
}

bool ItemType::joins(const ItemType& other) const {
  if (!uniform || !other.uniform) return false;
  if (empty || other.empty) return true;
  if (leaves.size() != other.leaves.size() || !same_structure(tree, other.tree)) return false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].joins(other.leaves[i])) return false;
  }
  return !leaves.empty() || (dtype == other.dtype && rank == other.rank);
}

ItemType Lists::item_type(const Value& item) const {
  const Value* value = &item;
  std::vector<uint64_t> batches;
  for (; value->is_traced(); value = &value->traced().primal) {
    if (value->traced().trace == TraceKind::batch) batches.insert(batches.begin(), value->traced().level);
  }
  if (is_tree(*value)) return tree_type(*value);
  const bool typed = value->is_numeric() || (is_symbol(*value) && !writer_.is_boxed(*value));
  if (!typed) return ItemType::several();
  const Type type = logical_type(*value);
  const auto hidden = static_cast<unsigned>(batches.size());
  return {.empty = false, .dtype = type.dtype, .rank = type.shape.rank() - hidden, .batches = std::move(batches)};
}

// Of a number or tensor in each leaf, and at least one.
ItemType Lists::tree_type(const Value& tree) const {
  ItemType type{.empty = false};
  type.tree = map_leaves(tree, [](const Value&) { return Value(); });
  for (const Value& leaf : leaves_of(tree)) {
    type.leaves.push_back(item_type(leaf));
    if (!type.leaves.back().uniform) return ItemType::several();
  }
  return type.leaves.empty() ? ItemType::several() : type;
}

ItemType Lists::list_type(std::span<const Value> items) const {
  ItemType all;
  for (const Value& item : items) {
    ItemType type = item_type(item);
    if (!type.joins(all)) return ItemType::several();
    const auto join = [](ItemType& into, const ItemType& from) {
      std::vector<uint64_t> both;
      std::ranges::set_union(into.batches, from.batches, std::back_inserter(both));
      into.batches = std::move(both);
    };
    join(type, all);
    for (size_t i = 0; i < all.leaves.size(); ++i) join(type.leaves[i], all.leaves[i]);
    all = std::move(type);
  }
  return all;
}

ItemType Lists::items_of(const Value& list) const {
  const Value* at = &list;
  unsigned batches = 0;
  for (; at->is_traced(); at = &at->traced().primal) batches += at->traced().trace == TraceKind::batch;
  if (is_list_symbol(*at)) {
    const Type& type = writer_.graph().values[id_of(*at)].type;
    return {.empty = false, .dtype = type.dtype, .rank = type.shape.rank() - batches};
  }
  if (is_run_list(*at)) {
    const auto& trees = static_cast<const ListOfTrees&>(at->sequence());
    ItemType type{.empty = false, .tree = trees.item};
    for (const Value& column : trees.columns) type.leaves.push_back(items_of(column));
    return type;
  }
  return list.is(ObjectKind::list) ? list_type(list.list().items()) : ItemType::several();
}

Value Lists::list_result(Operation operation, const ItemType& items) {
  Value result = writer_.list_result_of(operation, items.dtype, items.rank);
  writer_.append_applied(std::move(operation));
  return result;
}

// A number or tensor: an item, or how many there are.
Value Lists::item_result(Operation operation, const ItemType& items) {
  Type type{operation.entry == &ops::list_length_entry() ? Dtype::i64 : items.dtype, {}};
  const unsigned rank = operation.entry == &ops::list_length_entry() ? 0 : items.rank;
  for (unsigned axis = 0; axis < rank; ++axis) type.shape.push_back(writer_.dimensions().unknown());
  Value result = writer_.result_of(operation, type);
  writer_.append_applied(std::move(operation));
  return result;
}

std::vector<Value> Lists::columns_of(const Value& list) const {
  if (is_run_list(list)) return static_cast<const ListOfTrees&>(list.sequence()).columns;
  std::vector<std::vector<Value>> columns;
  for (const Value& item : list.list().items()) {
    const std::vector<Value> leaves = leaves_of(item);
    columns.resize(leaves.size());
    for (size_t i = 0; i < leaves.size(); ++i) columns[i].push_back(leaves[i]);
  }
  std::vector<Value> lists;
  for (std::vector<Value>& column : columns) lists.push_back(make_list(std::move(column)));
  return lists;
}

// Of trees each leaf's list by itself.
bool Lists::apply_to_trees(ops::Builder& builder, ops::Call& call, Value& result) {
  const ops::Entry* const entry = entry_for(call);
  if (entry == nullptr || entry->staging != ops::Staging::lists || call.args.empty()) return false;
  const Value& list = call.args[0];
  if (!list.is(ObjectKind::list) && !list.is(ObjectKind::sequence)) return false;
  const ItemType items = items_of(list);
  if (items.leaves.empty()) return false;
  std::vector<Value> columns = columns_of(list);
  const auto of_column = [&](size_t i, const Value* item) {
    std::vector<Value> args(call.args.begin(), call.args.end()), rest(call.rest.begin(), call.rest.end());
    args[0] = std::move(columns[i]);
    if (item != nullptr) args.back() = *item;
    return ops::call(builder, *entry, args, rest, call.literals);
  };
  if (entry == &ops::list_length_entry()) {
    result = of_column(0, nullptr);
    return true;
  }
  const bool puts = entry == &ops::list_push_entry() || entry == &ops::list_set_entry();
  std::vector<Value> given;
  if (puts) {
    if (!item_type(call.args.back()).joins(items)) not_staged("the type of an item of a list of several types");
    given = leaves_of(call.args.back());
  }
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = of_column(i, puts ? &given[i] : nullptr);
  result = entry == &ops::list_item_entry() ? with_parts_of_one_shape(writer_, with_leaves(items.tree, columns))
                                            : ListOfTrees::list_of_trees(items.tree, std::move(columns));
  return true;
}

Value Lists::as_one(ops::Builder& builder, const Value& list) {
  if (is_run_list(list)) return list;
  check_uniform(list);
  const ItemType type = items_of(list);
  if (type.empty) not_staged("an item of a list that is still empty");
  std::vector<Value> items = list.list().items();
  if (!type.leaves.empty()) {
    std::vector<Value> columns = columns_of(list);
    for (Value& column : columns) column = as_one(builder, column);
    return ListOfTrees::list_of_trees(type.tree, std::move(columns));
  }
  Value none;
  return ops::call(builder, ops::list_of_entry(), {&none, 1}, items);
}

Value Lists::none_of(const ItemType& items) {
  if (!items.leaves.empty()) {
    std::vector<Value> columns;
    for (const ItemType& leaf : items.leaves) columns.push_back(none_of(leaf));
    return ListOfTrees::list_of_trees(items.tree, std::move(columns));
  }
  Operation operation;
  operation.entry = &ops::list_of_entry();
  operation.args = {Value()};
  return list_result(std::move(operation), items);
}

Value Lists::empty_masked_list(const ItemType& items) {
  Value values = none_of(items);
  return make_tuple({std::move(values), none_of({.empty = false, .dtype = Dtype::boolean})});
}

Value Lists::to_list(const Value& list, const ItemType& items) {
  if (is_list_symbol(list)) return list;
  Operation operation;
  operation.entry = &ops::list_of_entry();
  operation.args = {Value()};
  for (const Value& item : list.list().items()) operation.rest.push_back(plain_item(item));
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
  const ops::Entry* entry = entry_for(call);
  if (entry == nullptr) return false;
  if (entry == &ops::list_of_entry()) {
    const Value items = make_list({call.rest.begin(), call.rest.end()});
    result = to_list(items, items_of(items));
    return true;
  }
  const Value& list = call.args[0];
  if (entry->staging != ops::Staging::lists) return is_list_symbol(list) && apply_to_items(call, result);
  check_uniform(list);
  const ItemType items = items_of(list);
  if (items.empty) not_staged("an item of a list that is still empty");
  Operation operation;
  operation.entry = entry;
  operation.args = {to_list(list, items)};
  for (const Value& arg : call.args.subspan(1)) operation.args.push_back(plain_item(arg));
  for (const Value& arg : call.rest) operation.rest.push_back(plain_item(arg));
  const bool puts =
      entry == &ops::list_push_entry() || entry == &ops::list_set_entry() || entry == &ops::list_put_entry();
  if (puts && !item_type(operation.args.back()).joins(items)) {
    not_staged("the type of an item of a list of several types");
  }
  const bool gives_list = puts || entry == &ops::list_slice_entry() || entry == &ops::list_cut_entry();
  result = gives_list ? list_result(std::move(operation), items) : item_result(std::move(operation), items);
  return true;
}

// An operator that takes a tree of tensors: a list's items are all alike, so that one of them tells what comes out.
bool Lists::apply_to_items(ops::Call& call, Value& result) {
  const ops::Entry& entry = call.entry;
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
  if (item.is_traced() || !item_type(item).uniform) refuse(item);
  return item;
}

}  // namespace covec::ir
