// Plans argmax and argmin. There is one right answer, so any traversal works. It goes along runs if the reduced
// elements are adjacent, and across columns if the kept ones are; else it packs. One long row is cut into parts, whose
// best elements are compared in order.
#include <algorithm>

#include "stdlib/kernels/reduce_plan.hpp"

namespace covec::kernels {

namespace {

// Elements of a part for a thread, and elements packed at a time (16 KiB of f64).
constexpr int64_t part_elements = 65536, packed_elements = 2048;

struct ArgPass {
  const ArgKernel& kernel;
  bool smallest;
  const std::byte* data;
  Axes kept, group;
  int64_t results, n;
  int64_t* out;
};

const ArgKernel& kernel_for(ops::Isa isa, bool smallest, Dtype dtype) {
  static constexpr ops::PerIsa<const ArgKernel*(bool, Compute)> kernels = COVEC_PER_ISA(arg_kernel);
  return *kernels[isa](smallest, compute_of(dtype));
}

void search_part(const ArgPass& pass, const std::byte* row, int64_t begin, int64_t end, ArgState& state) {
  const size_t size = pass.kernel.in_size;
  if (pass.group.adjacent()) return pass.kernel.row(row + begin * size, end - begin, begin, &state);
  alignas(64) std::byte packed[packed_elements * sizeof(double)];
  for (int64_t p = begin; p < end; p += packed_elements) {
    const int64_t stop = std::min(end, p + packed_elements);
    pack(row, pass.group, p, stop, size, packed);
    pass.kernel.row(packed, stop - p, p, &state);
  }
}

void search_rows(ops::Context& context, const ArgPass& pass) {
  parallel_units(context, pass.results, std::max<int64_t>(1, parallel_elements / pass.n),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t r = begin; r < end; ++r) {
                     ArgState state;
                     search_part(pass, pass.data + pass.kept.offset(r) * pass.kernel.in_size, 0, pass.n, state);
                     pass.out[r] = state.position;
                   }
                 });
}

void search_long_rows(ops::Context& context, const ArgPass& pass) {
  const int64_t parts = (pass.n + part_elements - 1) / part_elements;
  const Scratch scratch(*context.pool, static_cast<uint64_t>(pass.results * parts) * sizeof(ArgState));
  ArgState* states = reinterpret_cast<ArgState*>(scratch.data());
  parallel_units(context, pass.results * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = unit % parts * part_elements;
      ArgState state;
      search_part(pass, pass.data + pass.kept.offset(unit / parts) * pass.kernel.in_size, first,
                  std::min(pass.n, first + part_elements), state);
      states[unit] = state;
    }
  });
  for (int64_t r = 0; r < pass.results; ++r) {
    ArgState best = states[r * parts];
    for (int64_t i = 1; i < parts; ++i) {
      const ArgState& other = states[r * parts + i];
      if (pass.smallest ? other.key < best.key : other.key > best.key) best = other;
    }
    pass.out[r] = best.position;
  }
}

// The kept axis of stride 1 lies across the search: its columns side by side.
void search_columns(ops::Context& context, const ArgPass& pass) {
  constexpr int64_t tile = 256;  // columns: 2 KiB of keys on the stack
  const int64_t columns = pass.kept.last_dim(), tiles = (columns + tile - 1) / tile;
  const Axes outer = pass.kept.without_last();
  const size_t size = pass.kernel.in_size;
  const int64_t grain = std::max<int64_t>(1, parallel_elements / (pass.n * std::min(columns, tile)));
  parallel_units(context, outer.elements() * tiles, grain, [&](int64_t begin, int64_t end) {
    int64_t keys[tile];
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t o = unit / tiles, first = unit % tiles * tile, width = std::min(tile, columns - first);
      each_run(pass.group, 0, pass.n, [&](int64_t offset, int64_t position, int64_t rows) {
        pass.kernel.columns(pass.data + (outer.offset(o) + first + offset) * size, rows, pass.group.last_stride(),
                            width, position, keys, pass.out + o * columns + first);
      });
    }
  });
}

// Short rows, many at a time: transposed, so that they lie side by side.
void search_short_rows(ops::Context& context, const ArgPass& pass) {
  constexpr int64_t most = 256, least = 8;  // rows
  constexpr size_t bytes = 16384;           // of transposed rows: half of a 32 KiB first-level cache
  const size_t size = pass.kernel.in_size;
  const int64_t tile = std::clamp(static_cast<int64_t>(bytes / size) / pass.n / least * least, least, most);
  const int64_t tiles = (pass.results + tile - 1) / tile;
  parallel_units(context, tiles, std::max<int64_t>(1, parallel_elements / (pass.n * tile)),
                 [&](int64_t begin, int64_t end) {
                   alignas(64) std::byte transposed[bytes];
                   int64_t keys[most];
                   for (int64_t unit = begin; unit < end; ++unit) {
                     const int64_t first = unit * tile, width = std::min(tile, pass.results - first);
                     each_run(pass.kept, first, first + width, [&](int64_t row, int64_t at, int64_t rows) {
                       each_run(pass.group, 0, pass.n, [&](int64_t offset, int64_t position, int64_t n) {
                         pack_tile(pass.data + (row + offset) * size, n, pass.group.last_stride(), rows,
                                   pass.kept.last_stride(), size, transposed + (position * tile + at) * size, tile);
                       });
                     });
                     pass.kernel.columns(transposed, pass.n, tile, width, 0, keys, pass.out + first);
                   }
                 });
}

}  // namespace

void arg_reduce(ops::Context& context, bool smallest, const StridedInput& x, uint32_t axes, int64_t* out) {
  ArgPass pass{kernel_for(context.isa, smallest, x.dtype), smallest, x.data, {}, {}, 0, 0, out};
  for (unsigned i = 0; i < x.rank; ++i) {
    ((axes >> i) & 1 ? pass.group : pass.kept).push_merged(x.dims[i], x.strides[i]);
  }
  pass.results = pass.kept.elements();
  pass.n = pass.group.elements();
  if (pass.results == 0) return;
  const bool cut = pass.results < 4 * int64_t{context.threads} || pass.n > longest_without_look;
  if (pass.n > part_elements && cut) return search_long_rows(context, pass);
  const bool side_by_side = pass.kept.count > 0 && pass.kept.last_stride() == 1 && pass.kept.last_dim() >= 8;
  if (!pass.group.adjacent() && side_by_side) return search_columns(context, pass);
  constexpr int64_t short_row = 32, few_rows = 8;  // elements of a row, rows
  if (pass.n < short_row && pass.results >= few_rows) return search_short_rows(context, pass);
  search_rows(context, pass);
}

}  // namespace covec::kernels
