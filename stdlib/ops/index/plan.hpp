// Turns an index as written into element offsets. IndexLayout knows only types: the axes that each item takes, and the
// position of the tensors' broadcast shape in the result. IndexPlan adds numbers: strides for slices, and a list of
// offsets for tensors (masks become lists of positions). Start at layout_of, then plan_index.
#pragma once

#include <array>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/tensor/scratch.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

struct IndexItem {
  enum class Kind : uint8_t { integer, gather, mask, slice, newaxis };
  Kind kind;
  uint8_t axis;              // first axis of x that it takes
  uint8_t axes;              // how many: a mask takes its rank
  uint8_t rank;              // a gather's: of its tensor
  int8_t operand;            // its tensor or number, among the items; -1: none
  int8_t start, stop, step;  // a slice's, likewise

  // Without a default constructor's work: a layout has room for many and uses few.
  static IndexItem of(Kind kind, uint8_t axes) { return {kind, 0, axes, 0, -1, -1, -1, -1}; }
};

struct IndexLayout {
  unsigned count = 0;
  std::array<IndexItem, IndexSpec::max_items + max_rank> items;  // the first `count`
  int first_operand = 0;  // the first item's number among the call's operands, for labels
  bool advanced = false;  // some item is a tensor; then integers count as tensors too, as in NumPy
  bool apart = false;     // tensors with something between them: their axes come first
  unsigned advanced_rank = 0, advanced_at = 0, result_rank = 0;
  bool is_tensor_like(const IndexItem& item) const {
    return item.kind == IndexItem::Kind::gather || item.kind == IndexItem::Kind::mask ||
           (advanced && item.kind == IndexItem::Kind::integer);
  }
};

// `first_operand`: see above.
IndexLayout layout_of(IndexSpec spec, const Type& x, std::span<const Type> items, int first_operand = 0);
// The same, of values as they are (traced ones by their logical types).
IndexLayout layout_of(IndexSpec spec, const Type& x, std::span<const Value> items, int first_operand = 0);

[[noreturn]] void fail_index(int64_t index, unsigned axis, int64_t size, int operand);

struct IndexPlan {
  Shape shape;                            // of x[items]
  std::array<int64_t, max_rank> strides;  // of x along each result axis; unused within the block of the tensors
  int64_t offset = 0;                     // of the first element
  bool advanced = false;
  unsigned advanced_at = 0, advanced_rank = 0;
  int64_t advanced_count = 1;
  Scratch offsets;  // advanced_count element offsets, in order
};

// The shape of x[items] alone; indices in range or not.
Shape result_shape(Builder& builder, const IndexLayout& layout, std::span<const int64_t> dims,
                   std::span<const Value> items);

// The same where sizes, bounds or items may be known to the run only: what cannot be said before is an unknown
// dimension.
Shape symbolic_result_shape(ShapeBuilder& shapes, const IndexLayout& layout, const Shape& x,
                            std::span<const Value> items);

// x given by its dimensions and strides. Checks every index: out_of_range errors name the lowest element.
IndexPlan plan_index(Builder& builder, const IndexLayout& layout, std::span<const int64_t> dims,
                     std::span<const int64_t> strides, std::span<const Value> items);

// Of index_update or index_add: where the value goes in x, which is taken for row-major; and the value's strides along
// the axes of that place, 0 where it is broadcast. Throws what the operators do.
struct IndexWrite {
  IndexPlan plan;
  std::array<int64_t, max_rank> value;
};
IndexWrite plan_write(Builder& builder, const Call& call);

}  // namespace covec::ops
