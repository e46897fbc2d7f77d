// Computes the numbers of an index: slices become strides, tensors of integers and masks become a list of element
// offsets.
#include "stdlib/ops/index/plan.hpp"

#include <algorithm>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

using Kind = IndexItem::Kind;
constexpr int64_t parallel_grain = 1 << 15;  // elements of an index in a piece for a thread

struct Source {
  std::span<const int64_t> dims, strides;
  int first_operand;  // labels count operands, items count from there
};

int64_t checked(int64_t index, const IndexItem& item, const Source& x) {
  const int64_t size = x.dims[item.axis], normal = index < 0 ? index + size : index;
  if (normal < 0 || normal >= size) fail_index(index, item.axis, size, x.first_operand + item.operand);
  return normal;
}

// --- slices ---

struct Slice {
  int64_t start, size, step;
};

int64_t clamp_bound(int64_t bound, int64_t size, int64_t low, int64_t high) {
  if (bound < 0) bound += size;
  return std::clamp(bound, low, high);
}

// Python's rule.
Slice resolve(const IndexItem& item, const Source& x, std::span<const Value> items) {
  const int64_t size = x.dims[item.axis];
  const auto given = [&](int8_t operand) { return integer_of(items[static_cast<size_t>(operand)]); };
  const int64_t step = item.step < 0 ? 1 : given(item.step);
  if (step == 0) fail(message("index_step"), {}, {{x.first_operand + item.step, "this step"}});
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const int64_t start = item.start < 0 ? (step > 0 ? low : high) : clamp_bound(given(item.start), size, low, high);
  const int64_t stop = item.stop < 0 ? (step > 0 ? high : low) : clamp_bound(given(item.stop), size, low, high);
  const int64_t distance = step > 0 ? stop - start : start - stop;
  if (distance <= 0) return {0, 0, 1};
  // In unsigned numbers: the step may be the smallest i64.
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const int64_t count = static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride) + 1;
  return {start, count, count > 1 ? step : 1};
}

// --- tensors of integers ---

// One tensor of an advanced index: what it adds to the offset of each place, along the block's axes.
struct Part {
  const std::byte* data;
  Dtype dtype;
  bool places = false;  // from a mask: offsets already
  Shape shape;
  std::array<int64_t, max_rank> strides;
  int64_t size = 0, stride = 1;
  unsigned axis = 0;
  int operand = -1;

  int64_t read(int64_t at) const {
    if (dtype == Dtype::i64) return reinterpret_cast<const int64_t*>(data)[at];
    return integer_at(dtype, data + at * static_cast<int64_t>(size_of(dtype)));
  }
};

struct Parts {
  std::array<Part, IndexSpec::max_items> list;
  std::array<Scratch, IndexSpec::max_items> memory;  // of masks
  unsigned count = 0;
};

void add_gather(Parts& parts, const IndexItem& item, const Value& value, const Source& x) {
  const Tensor& tensor = value.tensor();
  Part& part = parts.list[parts.count++];
  part.data = tensor.data();
  part.dtype = tensor.dtype();
  part.shape = tensor.shape();
  std::copy(tensor.strides().begin(), tensor.strides().end(), part.strides.begin());
  part.size = x.dims[item.axis];
  part.stride = x.strides[item.axis];
  part.axis = item.axis;
  part.operand = x.first_operand + item.operand;
}

void check_mask(const IndexItem& item, const Value& mask, const Source& x) {
  const Shape shape = shape_of(mask);
  for (unsigned i = 0; i < item.axes; ++i) {
    if (shape[i].number() == x.dims[item.axis + i]) continue;
    fail(message("index_mask"), {shape.text(), std::to_string(item.axis + i), std::to_string(x.dims[item.axis + i])},
         {{x.first_operand + item.operand, "the mask is " + type_of(mask).text()}});
  }
}

// A row of a mask along its last axis, and the elements of x at its flags.
struct MaskRow {
  const uint8_t* flags;
  int64_t length, flag_step;
  int64_t offset, step;  // in x
};

template <class F>
void each_row(const IndexItem& item, const Value& mask, const Source& x, const F& f) {
  if (mask.is_scalar()) {
    const uint8_t flag = mask.boolean() ? 1 : 0;
    return f(MaskRow{&flag, 1, 1, 0, 0});
  }
  const Tensor& tensor = mask.tensor();
  if (tensor.size() == 0) return;
  const unsigned last = tensor.rank() - 1;
  MaskRow row{tensor.as<uint8_t>(), tensor.dim(last), tensor.stride(last), 0, x.strides[item.axis + last]};
  std::array<int64_t, max_rank> index = {};
  for (;;) {
    f(row);
    unsigned axis = last;
    for (; axis > 0; --axis) {
      const unsigned a = axis - 1;
      row.flags += tensor.stride(a);
      row.offset += x.strides[item.axis + a];
      if (++index[a] < tensor.dim(a)) break;
      row.flags -= tensor.stride(a) * tensor.dim(a);
      row.offset -= x.strides[item.axis + a] * tensor.dim(a);
      index[a] = 0;
    }
    if (axis == 0) return;
  }
}

int64_t count_true(const MaskRow& row) {
  int64_t count = 0;
  if (row.flag_step == 1) {
    for (int64_t i = 0; i < row.length; ++i) count += row.flags[i] != 0;
  } else {
    for (int64_t i = 0; i < row.length; ++i) count += row.flags[i * row.flag_step] != 0;
  }
  return count;
}

// The offsets of the true elements, in order. Every offset is written, and stays when its flag is true: a branch would
// be mispredicted half of the time. So there must be room for one more.
int64_t* put_true(const MaskRow& row, int64_t* to) {
  for (int64_t i = 0; i < row.length; ++i) {
    *to = row.offset + i * row.step;
    to += row.flags[i * row.flag_step] != 0;
  }
  return to;
}

Scratch scratch_of(Pool& pool, int64_t integers) {
  return Scratch(pool, static_cast<uint64_t>(integers) * sizeof(int64_t));
}

void add_mask(Pool& pool, Parts& parts, const IndexItem& item, const Value& mask, const Source& x) {
  check_mask(item, mask, x);
  int64_t count = 0;
  each_row(item, mask, x, [&](const MaskRow& row) { count += count_true(row); });
  Part& part = parts.list[parts.count];
  Scratch& memory = parts.memory[parts.count++] = scratch_of(pool, count + 1);
  int64_t* next = memory.as<int64_t>();
  each_row(item, mask, x, [&](const MaskRow& row) { next = put_true(row, next); });
  part.data = memory.data();
  part.dtype = Dtype::i64;
  part.places = true;
  part.shape = Shape{Dim(count)};
  part.strides[0] = 1;
  part.operand = x.first_operand + item.operand;
}

Shape broadcast_parts(const Parts& parts) {
  Shape result;
  for (unsigned i = 0; i < parts.count; ++i) {
    const Shape& shape = parts.list[i].shape;
    if (fit(result, shape) == Fit::fails) {
      fail(message("index_broadcast"), {parts.list[0].shape.text(), shape.text()},
           {{parts.list[0].operand, "this is of shape " + parts.list[0].shape.text()},
            {parts.list[i].operand, "this is of shape " + shape.text()}});
    }
    result = joined(result, shape);
  }
  return result;
}

void spread_strides(Part& part, const Shape& block) {
  const unsigned shift = block.rank() - part.shape.rank();
  std::array<int64_t, max_rank> spread = {};
  for (unsigned i = 0; i < part.shape.rank(); ++i) {
    spread[shift + i] = part.shape[i] == block[shift + i] ? part.strides[i] : 0;
  }
  part.strides = spread;
}

// Reads places [begin, end) of the block in order: f(place, index).
template <class F>
void each_place(const Part& part, const Shape& block, int64_t begin, int64_t end, const F& f) {
  std::array<int64_t, max_rank> index;
  int64_t at = 0, rest = begin;
  for (unsigned i = block.rank(); i-- > 0;) {
    index[i] = rest % block[i].number();
    rest /= block[i].number();
    at += index[i] * part.strides[i];
  }
  const unsigned last = block.rank() - 1;
  for (int64_t place = begin; place < end;) {
    const int64_t run = std::min(end - place, block[last].number() - index[last]);
    for (int64_t i = 0; i < run; ++i) f(place + i, part.read(at + i * part.strides[last]));
    place += run;
    at -= index[last] * part.strides[last];
    index[last] = 0;
    for (unsigned axis = last; axis-- > 0;) {
      at += part.strides[axis];
      if (++index[axis] < block[axis].number()) break;
      at -= part.strides[axis] * block[axis].number();
      index[axis] = 0;
    }
  }
}

// The offsets of indices that lie side by side; false when one is out of range.
bool plain_offsets(const Part& part, int64_t* offsets, int64_t begin, int64_t end) {
  const auto* indices = reinterpret_cast<const int64_t*>(part.data);
  uint64_t wrong = 0;
  for (int64_t place = begin; place < end; ++place) {
    const int64_t index = indices[place], normal = index + (index < 0 ? part.size : 0);
    wrong |= static_cast<uint64_t>(static_cast<uint64_t>(normal) >= static_cast<uint64_t>(part.size));
    offsets[place] = static_cast<int64_t>(static_cast<uint64_t>(normal) * static_cast<uint64_t>(part.stride));
  }
  return wrong == 0;
}

// Adds a part's offsets; gives the first place whose index is out of range, or -1.
int64_t add_offsets(const Part& part, const Shape& block, bool first, int64_t* offsets, int64_t begin, int64_t end) {
  const bool plain = first && !part.places && part.dtype == Dtype::i64 && block.rank() == 1 && part.strides[0] == 1;
  if (plain && plain_offsets(part, offsets, begin, end)) return -1;
  int64_t wrong = -1;
  each_place(part, block, begin, end, [&](int64_t place, int64_t index) {
    int64_t offset = index;
    if (!part.places) {
      const int64_t normal = index < 0 ? index + part.size : index;
      if (static_cast<uint64_t>(normal) >= static_cast<uint64_t>(part.size)) {
        wrong = wrong < 0 ? place : wrong;
        return;
      }
      offset = normal * part.stride;
    }
    offsets[place] = first ? offset : offsets[place] + offset;
  });
  return wrong;
}

int64_t index_at(const Part& part, const Shape& block, int64_t place) {
  int64_t found = 0;
  each_place(part, block, place, place + 1, [&](int64_t, int64_t index) { found = index; });
  return found;
}

void gather_offsets(Builder& builder, Parts& parts, const Shape& block, IndexPlan& plan) {
  plan.advanced_count = block.elements();
  if (parts.count == 1 && parts.list[0].places) {  // of one mask
    plan.offsets = std::move(parts.memory[0]);
    return;
  }
  plan.offsets = scratch_of(builder.pool(), plan.advanced_count);
  if (plan.advanced_count == 0) return;
  int64_t lowest = -1;
  const Part* culprit = nullptr;
  for (unsigned i = 0; i < parts.count; ++i) {
    Part& part = parts.list[i];
    spread_strides(part, block);
    kernels::LowestIndex wrong;
    kernels::parallel_for(builder.context(), plan.advanced_count, parallel_grain, [&](int64_t begin, int64_t end) {
      wrong.report(add_offsets(part, block, i == 0, plan.offsets.as<int64_t>(), begin, end));
    });
    if (wrong.value() >= 0 && (lowest < 0 || wrong.value() < lowest)) {
      lowest = wrong.value();
      culprit = &part;
    }
  }
  if (culprit) fail_index(index_at(*culprit, block, lowest), culprit->axis, culprit->size, culprit->operand);
}

void add_axis(Shape& shape, std::array<int64_t, max_rank>& strides, int64_t size, int64_t stride) {
  strides[shape.rank()] = stride;
  shape.push_back(Dim(size));
}

// The tensors among the items.
void add_parts(Builder& builder, const IndexLayout& layout, const Source& x, std::span<const Value> items,
               Parts& parts) {
  for (unsigned i = 0; i < layout.count; ++i) {
    const IndexItem& item = layout.items[i];
    if (item.kind == Kind::gather) add_gather(parts, item, items[static_cast<size_t>(item.operand)], x);
    if (item.kind == Kind::mask) add_mask(builder.pool(), parts, item, items[static_cast<size_t>(item.operand)], x);
  }
}

// Puts the tensors' block among the axes that the slices gave.
[[gnu::noinline]] void plan_block(Builder& builder, const IndexLayout& layout, const Source& x,
                                  std::span<const Value> items, IndexPlan& plan) {
  Parts parts;
  add_parts(builder, layout, x, items, parts);
  const Shape block = broadcast_parts(parts);
  const unsigned basic = plan.shape.rank();
  plan.advanced = true;
  plan.advanced_at = layout.advanced_at;
  plan.advanced_rank = block.rank();
  for (unsigned i = 0; i < block.rank(); ++i) plan.shape.insert(layout.advanced_at + i, block[i]);
  std::copy_backward(plan.strides.begin() + layout.advanced_at, plan.strides.begin() + basic,
                     plan.strides.begin() + plan.shape.rank());
  gather_offsets(builder, parts, block, plan);
}

}  // namespace

void fail_index(int64_t index, unsigned axis, int64_t size, int operand) {
  fail(message("index_range"), {std::to_string(index), std::to_string(axis), std::to_string(size)},
       {{operand, "index " + std::to_string(index)}});
}

Shape result_shape(Builder& builder, const IndexLayout& layout, std::span<const int64_t> dims,
                   std::span<const Value> items) {
  const std::array<int64_t, max_rank> strides = {};
  const Source x{dims, strides, layout.first_operand};
  Shape shape;
  for (unsigned i = 0; i < layout.count; ++i) {
    const IndexItem& item = layout.items[i];
    if (item.kind == Kind::slice) shape.push_back(Dim(resolve(item, x, items).size));
    if (item.kind == Kind::newaxis) shape.push_back(Dim(1));
  }
  if (!layout.advanced) return shape;
  Parts parts;
  add_parts(builder, layout, x, items, parts);
  const Shape block = broadcast_parts(parts);
  for (unsigned i = 0; i < block.rank(); ++i) shape.insert(layout.advanced_at + i, block[i]);
  return shape;
}

namespace {

// How many elements x[2:-1] has not: what does not depend on the size of x. The bounds of x[:2] and x[-2:] do.
std::optional<int64_t> left_out_at_ends(const IndexItem& item, std::span<const Value> items) {
  const auto bound = [&](int8_t operand) {
    const Value& value = items[static_cast<size_t>(operand)];
    return is_integer(value) ? std::optional(integer_of(value)) : std::nullopt;
  };
  const std::optional<int64_t> start = item.start < 0 ? 0 : bound(item.start);
  const std::optional<int64_t> stop = item.stop < 0 ? std::optional<int64_t>(0) : bound(item.stop);
  constexpr int64_t most = int64_t{1} << 61;  // so that the sum is a number
  if (!start || !stop || *start < 0 || *start > most || *stop < -most) return std::nullopt;
  if (item.stop >= 0 && *stop >= 0) return std::nullopt;
  return *start - *stop;
}

// The size of a slice of an axis of size `size`.
Dim symbolic_slice(ShapeBuilder& shapes, const IndexItem& item, Dim size, std::span<const Value> items) {
  const auto given = [&](int8_t operand) {
    return operand < 0 ? Value(int64_t{1}) : items[static_cast<size_t>(operand)];
  };
  const Value step = given(item.step);
  const bool plain = is_integer(step) && integer_of(step) == 1;
  const bool reversed = is_integer(step) && integer_of(step) == -1;
  if (item.start < 0 && item.stop < 0 && (plain || reversed)) return size;
  if (const std::optional<int64_t> left_out = left_out_at_ends(item, items); left_out && plain)
    return shapes.saturating_sub(size, *left_out);
  if (!size.known() || !is_integer(step) || !is_integer(given(item.start)) || !is_integer(given(item.stop)))
    return shapes.unknown_dim();
  std::array<int64_t, max_rank> dims = {};
  dims[item.axis] = size.number();
  return Dim(resolve(item, Source{dims, dims, 0}, items).size);
}

std::vector<std::string> no_parts(const void*, int64_t, int64_t) { return {"?", "?"}; }

// The broadcast shape of the tensors among the items; a mask counts what is true.
Shape symbolic_block(ShapeBuilder& shapes, const IndexLayout& layout, std::span<const Value> items) {
  Shape block;
  bool masked = false;
  const Mismatch mismatch{&message("index_broadcast"), no_parts, nullptr, nullptr};
  for (unsigned i = 0; i < layout.count; ++i) {
    const IndexItem& item = layout.items[i];
    masked |= item.kind == Kind::mask;
    if (item.kind != Kind::gather) continue;
    block = shapes.broadcast(block, logical_type(items[static_cast<size_t>(item.operand)]).shape, mismatch);
  }
  if (!masked) return block;
  if (block.empty()) block.push_back(Dim(1));
  block[block.rank() - 1] = shapes.unknown_dim();
  return block;
}

}  // namespace

Shape symbolic_result_shape(ShapeBuilder& shapes, const IndexLayout& layout, const Shape& x,
                            std::span<const Value> items) {
  Shape shape;
  for (unsigned i = 0; i < layout.count; ++i) {
    const IndexItem& item = layout.items[i];
    if (item.kind == Kind::slice) shape.push_back(symbolic_slice(shapes, item, x[item.axis], items));
    if (item.kind == Kind::newaxis) shape.push_back(Dim(1));
  }
  if (!layout.advanced) return shape;
  const Shape block = symbolic_block(shapes, layout, items);
  for (unsigned i = 0; i < block.rank(); ++i) shape.insert(layout.advanced_at + i, block[i]);
  return shape;
}

IndexPlan plan_index(Builder& builder, const IndexLayout& layout, std::span<const int64_t> dims,
                     std::span<const int64_t> strides, std::span<const Value> items) {
  const Source x{dims, strides, layout.first_operand};
  IndexPlan plan;
  for (unsigned i = 0; i < layout.count; ++i) {
    const IndexItem& item = layout.items[i];
    if (item.kind == Kind::integer) {
      plan.offset += checked(integer_of(items[static_cast<size_t>(item.operand)]), item, x) * strides[item.axis];
    } else if (item.kind == Kind::slice) {
      const Slice slice = resolve(item, x, items);
      plan.offset += slice.start * strides[item.axis];
      add_axis(plan.shape, plan.strides, slice.size, slice.step * strides[item.axis]);
    } else if (item.kind == Kind::newaxis) {
      add_axis(plan.shape, plan.strides, 1, 0);
    }
  }
  if (layout.advanced) plan_block(builder, layout, x, items, plan);
  return plan;
}

}  // namespace covec::ops
