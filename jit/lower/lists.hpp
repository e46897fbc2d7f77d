// Lists of one type, whose length only the run knows: arrays of numbers, or of tensors of one dtype and rank. A list is
// a tree with a value for each item, as always, until a loop or branch leaves it with another length (join.cpp,
// carry.cpp), or it is indexed with a number that only the run has; from then on it is one value of the graph. What its
// items are is known, so that what is read from it is typed.
//
// The trade-off: where items differ in type, are trees, or are active, there is no such list, and the statement goes to
// the interpreter. Start at apply().
#pragma once

#include "jit/lower/graph_writer.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::ir {

// What is known of a list's items.
struct ItemType {
  bool uniform = true;  // numbers, or tensors of one dtype and rank
  bool empty = true;    // there is none yet: any may come
  Dtype dtype = Dtype::f64;
  unsigned rank = 0;
  static ItemType several() { return {false, false, Dtype::f64, 0}; }
  bool joins(const ItemType& other) const;  // both may be items of one list
};

class Lists {
 public:
  Lists(const ops::Context& context, GraphWriter& writer) : context_(context), writer_(writer) {}

  ItemType items_of(const Value& list) const;
  Value to_list(const Value& list, const ItemType& items);  // as one value of the graph
  // Applies an operator to a list; false: it is not about one.
  bool apply(ops::Call& call, Value& result);

 private:
  ItemType item_type(const Value& item) const;
  Value plain_item(const Value& value) const;
  void check_uniform(const Value& list) const;
  bool apply_to_items(ops::Call& call, Value& result);
  Value list_result(Operation operation, const ItemType& items);
  Value item_result(Operation operation, const ItemType& items);

  const ops::Context& context_;
  GraphWriter& writer_;
};

}  // namespace covec::ir
