// The vocabulary of patterns' rules (Entry::pattern): which inputs each element of a result depends on. A set of inputs
// is a number; a value's sets are an i64 tensor of its shape, or none where all are empty. The numbers of a function do
// not matter: a factor that happens to be 0 counts as well.
#pragma once

#include "stdlib/ops/contract/rules.hpp"

namespace covec::ops {

class Sets {
 public:
  virtual ~Sets() = default;
  virtual Builder& builder() = 0;
  // Element by element, of shapes that broadcast to `shape`.
  virtual Value unite(const Value& a, const Value& b, const Shape& shape) = 0;
  // Along axes (a bit each), which get the size 1.
  virtual Value along(const Value& sets, uint32_t axes) = 0;
  // Of an element and those before it along the axis, or with `backwards` those behind it.
  virtual Value running(const Value& sets, unsigned axis, bool backwards) = 0;
  // Those of `updates` joined to what `x` has at these positions among its elements; one may come twice.
  virtual Value unite_at(Value x, const Value& positions, const Value& updates) = 0;
  // In each block of elements, `shape` without its first `leading` axes: the elements that `each` links, by position,
  // (to, from), where `from` counts the elements of a block of `sets`.
  using Link = FunctionRef<void(int64_t to, int64_t from)>;
  virtual Value link(const Value& sets, const Shape& shape, unsigned leading, FunctionRef<void(Link)> each) = 0;
};

// Each element depends on the operands' elements that broadcast to it.
Value pattern_of_elements(Sets&, const Entry&, const Residuals&, std::span<const Value> sets);
// Each on all elements of its block: the last `axes` axes of each operand, the last `of_result` of the result; the axes
// before broadcast.
template <unsigned axes, unsigned of_result = axes>
Value pattern_of_blocks(Sets&, const Entry&, const Residuals&, std::span<const Value> sets);
// Each on those up to it along an axis, which attribute 1 names; attribute 2, where the entry has `backwards`, says
// from which end.
Value pattern_of_scan(Sets&, const Entry&, const Residuals&, std::span<const Value> sets);
// Each on those that were added to it: the result's shape broadcasts to the operand's.
Value pattern_of_sum_to(Sets&, const Entry&, const Residuals&, std::span<const Value> sets);
// Sets in another shape of as many elements.
Value reshaped(Sets&, const Value& sets, const Shape& shape);

}  // namespace covec::ops
