// The passes over elements that are computed on demand. Short rows go many at a time; long rows go block by block, cut
// into parts for the threads. Columns go in tiles of neighbours, and in parts along them. Blocks and pairs of blocks
// are those of reduce_lanes.cpp and reduce_columns.cpp. Start at reduce_producer().
#include "stdlib/kernels/reduce_producer.hpp"

#include <algorithm>

#include "stdlib/kernels/reduce_plan.hpp"

namespace covec::kernels {

namespace {

constexpr int64_t cache_bytes = rows_per_lane * lane_bytes;  // of elements computed at a time
constexpr int64_t tile_bytes = 8192;                         // of columns' accumulators

struct Pass {
  ops::Context& context;
  const ReduceKernel& kernel;
  const Producer& x;
  std::byte* out;
  int64_t together() const { return cache_bytes / kernel.in_size; }
  int64_t parallel() const { return std::max<int64_t>(4096, parallel_elements / x.weight); }  // elements for a thread
  void make(int64_t begin, int64_t end, std::byte* to) const { x.make(begin, end, to); }
};

// --- the last axes are reduced ---

void short_rows(const Pass& pass) {
  const int64_t n = pass.x.reduced, rows = std::max<int64_t>(1, pass.together() / n);
  parallel_units(pass.context, pass.x.kept, std::max<int64_t>(1, pass.parallel() / n), [&](int64_t begin, int64_t end) {
    alignas(64) std::byte made[cache_bytes];
    for (int64_t r = begin; r < end; r += rows) {
      const int64_t count = std::min(rows, end - r);
      pass.make(r * n, (r + count) * n, made);
      pass.kernel.rows(made, count, n, n, pass.out + r * pass.kernel.out_size);
    }
  });
}

// Elements [begin, end) of the operand, which begin with a block of a row: one accumulator per lane.
void fold_part(const Pass& pass, int64_t begin, int64_t end, std::byte* lanes) {
  const ReduceKernel& kernel = pass.kernel;
  alignas(64) std::byte made[cache_bytes];
  alignas(64) std::byte memory[BlockCounter::max_slots * lane_bytes];
  BlockCounter counter(kernel, memory, lane_bytes, kernel.lanes);
  for (int64_t p = begin; p < end; p += kernel.block()) {
    const int64_t stop = std::min(end, p + kernel.block());
    pass.make(p, stop, made);
    kernel.blocks(made, stop - p, counter.next());
    counter.push();
  }
  std::copy_n(counter.result(), lane_bytes, lanes);
}

// A part is 2^c blocks: a whole subtree of the pairs of blocks.
int64_t part_elements(const Pass& pass) {
  constexpr int64_t max_parts = 256;  // of a row; beyond, parts become longer
  const int64_t n = pass.x.reduced;
  int64_t part = pass.kernel.block();
  if (pass.context.threads <= 1 || pass.x.kept >= 4 * int64_t{pass.context.threads}) {
    while (part < n) part *= 2;
  }
  while (part < pass.parallel() || n / part > max_parts) part *= 2;
  return part;
}

void long_rows(const Pass& pass) {
  const int64_t n = pass.x.reduced, part = part_elements(pass), parts = (n + part - 1) / part;
  const Scratch scratch(*pass.context.pool, static_cast<uint64_t>(pass.x.kept * parts * lane_bytes));
  const int64_t grain = std::max<int64_t>(1, pass.parallel() / std::min(part, n));
  parallel_units(pass.context, pass.x.kept * parts, grain, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t row = unit / parts * n, first = unit % parts * part;
      fold_part(pass, row + first, row + std::min(n, first + part), scratch.data() + unit * lane_bytes);
    }
  });
  for (int64_t r = 0; r < pass.x.kept; ++r) {
    std::byte* lanes = scratch.data() + r * parts * lane_bytes;
    combine_pairwise(pass.kernel, lanes, parts, pass.kernel.lanes, lane_bytes);
    pass.kernel.fold(lanes, 1, pass.out + r * pass.kernel.out_size);
  }
}

// --- the first axes are reduced ---

struct Columns {
  const Pass& pass;
  int64_t tile, tiles, part, parts;
  int64_t padded() const {
    return (tile * pass.kernel.acc_size + accumulator_padding - 1) / accumulator_padding * accumulator_padding;
  }
  int64_t slots() const { return BlockCounter::slots_for(part / column_block_rows + 1); }
};

// `rows` rows of `width` columns, from row p on, into an accumulator: as many at a time as the cache holds.
void add_rows(const Columns& columns, int64_t p, int64_t end, int64_t first, int64_t width, std::byte* made,
              std::byte* acc) {
  const Pass& pass = columns.pass;
  const ReduceKernel& kernel = pass.kernel;
  const int64_t all = pass.x.kept, together = std::max<int64_t>(1, pass.together() / width);
  bool fresh = true;
  for (; p < end; p += together, fresh = false) {
    const int64_t rows = std::min(together, end - p);
    if (width == all) {
      pass.make(p * all, (p + rows) * all, made);
    } else {
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t begin = (p + r) * all + first;
        pass.make(begin, begin + width, made + r * width * kernel.in_size);
      }
    }
    kernel.column_rows(made, rows, width, width, acc, fresh);
  }
}

std::byte* fold_unit(const Columns& columns, int64_t unit, std::byte* memory) {
  const Pass& pass = columns.pass;
  const int64_t first = unit / columns.parts * columns.tile, width = std::min(columns.tile, pass.x.kept - first);
  const int64_t begin = unit % columns.parts * columns.part, end = std::min(pass.x.reduced, begin + columns.part);
  alignas(64) std::byte made[cache_bytes];
  BlockCounter counter(pass.kernel, memory, columns.padded(), width);
  for (int64_t p = begin; p < end; p += column_block_rows) {
    add_rows(columns, p, std::min(end, p + column_block_rows), first, width, made, counter.next());
    counter.push();
  }
  return counter.result();
}

// Tiles as wide as the cache holds; parts of whole blocks where tiles are fewer than threads.
Columns plan_columns(const Pass& pass) {
  Columns columns{pass, std::min<int64_t>(pass.x.kept, tile_bytes / pass.kernel.acc_size), 0, column_block_rows, 0};
  columns.tiles = (pass.x.kept + columns.tile - 1) / columns.tile;
  const bool split = pass.context.threads > 1 && columns.tiles < 2 * int64_t{pass.context.threads};
  while (columns.part < pass.x.reduced &&
         (!split || columns.part * columns.tile < pass.parallel() || pass.x.reduced / columns.part > 64)) {
    columns.part *= 2;
  }
  columns.parts = (pass.x.reduced + columns.part - 1) / columns.part;
  return columns;
}

void columns_of(const Pass& pass) {
  const Columns columns = plan_columns(pass);
  const int64_t units = columns.tiles * columns.parts, padded = columns.padded();
  const Scratch partial(*pass.context.pool, static_cast<uint64_t>(units * padded));
  ScratchSlots slots(pass.context, static_cast<uint64_t>(columns.slots() * padded));
  const int64_t grain = std::max<int64_t>(1, pass.parallel() / (columns.tile * std::min(columns.part, pass.x.reduced)));
  parallel_units(pass.context, units, grain, [&](int64_t begin, int64_t end) {
    const ScratchSlots::Slot slot(slots);
    for (int64_t unit = begin; unit < end; ++unit) {
      std::copy_n(fold_unit(columns, unit, slot.data()), padded, partial.data() + unit * padded);
    }
  });
  for (int64_t tile = 0; tile < columns.tiles; ++tile) {
    const int64_t first = tile * columns.tile, width = std::min(columns.tile, pass.x.kept - first);
    std::byte* acc = partial.data() + tile * columns.parts * padded;
    combine_pairwise(pass.kernel, acc, columns.parts, width, padded);
    pass.kernel.finish(acc, width, pass.out + first * pass.kernel.out_size);
  }
}

}  // namespace

void reduce_producer(ops::Context& context, ReduceKind kind, const Producer& x, void* out) {
  const Pass pass{context, reduce_kernel_for(context.isa, kind, x.dtype), x, static_cast<std::byte*>(out)};
  if (!x.last_axis) return columns_of(pass);
  if (x.reduced <= pass.kernel.block() && x.kept > 1) return short_rows(pass);
  long_rows(pass);
}

}  // namespace covec::kernels
