// Finds which axes each item of an index takes, and the result's axes, from types alone.
#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/index/plan.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

using Kind = IndexItem::Kind;

[[noreturn]] void fail_too_many(unsigned taken, const Type& x) {
  fail(message("index_too_many"), {std::to_string(taken), x.text(), std::to_string(x.shape.rank())});
}

// What stands in the items: types, or values, of which only what is asked for is looked up (most are plain numbers).
struct ItemTypes {
  std::span<const Type> types;
  Dtype dtype(int i) const { return types[static_cast<size_t>(i)].dtype; }
  unsigned rank(int i) const { return types[static_cast<size_t>(i)].shape.rank(); }
  std::string text(int i) const { return types[static_cast<size_t>(i)].text(); }
};

struct ItemValues {
  std::span<const Value> values;
  int first_operand;
  const Value& operator[](int i) const { return values[static_cast<size_t>(i)]; }
  Dtype dtype(int i) const {
    const Value& value = (*this)[i];
    if (value.is_numeric()) return dtype_of(value);
    if (is_operand(value)) return logical_type(value).dtype;
    fail(message("index_kind"), {describe(value)}, {{first_operand + i, "this is " + describe(value)}});
  }
  unsigned rank(int i) const {
    const Value& value = (*this)[i];
    return value.is_numeric() ? rank_of(value) : logical_type(value).shape.rank();
  }
  std::string text(int i) const { return logical_type((*this)[i]).text(); }
};

template <class Source>
struct Reader {
  IndexSpec spec;
  const Source& source;
  int first_operand;
  int next = 0;

  // The item's kind by the type of what stands there.
  IndexItem at(int operand) {
    IndexItem item = IndexItem::of(Kind::integer, 1);
    item.operand = static_cast<int8_t>(operand);
    const Dtype dtype = source.dtype(operand);
    item.rank = static_cast<uint8_t>(source.rank(operand));
    if (dtype == Dtype::boolean) {
      item.kind = Kind::mask;
      item.axes = item.rank;
    } else if (kind_of(dtype) == DtypeKind::integer) {
      if (item.rank > 0) item.kind = Kind::gather;
    } else {
      const std::string text = source.text(operand);
      fail(message("index_kind"), {text}, {{first_operand + operand, "this index is " + text}},
           "i64(x) makes integers of numbers");
    }
    return item;
  }
  int8_t bound(bool present) {
    if (!present) return -1;
    if (kind_of(source.dtype(next)) != DtypeKind::integer || source.rank(next) != 0) {
      const std::string text = source.text(next);
      fail(message("index_bound"), {text}, {{first_operand + next, "this is " + text}});
    }
    return static_cast<int8_t>(next++);
  }
  IndexItem slice(unsigned i) {
    IndexItem item = IndexItem::of(Kind::slice, 1);
    item.start = bound(spec.has_start(i));
    item.stop = bound(spec.has_stop(i));
    item.step = bound(spec.has_step(i));
    return item;
  }
  IndexItem read(unsigned i) {
    if (spec.item(i) == IndexSpec::Item::at) return at(next++);
    if (spec.item(i) == IndexSpec::Item::slice) return slice(i);
    return IndexItem::of(Kind::newaxis, 0);
  }
};

// Puts `count` whole slices at `place`.
void insert_whole(IndexLayout& layout, unsigned place, unsigned count) {
  auto* items = layout.items.data();
  std::move_backward(items + place, items + layout.count, items + layout.count + count);
  for (unsigned i = 0; i < count; ++i) items[place + i] = IndexItem::of(Kind::slice, 1);
  layout.count += count;
}

void number_axes(IndexLayout& layout) {
  unsigned axis = 0;
  for (unsigned i = 0; i < layout.count; ++i) {
    layout.items[i].axis = static_cast<uint8_t>(axis);
    axis += layout.items[i].axes;
  }
}

void place_result(IndexLayout& layout, bool ellipsis_between) {
  bool seen = false, gap = false;
  unsigned basic = 0;
  for (unsigned i = 0; i < layout.count; ++i) {
    const IndexItem& item = layout.items[i];
    if (layout.is_tensor_like(item)) {
      if (!seen) layout.advanced_at = basic;
      layout.apart |= seen && gap;
      seen = true;
      gap = false;
      const unsigned rank = item.kind == Kind::mask ? 1 : item.kind == Kind::gather ? item.rank : 0;
      layout.advanced_rank = std::max(layout.advanced_rank, rank);
    } else if (item.kind != Kind::integer) {
      gap = true;
      ++basic;
    }
  }
  layout.apart |= ellipsis_between;
  if (layout.apart) layout.advanced_at = 0;
  layout.result_rank = basic + layout.advanced_rank;
  if (layout.result_rank > max_rank) fail(message("index_rank"), {std::to_string(layout.result_rank)});
}

// An ellipsis parts tensors even where it stands for no axes.
bool tensors_around(const IndexLayout& layout, unsigned place, unsigned inserted) {
  bool before = false, after = false;
  for (unsigned i = 0; i < layout.count; ++i) {
    if (!layout.is_tensor_like(layout.items[i])) continue;
    if (i < place) before = true;
    if (i >= place + inserted) after = true;
  }
  return before && after;
}

template <class Source>
IndexLayout read_layout(IndexSpec spec, const Source& source, int first_operand, const Type& x) {
  IndexLayout layout;
  layout.first_operand = first_operand;
  Reader<Source> reader{spec, source, first_operand};
  const unsigned rank = x.shape.rank();
  int ellipsis = -1;
  unsigned taken = 0;
  for (unsigned i = 0; i < spec.items(); ++i) {
    if (spec.item(i) == IndexSpec::Item::ellipsis) {
      if (ellipsis >= 0) fail(message("index_ellipsis"));
      ellipsis = static_cast<int>(layout.count);
      continue;
    }
    const IndexItem item = reader.read(i);
    layout.advanced |= item.kind == Kind::gather || item.kind == Kind::mask;
    taken += item.axes;
    layout.items[layout.count++] = item;
  }
  if (taken > rank) fail_too_many(taken, x);
  const unsigned place = ellipsis >= 0 ? static_cast<unsigned>(ellipsis) : layout.count;
  insert_whole(layout, place, rank - taken);
  number_axes(layout);
  place_result(layout, ellipsis >= 0 && tensors_around(layout, place, rank - taken));
  return layout;
}

}  // namespace

IndexLayout layout_of(IndexSpec spec, const Type& x, std::span<const Type> types, int first_operand) {
  return read_layout(spec, ItemTypes{types}, first_operand, x);
}

IndexLayout layout_of(IndexSpec spec, const Type& x, std::span<const Value> items, int first_operand) {
  return read_layout(spec, ItemValues{items, first_operand}, first_operand, x);
}

}  // namespace covec::ops
