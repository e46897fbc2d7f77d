// Reads transposed operands in tiles (x + y.T). Along the result's rows, each element of such an operand lies in
// another cache line. So the result is made tile by tile, some rows by some columns. The operand's lines are read whole
// and transposed in registers. Start at TransposedTiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "stdlib/kernels/strided.hpp"
#include "stdlib/value/context.hpp"

namespace covec::kernels {

// to[r · to_stride + c] = from[c · column_stride + r]; to_stride is a multiple of 16, and what lies between the columns
// and the stride may be written.
void turn(ops::Isa isa, const std::byte* from, int64_t rows, int64_t columns, int64_t column_stride, size_t size,
          std::byte* to, int64_t to_stride);

// A result of so many bytes that is made in tiles is written past the cache: its lines, some here and some there,
// would be read before they are written, and where its rows lie a power of two apart they would drive each other out.
inline constexpr size_t past_cache_from = size_t{8} << 20;

// `bytes` of `from` to `to`; past the cache where both are whole cache lines. On each thread whoever waits for it sees
// what it has written after written_past_cache.
void write_past_cache(std::byte* to, const std::byte* from, size_t bytes);
void written_past_cache();

struct TransposedTile {
  int64_t at;  // its first element, as numbered in the result
  int64_t rows, columns;
  int64_t stride() const { return (columns + 15) / 16 * 16; }  // of it when transposed
};

inline constexpr size_t tile_bytes = 8192;   // of one when transposed: they lie on the stack
inline constexpr int64_t tile_columns = 64;  // elements along a row of the result
constexpr int64_t tile_rows(size_t size) {   // a cache line
  return static_cast<int64_t>(tile_bytes / size / static_cast<size_t>(tile_columns));
}

// Whether an operand with such strides along the (merged) axes of the result is read transposed.
inline bool is_transposed(const int64_t* dims, const int64_t* strides, unsigned axes) {
  constexpr int64_t least = 8;  // elements along each axis; below, a tile is not worth it
  return axes >= 2 && strides[axes - 1] != 0 && strides[axes - 1] != 1 && strides[axes - 2] == 1 &&
         dims[axes - 2] >= least && dims[axes - 1] >= least;
}

// How a result is cut: rows of `row` elements, of which `above` lie along one axis.
struct TransposedTiles {
  int64_t row = 0, above = 0, rows = 0;  // rows: in all
  int64_t most = 1;                      // of a square
  int64_t across() const { return (row + tile_columns - 1) / tile_columns; }
  int64_t down() const { return (above + most - 1) / most; }  // along the axis
  int64_t count() const { return rows / above * down() * across(); }
  TransposedTile at(int64_t i) const {
    const int64_t column = i % across() * tile_columns, block = i / across();
    const int64_t first = block % down() * most, r = block / down() * above + first;
    return {r * row + column, std::min(most, above - first), std::min(tile_columns, row - column)};
  }
};

// parallel_for over tiles; `grain`: elements.
template <class F>
void parallel_tiles(ops::Context& context, int64_t tiles, int64_t grain, F&& body) {
  constexpr int64_t typical = tile_columns * tile_rows(sizeof(float));
  parallel_units(context, tiles, std::max<int64_t>(1, grain / typical), body);
}

}  // namespace covec::kernels
