// The pass for a group with the last axis: rows. Contiguous rows go straight to the kernel. A long row is cut at blocks
// for the threads. Rows side by side in memory (a transposed operand) are reduced many at a time. Anything else is
// packed block by block. All give the same bits, since the lane and the block of an element depend only on its
// position.
#include <algorithm>

#include "stdlib/kernels/reduce_plan.hpp"

namespace covec::kernels {

namespace {

void adjacent_rows(ops::Context& context, const GroupPass& pass) {
  const ReduceKernel& kernel = pass.kernel;
  const int64_t n = pass.group_count;
  parallel_units(context, pass.outer_count, std::max<int64_t>(1, parallel_elements / n),
                 [&](int64_t begin, int64_t end) {
                   each_run(pass.outer, begin, end, [&](int64_t offset, int64_t first, int64_t rows) {
                     kernel.rows(pass.data + offset * kernel.in_size, rows, pass.outer.last_stride(), n,
                                 pass.out + (begin + first) * kernel.out_size);
                   });
                 });
}

// Elements [begin, end) of the row at `row` (begin on a block's edge), any strides: one accumulator per lane, into
// `lanes`.
void fold_part(const GroupPass& pass, const std::byte* row, int64_t begin, int64_t end, std::byte* lanes) {
  const ReduceKernel& kernel = pass.kernel;
  if (pass.group.adjacent()) return kernel.blocks(row + begin * kernel.in_size, end - begin, lanes);
  constexpr int64_t block_bytes = rows_per_lane * lane_bytes;  // an element is never larger than its accumulator
  alignas(64) std::byte packed[block_bytes];
  alignas(64) std::byte memory[BlockCounter::max_slots * lane_bytes];
  BlockCounter counter(kernel, memory, lane_bytes, kernel.lanes);
  for (int64_t p = begin; p < end; p += kernel.block()) {
    const int64_t stop = std::min(end, p + kernel.block());
    pack(row, pass.group, p, stop, kernel.in_size, packed);
    kernel.blocks(packed, stop - p, counter.next());
    counter.push();
  }
  std::copy_n(counter.result(), lane_bytes, lanes);
}

void packed_rows(ops::Context& context, const GroupPass& pass) {
  parallel_units(context, pass.outer_count, std::max<int64_t>(1, parallel_elements / pass.group_count),
                 [&](int64_t begin, int64_t end) {
                   alignas(64) std::byte lanes[lane_bytes];
                   for (int64_t r = begin; r < end; ++r) {
                     fold_part(pass, pass.data + pass.outer.offset(r) * pass.kernel.in_size, 0, pass.group_count,
                               lanes);
                     pass.kernel.fold(lanes, 1, pass.out + r * pass.kernel.out_size);
                   }
                 });
}

// Elements per part of a long row: 2^c blocks, so that a part is a whole subtree of the pairs of blocks.
int64_t part_elements(const GroupPass& pass) {
  constexpr int64_t max_parts = 256;  // of a row; beyond, parts become longer
  int64_t part = pass.kernel.block();
  while (part < parallel_elements || pass.group_count / part > max_parts) part *= 2;
  return part;
}

void split_rows(ops::Context& context, const GroupPass& pass, int64_t part) {
  const int64_t parts = (pass.group_count + part - 1) / part;
  const Scratch scratch(*context.pool, static_cast<uint64_t>(pass.outer_count * parts * lane_bytes));
  parallel_units(context, pass.outer_count * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const std::byte* row = pass.data + pass.outer.offset(unit / parts) * pass.kernel.in_size;
      const int64_t first = unit % parts * part;
      fold_part(pass, row, first, std::min(pass.group_count, first + part), scratch.data() + unit * lane_bytes);
    }
  });
  for (int64_t r = 0; r < pass.outer_count; ++r) {
    std::byte* lanes = scratch.data() + r * parts * lane_bytes;
    combine_pairwise(pass.kernel, lanes, parts, pass.kernel.lanes, lane_bytes);
    pass.kernel.fold(lanes, 1, pass.out + r * pass.kernel.out_size);
  }
}

// Rows that lie side by side: element p of `width` of them is one run in memory.
constexpr int64_t side_width = 64;

void fold_side_by_side(const GroupPass& pass, const std::byte* x, int64_t width, std::byte* memory, std::byte* out) {
  const ReduceKernel& kernel = pass.kernel;
  const int64_t n = kernel.lanes * side_width;
  BlockCounter counter(kernel, memory, n * kernel.acc_size, n);
  for (int64_t p = 0; p < pass.group_count; p += kernel.block()) {
    const int64_t rows = std::min(kernel.block(), pass.group_count - p);
    kernel.clear(counter.next(), n);
    each_run(pass.group, p, p + rows, [&](int64_t offset, int64_t first, int64_t run) {
      kernel.lane_rows(x + offset * kernel.in_size, first, run, pass.group.last_stride(), width, counter.next(),
                       side_width);
    });
    counter.push();
  }
  alignas(64) std::byte results[side_width * sizeof(double)];
  kernel.fold(counter.result(), side_width, results);
  std::copy_n(results, width * kernel.out_size, out);
}

void side_by_side_rows(ops::Context& context, const GroupPass& pass) {
  const ReduceKernel& kernel = pass.kernel;
  const int64_t columns = pass.outer.last_dim(), tiles = (columns + side_width - 1) / side_width;
  const Axes outer = pass.outer.without_last();
  const int64_t blocks = pass.group_count / kernel.block() + 1;
  ScratchSlots slots(
      context, static_cast<uint64_t>(BlockCounter::slots_for(blocks) * kernel.lanes * side_width * kernel.acc_size));
  const int64_t grain = std::max<int64_t>(1, parallel_elements / (pass.group_count * side_width));
  parallel_units(context, outer.elements() * tiles, grain, [&](int64_t begin, int64_t end) {
    const ScratchSlots::Slot slot(slots);
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t o = unit / tiles, first = unit % tiles * side_width;
      const std::byte* x = pass.data + (outer.offset(o) + first) * kernel.in_size;
      fold_side_by_side(pass, x, std::min(side_width, columns - first), slot.data(),
                        pass.out + (o * columns + first) * kernel.out_size);
    }
  });
}

}  // namespace

void reduce_lanes(ops::Context& context, const GroupPass& pass) {
  const int64_t part = part_elements(pass);
  const bool long_rows = pass.group_count > part;
  const bool few = pass.outer_count < 4 * int64_t{context.threads};
  const bool cut = few && (context.threads > 1 || !pass.group.adjacent());
  if (long_rows && (cut || pass.group_count > longest_without_look)) {
    return split_rows(context, pass, part);
  }
  if (pass.group.adjacent()) return adjacent_rows(context, pass);
  if (pass.outer.count > 0 && pass.outer.last_stride() == 1 && pass.outer.last_dim() >= 8)
    return side_by_side_rows(context, pass);
  packed_rows(context, pass);
}

}  // namespace covec::kernels
