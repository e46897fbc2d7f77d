// Lists of one type whose length only the run knows, under transformations. The wrapper of such a list stands for the
// wrappers of all its items. On a tape it has one node. Its cotangent is a pair of lists, indexed like the items: the
// cotangents of the items, and whether each item has one. Its tangent under a jvp is such a pair too. Both lists may be
// too short; the missing items have none. So two empty lists mean that no item has one.
//
// A list that is used in two ways has two such cotangents for the same items. In eager code's order they could be added
// only item by item: this is refused. Start at apply().
#pragma once

#include <set>

#include "jit/lower/paths/conversions.hpp"
#include "stdlib/autodiff/conditional_tangents.hpp"
#include "stdlib/autodiff/level.hpp"

namespace covec::ir {

class ListLevels {
 public:
  ListLevels(ops::Builder& builder, GraphWriter& writer, Lists& lists, Conversions& conversions,
             ConditionalValues& conditional_values, const autodiff::ConditionalTangents& tangents,
             ControlFlow& control_flow)
      : builder_(builder),
        writer_(writer),
        lists_(lists),
        conversions_(conversions),
        conditional_values_(conditional_values),
        tangents_(tangents),
        control_flow_(control_flow) {}

  // Applies an operator to a list, where a transformation has wrapped that or an item; false: it is not about one.
  bool apply(ops::Call& call, Value& result);

 private:
  struct MaskedList;
  class Step;

  Value on_tape(const autodiff::OpenLevel& level, ops::Call& call);
  Value forward(const autodiff::OpenLevel& level, ops::Call& call);
  Value for_examples(const autodiff::OpenLevel& level, ops::Call& call);
  Value below(ops::Call& call, std::span<Value> args, std::span<Value> rest);
  Value place_of(const ops::Call& call, const Value& list);
  Value otherwise(const ItemType& items);
  const Value* or_nothing(const Value& masked) const;
  Value tangent_of_stack(const Value& masked, const Value& list, const ops::Call& call);
  void put_tangent(Value& masked, const Value& place, const Value& tangent, const ItemType& items);
  Value tangent_at(const Value& masked, const Value& place, const Value& item, const ItemType& items);

  ops::Builder& builder_;
  GraphWriter& writer_;
  Lists& lists_;
  Conversions& conversions_;
  ConditionalValues& conditional_values_;
  const autodiff::ConditionalTangents& tangents_;
  ControlFlow& control_flow_;
  std::set<Id> nothing_;  // that stand where no item is, without a shape
};

}  // namespace covec::ir
