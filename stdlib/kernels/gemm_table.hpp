// What each instruction set provides for products. Tiles compute elements as chains of fused multiply-adds along k, at
// most one block of k long. Copies bring operands into the layout that tiles need. The planning is in gemm.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "built/isas.hpp"
#include "stdlib/value/compute.hpp"

namespace covec::kernels {

inline constexpr int64_t product_block = 512;  // of k: one chain each, added in order

// What happens to a finished chain: it becomes the result, is added to it, or is subtracted from it.
enum class Store : uint8_t { replace, add, subtract };

struct Tile {
  int64_t k;  // ≤ product_block
  const void* a;
  int64_t a_row, a_k;  // in elements; a(i, t) = a[i·a_row + t·a_k]
  const void* b;
  int64_t b_k;  // b(t, j) = b[t·b_k + j]
  void* c;
  int64_t c_row;  // c(i, j) = c[i·c_row + j]
  int64_t rows, columns;
  Store store;
  // What will be multiplied next, brought nearer meanwhile: an address for each t, `ahead_step` bytes apart.
  const std::byte* ahead = nullptr;
  int64_t ahead_step = 0;
};

struct GemmKernel {
  uint8_t size;          // of an element
  uint8_t tile_rows;     // most rows of a tile
  uint8_t tile_vectors;  // most vectors of columns
  uint8_t width;         // elements of a vector
  int64_t tile_columns() const { return int64_t{tile_vectors} * width; }

  // rows ≤ tile_rows, columns ≤ tile_columns()
  void (*tile)(const Tile& tile);
  // to[t · padded + j] = b[t · b_k + j · b_column], j < columns; zero up to padded, a multiple of width.
  void (*pack)(const void* b, int64_t b_k, int64_t b_column, int64_t k, int64_t columns, int64_t padded, void* to);
  // Vectors of results for one vector x: c[j] (+)= Σ_t x[t·x_k] · b(t, j). rows_of_k: b's columns are adjacent
  // (b_column = 1); columns_of_k: its rows are (b_k = 1). k ≤ product_block.
  void (*rows_of_k)(int64_t k, const void* x, int64_t x_k, const void* b, int64_t b_k, int64_t columns, void* c,
                    Store store);
  void (*columns_of_k)(int64_t k, const void* x, int64_t x_k, const void* b, int64_t b_column, int64_t columns, void* c,
                       Store store);
  // One result: the chains of consecutive blocks, several at a time, added in order.
  void (*dot)(int64_t k, const void* a, int64_t a_k, const void* b, int64_t b_k, void* c);
  // c[j] = d · b[j] + 0, of floats (integers: nullptr); whether all of it is finite, and no product has become 0.
  bool (*scaled_row)(const void* d, const void* b, int64_t columns, void* c);
};

}  // namespace covec::kernels

// nullptr for bool.
COVEC_DECLARE_PER_ISA(const kernels::GemmKernel* gemm_kernel(Compute compute);)
