// StagedLists: what loops and comprehensions iterate over while a function is staged, and the items of lists. A list
// whose items the walk knows is a tree like others. A list that has grown in a loop is a single value of one type (a
// list Symbol). So is a list indexed with a number that only the run has. Special operators do with it what the
// interpreter does with a list (stdlib/ops/general/lists.hpp). Start at items().
#pragma once

#include <functional>

#include "interpreter/eval/apply/iteration.hpp"
#include "interpreter/eval/values/index_values.hpp"
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {

struct StagedParts;

// What a loop runs over.
struct StagedItems {
  Value count;
  std::function<Value(const Value& index)> at;
  bool unrolled = false;                            // items are taken at numbers only
  static constexpr int64_t longest_unrolled = 256;  // items
};

class StagedLists {
 public:
  explicit StagedLists(StagedParts& parts) : parts_(parts) {}

  StagedItems items(const Value& written, Span span, const Frame& f) const;

  // Whether `object[at]` is an item, or a slice, of a list that only the run can find.
  bool is_run_part(const Value& object, const IndexValues& at, Span whole, const Frame& f) const;
  Value part(Value list, const IndexValues& at, Span whole, Span object_span, const Frame& f) const;
  // Item `at` of the list becomes `item`; spans are those of the step, of its index and of the item.
  void set(Value& list, const IndexValues& at, Value item, Span whole, std::span<const Span> spans,
           const Frame& f) const;
  void push(Value& list, Value item, Span whole, Span item_span, const Frame& f) const;
  Value pop(Value& list, Span whole, const Frame& f) const;  // the last item

  // list(e for …): runs `body` for each item of `over`; it pushes to `list`.
  void each(const Value& over, Value& list, FunctionRef<void(Value item)> body, Span span, Frame& f) const;
  Value apart(const core::MapIndex& node, const Value& over, FunctionRef<Value()> at_once,
              FunctionRef<Value(Value item)> body, Span span, Frame& f) const;
  Value pushed(const autodiff::ApartLater& later, const core::MapIndex& node, Frame& f) const;
  Value stacked(const core::MapIndex& node, Value list, const Frame& f) const;
  // [e for x in xs]: the numbers that a loop gives, side by side.
  Value map(const core::MapIndex& node, const Value& over, FunctionRef<Value(Value item)> body, Span span,
            Frame& f) const;

 private:
  Value calculate(const ops::Entry& entry, Value a, Value b, const Frame& f) const;
  void require_some(const StagedItems& items, Span span, const Frame& f) const;
  StagedItems items_of_list(const Value& list, Span span, const Frame& f) const;
  StagedItems items_of_sequence(const Sequence& sequence, Span span, const Frame& f) const;
  StagedItems counted(Value count, Value start, int64_t stride, const Frame& f) const;
  StagedItems zipped(std::span<const Value> sequences, Span span, const Frame& f) const;

  StagedParts& parts_;
};

}  // namespace covec
