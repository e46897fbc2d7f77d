// The pass for a group without the last axis: columns. Work is cut into tiles of neighbouring columns. If columns are
// few, it is also cut into parts of whole blocks along them. Every result still adds its elements in order, in blocks
// of 1024, blocks pairwise. Columns that are not adjacent in memory are packed a few rows at a time.
#include <algorithm>

#include "stdlib/kernels/reduce_plan.hpp"
#include "stdlib/kernels/transposed_tiles.hpp"

namespace covec::kernels {

namespace {

constexpr int64_t tile_bytes = 8192;  // of accumulators: they stay in the first-level cache
constexpr int64_t packed_rows = 64;   // rows of a tile that are packed at a time

struct ColumnPlan {
  const GroupPass& pass;
  Axes outer;  // kept axes but the last inner one
  int64_t columns, column_stride;
  int64_t tile, tiles;      // columns per tile
  int64_t part, parts;      // elements of the group per part: a power of two times column_block_rows
  int64_t padded() const {  // bytes of one tile's accumulators
    return (tile * pass.kernel.acc_size + accumulator_padding - 1) / accumulator_padding * accumulator_padding;
  }
  int64_t slots() const { return BlockCounter::slots_for(part / column_block_rows + 1); }
  bool packs() const { return column_stride != 1 && columns > 1; }
  int64_t packed_stride() const { return (tile + 15) / 16 * 16; }
  int64_t packed_bytes() const { return packs() ? packed_rows * packed_stride() * pass.kernel.in_size : 0; }
  ops::Isa isa;
};

void pack_rows(const ColumnPlan& plan, const std::byte* x, int64_t rows, int64_t stride, int64_t width,
               std::byte* packed) {
  if (stride == 1) {
    turn(plan.isa, x, rows, width, plan.column_stride, plan.pass.kernel.in_size, packed, plan.packed_stride());
  } else {
    pack_tile(x, rows, stride, width, plan.column_stride, plan.pass.kernel.in_size, packed, plan.packed_stride());
  }
}

// Adds rows of the group [begin, end) of `width` columns at `x` into an accumulator.
void add_rows(const ColumnPlan& plan, const std::byte* x, int64_t begin, int64_t end, int64_t width, std::byte* packed,
              std::byte* acc) {
  const ReduceKernel& kernel = plan.pass.kernel;
  const int64_t stride = plan.pass.group.last_stride();
  bool fresh = true;
  each_run(plan.pass.group, begin, end, [&](int64_t offset, int64_t, int64_t rows) {
    const std::byte* run = x + offset * kernel.in_size;
    if (!plan.packs()) {
      kernel.column_rows(run, rows, stride, width, acc, fresh);
      fresh = false;
      return;
    }
    for (int64_t r = 0; r < rows; r += packed_rows, fresh = false) {
      const int64_t count = std::min(packed_rows, rows - r);
      pack_rows(plan, run + r * stride * kernel.in_size, count, stride, width, packed);
      kernel.column_rows(packed, count, plan.packed_stride(), width, acc, fresh);
    }
  });
}

// Several whole blocks of few columns from p on, where the layout allows: how many elements of the group that was.
int64_t add_narrow_blocks(const ColumnPlan& plan, const std::byte* x, int64_t p, int64_t end, int64_t width,
                          BlockCounter& counter) {
  const ReduceKernel& kernel = plan.pass.kernel;
  const int64_t together = narrow_together * column_block_rows;
  if (width > kernel.narrow || plan.packs() || plan.pass.group.count != 1 || end - p < together) return 0;
  alignas(64) std::byte acc[narrow_together * accumulator_padding];
  const int64_t stride = plan.pass.group.stride[0];
  kernel.narrow_blocks(x + p * stride * kernel.in_size, column_block_rows, stride, column_block_rows * stride, width,
                       acc);
  for (int64_t i = 0; i < narrow_together; ++i) {
    std::copy_n(acc + i * accumulator_padding, width * kernel.acc_size, counter.next());
    counter.push();
  }
  return together;
}

struct Unit {
  int64_t outer, tile, part;
};
Unit unit_of(const ColumnPlan& plan, int64_t number) {
  return {number / plan.parts / plan.tiles, number / plan.parts % plan.tiles, number % plan.parts};
}

// The accumulators of one unit, in `memory`.
std::byte* fold_unit(const ColumnPlan& plan, const Unit& unit, std::byte* memory) {
  const GroupPass& pass = plan.pass;
  const int64_t first = unit.tile * plan.tile, width = std::min(plan.tile, plan.columns - first);
  const std::byte* x = pass.data + (plan.outer.offset(unit.outer) + first * plan.column_stride) * pass.kernel.in_size;
  BlockCounter counter(pass.kernel, memory, plan.padded(), width);
  std::byte* packed = memory + plan.slots() * plan.padded();
  const int64_t end = std::min(pass.group_count, (unit.part + 1) * plan.part);
  int64_t p = unit.part * plan.part;
  while (const int64_t done = add_narrow_blocks(plan, x, p, end, width, counter)) p += done;
  for (; p < end; p += column_block_rows) {
    add_rows(plan, x, p, std::min(end, p + column_block_rows), width, packed, counter.next());
    counter.push();
  }
  return counter.result();
}

void finish_unit(const ColumnPlan& plan, const Unit& unit, const std::byte* acc) {
  const int64_t first = unit.tile * plan.tile, width = std::min(plan.tile, plan.columns - first);
  const ReduceKernel& kernel = plan.pass.kernel;
  kernel.finish(acc, width, plan.pass.out + (unit.outer * plan.columns + first) * kernel.out_size);
}

int64_t grain_of(const ColumnPlan& plan) {
  return std::max<int64_t>(1, parallel_elements / (plan.tile * std::min(plan.part, plan.pass.group_count)));
}

void whole_columns(ops::Context& context, const ColumnPlan& plan) {
  ScratchSlots slots(context, static_cast<uint64_t>(plan.slots() * plan.padded() + plan.packed_bytes()));
  parallel_units(context, plan.outer.elements() * plan.tiles, grain_of(plan), [&](int64_t begin, int64_t end) {
    const ScratchSlots::Slot slot(slots);
    for (int64_t number = begin; number < end; ++number) {
      const Unit unit = unit_of(plan, number);
      finish_unit(plan, unit, fold_unit(plan, unit, slot.data()));
    }
  });
}

void split_columns(ops::Context& context, const ColumnPlan& plan) {
  const int64_t units = plan.outer.elements() * plan.tiles * plan.parts;
  ScratchSlots slots(context, static_cast<uint64_t>(plan.slots() * plan.padded() + plan.packed_bytes()));
  const Scratch partial(*context.pool, static_cast<uint64_t>(units * plan.padded()));
  parallel_units(context, units, grain_of(plan), [&](int64_t begin, int64_t end) {
    const ScratchSlots::Slot slot(slots);
    for (int64_t number = begin; number < end; ++number) {
      std::copy_n(fold_unit(plan, unit_of(plan, number), slot.data()), plan.padded(),
                  partial.data() + number * plan.padded());
    }
  });
  for (int64_t number = 0; number < units; number += plan.parts) {
    std::byte* acc = partial.data() + number * plan.padded();
    combine_pairwise(plan.pass.kernel, acc, plan.parts, plan.tile, plan.padded());
    finish_unit(plan, unit_of(plan, number), acc);
  }
}

int64_t tile_width(const ops::Context& context, const GroupPass& pass, int64_t columns, int64_t outer) {
  constexpr int64_t narrowest = 64;  // columns of a tile: accumulators of a cache line or more
  int64_t tile = tile_bytes / pass.kernel.acc_size;
  const int64_t wanted =
      context.threads > 1 ? 2 * int64_t{context.threads} : 1;  // units, at least, when the work is large
  const bool large = columns * outer * pass.group_count >= 2 * parallel_elements;
  if (large && outer * (columns / tile) < wanted)
    tile = std::clamp((columns * outer / wanted + 63) / 64 * 64, narrowest, tile);
  return std::min(tile, columns);
}

}  // namespace

void reduce_columns(ops::Context& context, const GroupPass& pass) {
  ColumnPlan plan{pass, pass.outer, pass.inner.last_dim(), pass.inner.last_stride(), 0, 0, 0, 1, context.isa};
  const Axes lead = pass.inner.without_last();
  for (unsigned i = 0; i < lead.count; ++i) plan.outer.push(lead.dim[i], lead.stride[i]);
  const int64_t outer = plan.outer.elements();
  plan.tile = tile_width(context, pass, plan.columns, outer);
  plan.tiles = (plan.columns + plan.tile - 1) / plan.tile;
  plan.part = column_block_rows;
  while (plan.part < pass.group_count) plan.part *= 2;
  const int64_t units = outer * plan.tiles;
  if (context.threads > 1 && units < 2 * int64_t{context.threads}) {
    while (plan.part > 4 * column_block_rows && plan.part * plan.tile > 2 * parallel_elements &&
           pass.group_count / plan.part < 32) {
      plan.part /= 2;
    }
  }
  plan.parts = (pass.group_count + plan.part - 1) / plan.part;
  if (plan.parts > 1) {
    split_columns(context, plan);
  } else {
    whole_columns(context, plan);
  }
}

}  // namespace covec::kernels
