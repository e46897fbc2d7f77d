// Appends conversions at the end of a path, so that a value has the type required where paths meet. The value becomes
// one boxed Value, one list, a batch of examples, or an unread placeholder of that type. A conversion does not belong
// to what a tape has recorded on the path.
#pragma once

#include <map>
#include <set>

#include "jit/lower/graph/conditional_value.hpp"
#include "jit/lower/graph/lists.hpp"
#include "jit/lower/paths/control_flow.hpp"

namespace covec::ir {

class Conversions {
 public:
  Conversions(ops::Builder& builder, GraphWriter& writer, Lists& lists, const ConditionalValues& conditional_values,
              ControlFlow& control_flow)
      : builder_(builder),
        writer_(writer),
        lists_(lists),
        conditional_values_(conditional_values),
        control_flow_(control_flow) {}

  const ops::Context& context() const { return builder_.context(); }
  Value box(const Value& tree) { return writer_.box(tree); }
  ItemType items_of(const Value& list) const { return lists_.items_of(list); }
  Value empty_masked_list(const ItemType& items) { return lists_.empty_masked_list(items); }
  // Of a list's cotangent: one of no item.
  Value nothing_like(const Value& masked);
  // A list that changes its length becomes one value, also where transformations follow its items.
  Value as_one(const Value& list, const ItemType& items);
  // The same of those lists in the tree that `lists` has, by their numbers in it.
  Value with_lists(const Value& tree, const std::map<unsigned, ItemType>& lists);
  // The same for each of `size` examples; not of an active value.
  Value to_batch(const Value& value, Dim size);
  void refuse_active(const Value& value) const;
  // Whether a derivative is open outside of a batch: what is done once, or for each example, adds to its sums in
  // another order, so which of both must be what eager code does.
  bool is_active_outside(uint64_t batch) const;
  // What a path that does not define a variable leaves, where the other one leaves `like`.
  Value undefined_like(const Value& like);
  Value undefined_boxed();
  // As something that may be none, where the other path leaves `like`.
  ConditionalValue as_optional(const Value& value, const Value& like);
  // A function as one of `functions`.
  Value as_one_of(const Value& function, const std::vector<Value>& functions);
  // The tangent of a value, of which nothing may be there: zeros then, a batch where `like` is one.
  ConditionalValue conditional(const Value& primal, const Value& tangent, const Value& like);
  // Zeros of that type for each example of the vmaps that `like` is a batch of.
  Value zeros_like(const Value& like, Type type);

 private:
  Value list_to_batch(const Value& list, Dim size);
  Value with_lists_from(const Value& tree, const std::map<unsigned, ItemType>& lists, unsigned& number);
  Value undefined_leaf(const Value& like);
  Value undefined_traced(const Traced& like);

  ops::Builder& builder_;
  GraphWriter& writer_;
  Lists& lists_;
  const ConditionalValues& conditional_values_;
  ControlFlow& control_flow_;
  std::set<Id> undefined_;  // tensors and numbers that stand for what a path does not define
};

}  // namespace covec::ir
