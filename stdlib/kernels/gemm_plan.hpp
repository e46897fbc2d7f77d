// How one product is cut: tiles of rows, panels of columns, blocks of k. Private to gemm_*.cpp.
#pragma once

#include <algorithm>

#include "stdlib/kernels/gemm.hpp"

namespace covec::kernels {

const GemmKernel& gemm_kernel_for(ops::Isa isa, Dtype dtype);  // gemm.cpp

// A range cut into `pieces` nearly equal parts: part i is [at(i), at(i + 1)).
struct Cut {
  int64_t length, pieces;
  static Cut into(int64_t length, int64_t most) { return {length, std::max<int64_t>(1, (length + most - 1) / most)}; }
  int64_t at(int64_t i) const { return i * length / pieces; }
};

inline constexpr int64_t parallel_multiplications = int64_t{1}
                                                    << 19;  // below, waking a thread costs more than it brings
inline constexpr size_t small_bytes = size_t{1} << 17;   // an operand that stays in the second-level cache as it lies
inline constexpr size_t medium_bytes = size_t{1} << 20;  // one that mostly does
inline constexpr size_t max_packed_bytes = size_t{1} << 25;  // of the right operand at a time

struct GemmPlan {
  const GemmKernel& kernel;
  Product p;
  Cut rows;     // tiles of rows
  Cut vectors;  // panels of columns, in vectors
  bool packs_b, packs_a;
  const ops::Context& context;             // for looks at the interrupt flag
  const FinishedRows* finished = nullptr;  // who is told of rows; their tiles are then shared out, not columns

  GemmPlan(const ops::Context& context, const GemmKernel& kernel, const Product& product);
  int64_t columns_at(int64_t panel) const { return std::min(p.n, vectors.at(panel) * kernel.width); }
  // Of the packed right operand, if all of it is packed at once.
  uint64_t packed_bytes() const {
    return packs_b ? static_cast<uint64_t>(p.k * vectors.length * kernel.width) * kernel.size : 0;
  }
  // Tiles of a group of rows, whose part of the left operand stays in the second-level cache.
  int64_t group_tiles() const { return std::clamp<int64_t>(192 / kernel.tile_rows, 1, rows.pieces); }
  // Packed rows of the left operand lie in packs of a few tiles, each as wide as vectors are; one group per thread.
  int64_t pack_width() const { return (kernel.tile_rows + kernel.width - 1) / kernel.width * kernel.width; }
  int64_t pack_tiles() const { return pack_width() / kernel.tile_rows; }
  int64_t packs(int64_t tiles) const { return (tiles + pack_tiles() - 1) / pack_tiles(); }
  uint64_t group_bytes() const {
    return packs_a ? static_cast<uint64_t>(packs(group_tiles()) * pack_width() * product_block) * kernel.size : 0;
  }
};

// A part of the right operand, packed: k in [k_begin, k_end), all columns of the plan. Panels of one block of k follow
// each other.
struct PackedColumns {
  std::byte* data;
  int64_t k_begin, k_end;
  const std::byte* panel(const GemmPlan& plan, int64_t k, int64_t index) const;
};

}  // namespace covec::kernels
