// Represents lists of one type whose length only the run knows: arrays of numbers, or of tensors of one dtype and rank.
// Items that are trees of one structure have one such list for each leaf (ListOfTrees). At first a list is a tree with
// a value for each item. It becomes one value of the graph in two cases. A loop or branch leaves it with another length
// (paths/merge.cpp, paths/loop_carried.cpp), or it is indexed with a number that only the run knows. The type of its
// items is known, so what is read from it is typed.
//
// The trade-off: items of different types, or trees of different structure, do not form such a list; the statement is
// interpreted. Start at apply(). For lists that transformations have wrapped, see paths/list_levels.hpp.
#pragma once

#include "jit/lower/graph/graph_writer.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::ir {

// What is known of a list's items.
struct ItemType {
  bool uniform = true;  // numbers, or tensors of one dtype and rank
  bool empty = true;    // there is none yet: any may come
  Dtype dtype = Dtype::f64;
  unsigned rank = 0;
  std::vector<uint64_t> batches = {};  // levels of the vmaps for whose examples they differ, the lowest first
  Value tree = {};                     // of trees of one structure: that, with none for each leaf
  std::vector<ItemType> leaves = {};   // and the types of those
  static ItemType several() { return {.uniform = false, .empty = false}; }
  bool joins(const ItemType& other) const;  // both may be items of one list
};

class Lists {
 public:
  Lists(const ops::Context& context, GraphWriter& writer) : context_(context), writer_(writer) {}

  ItemType items_of(const Value& list) const;
  Value to_list(const Value& list,
                const ItemType& items);  // as one value of the graph; it is neither active nor batched
  // The same of any list of one type: an operator is applied for it, which tapes record.
  Value as_one(ops::Builder& builder, const Value& list);
  Value none_of(const ItemType& items);                    // a list without any yet
  std::vector<Value> columns_of(const Value& list) const;  // of trees: a list for each leaf
  // A masked list in which no item is defined (paths/list_levels.hpp).
  Value empty_masked_list(const ItemType& items);
  // The operator on lists that a call is, or becomes; nullptr: it is not about a list.
  const ops::Entry* entry_for(const ops::Call& call) const;
  // Without the levels of derivatives that have ended.
  static const Value& bare(const ops::Context& context, const Value& value);
  // Applies an operator to a list of trees; false: it is about another.
  bool apply_to_trees(ops::Builder& builder, ops::Call& call, Value& result);
  // Applies an operator to a list; false: it is not about one.
  bool apply(ops::Call& call, Value& result);

 private:
  ItemType item_type(const Value& item) const;
  ItemType tree_type(const Value& tree) const;
  ItemType list_type(std::span<const Value> items) const;
  Value plain_item(const Value& value) const;
  void check_uniform(const Value& list) const;
  bool apply_to_items(ops::Call& call, Value& result);
  Value list_result(Operation operation, const ItemType& items);
  Value item_result(Operation operation, const ItemType& items);

  const ops::Context& context_;
  GraphWriter& writer_;
};

}  // namespace covec::ir
