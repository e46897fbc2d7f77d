// Which axes each item of an index takes and what the result's axes are, from types alone.
#include <algorithm>

#include "stdlib/ops/attributes.hpp"
#include "stdlib/ops/index_plan.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

using Kind = IndexItem::Kind;

[[noreturn]] void fail_too_many(unsigned taken, const Type& x) {
  fail(message("index_too_many"), {std::to_string(taken), x.text(), std::to_string(x.shape.rank())});
}

// The item's kind by the type of what stands there.
IndexItem item_at(const Type& type, int operand, int label) {
  IndexItem item;
  item.operand = static_cast<int8_t>(operand);
  item.rank = static_cast<uint8_t>(type.shape.rank());
  if (type.dtype == Dtype::boolean) {
    item.kind = Kind::mask;
    item.axes = item.rank;
  } else if (kind_of(type.dtype) == DtypeKind::integer) {
    item.kind = item.rank == 0 ? Kind::integer : Kind::gather;
    item.axes = 1;
  } else {
    fail(message("index_kind"), {type.text()}, {{label, "this index is " + type.text()}},
         "i64(x) makes integers of numbers");
  }
  return item;
}

void require_bound(const Type& type, int label) {
  if (type.shape.rank() == 0 && kind_of(type.dtype) == DtypeKind::integer) return;
  fail(message("index_bound"), {type.text()}, {{label, "this is " + type.text()}});
}

struct Reader {
  IndexSpec spec;
  std::span<const Type> types;
  int first_operand;
  int next = 0;

  int8_t bound(bool present) {
    if (!present) return -1;
    require_bound(types[static_cast<size_t>(next)], first_operand + next);
    return static_cast<int8_t>(next++);
  }
  IndexItem slice(unsigned i) {
    IndexItem item;
    item.axes = 1;
    item.start = bound(spec.has_start(i));
    item.stop = bound(spec.has_stop(i));
    item.step = bound(spec.has_step(i));
    return item;
  }
  IndexItem read(unsigned i) {
    if (spec.item(i) == IndexSpec::Item::at) {
      const int operand = next++;
      return item_at(types[static_cast<size_t>(operand)], operand, first_operand + operand);
    }
    if (spec.item(i) == IndexSpec::Item::slice) return slice(i);
    IndexItem item;
    item.kind = Kind::newaxis;
    return item;
  }
};

// Puts `count` whole slices at `place`.
void insert_whole(IndexLayout& layout, unsigned place, unsigned count) {
  auto* items = layout.items.data();
  std::move_backward(items + place, items + layout.count, items + layout.count + count);
  for (unsigned i = 0; i < count; ++i) {
    items[place + i] = IndexItem();
    items[place + i].axes = 1;
  }
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

}  // namespace

IndexLayout layout_of(IndexSpec spec, const Type& x, std::span<const Type> types, int first_operand) {
  IndexLayout layout;
  layout.first_operand = first_operand;
  Reader reader{spec, types, first_operand};
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
  if (taken > x.shape.rank()) fail_too_many(taken, x);
  const unsigned place = ellipsis >= 0 ? static_cast<unsigned>(ellipsis) : layout.count;
  insert_whole(layout, place, x.shape.rank() - taken);
  number_axes(layout);
  place_result(layout, ellipsis >= 0 && tensors_around(layout, place, x.shape.rank() - taken));
  return layout;
}

IndexLayout layout_of(IndexSpec spec, const Type& x, std::span<const Value> items, int first_operand) {
  std::array<Type, 3 * IndexSpec::max_items> types;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!is_operand(items[i])) {
      const int label = first_operand + static_cast<int>(i);
      fail(message("index_kind"), {describe(items[i])}, {{label, "this is " + describe(items[i])}});
    }
    types[i] = logical_type(items[i]);
  }
  return layout_of(spec, x, std::span<const Type>(types.data(), items.size()), first_operand);
}

}  // namespace covec::ops
