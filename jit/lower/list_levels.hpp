// Lists of one type whose length only the run knows, under transformations. The wrapping of such a list stands for that
// of all its items: on a tape it has one node; its cotangent, and under a jvp its tangent, is a pair of lists, of what
// the items have and of whether they have it, by the items' places. Both may be too short: nothing is there for the
// others, so that two empty lists are the same as none.
//
// A list that goes on in two ways has cotangents of two kinds for the same items, which only item by item could be
// added in eager code's order: that is refused. Start at apply().
#pragma once

#include "jit/lower/graph/lists.hpp"
#include "jit/lower/graph/maybe.hpp"
#include "jit/lower/regions.hpp"
#include "stdlib/autodiff/level.hpp"

namespace covec::ir {

class ListLevels {
 public:
  ListLevels(ops::Builder& builder, GraphWriter& writer, Lists& lists, Maybes& maybes, Regions& regions)
      : builder_(builder), writer_(writer), lists_(lists), maybes_(maybes), regions_(regions) {}

  // Applies an operator to a list, where a transformation has wrapped that or an item; false: it is not about one.
  bool apply(ops::Call& call, Value& result);

 private:
  struct Beside;
  class Step;

  Value on_tape(const autodiff::OpenLevel& level, ops::Call& call);
  Value forward(const autodiff::OpenLevel& level, ops::Call& call);
  Value for_examples(const autodiff::OpenLevel& level, ops::Call& call);
  Value below(ops::Call& call, std::span<Value> args, std::span<Value> rest);
  Value place_of(const ops::Call& call, const Value& list);
  Value otherwise(const ItemType& items);
  const Value* or_nothing(const Value& beside) const;
  Value tangent_of_stack(const Value& beside, const Value& list, const ops::Call& call);
  void put_tangent(Value& beside, const Value& place, const Value& tangent, const ItemType& items);
  Value tangent_at(const Value& beside, const Value& place, const Value& item, const ItemType& items);

  ops::Builder& builder_;
  GraphWriter& writer_;
  Lists& lists_;
  Maybes& maybes_;
  Regions& regions_;
};

}  // namespace covec::ir
