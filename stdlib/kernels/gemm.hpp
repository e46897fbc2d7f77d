// Products of strided matrices in the language's order: k in blocks of 512, a block one chain of fused multiply-adds
// from zero, blocks added in order. The bits depend on k and the numbers alone: any tiling, packing, threading and
// batching gives the same.
#pragma once

#include "stdlib/kernels/gemm_table.hpp"
#include "stdlib/kernels/strided.hpp"

namespace covec::kernels {

// Strides count elements and may be 0 or negative.
struct Matrix {
  const std::byte* data;
  int64_t row, column;
};

// c(i, j) = Σ_t a(i, t)·b(t, j): m × n from m × k and k × n. The rows of c are adjacent elements, c_row apart. dtype is
// i32, i64, f32 or f64.
struct Product {
  Dtype dtype;
  int64_t m, n, k;
  Matrix a, b;
  std::byte* c;
  int64_t c_row;
  bool subtracts = false;  // c −= the product, block by block; not of two vectors (m = n = 1)
  Store store_at(int64_t t) const { return subtracts ? Store::subtract : t == 0 ? Store::replace : Store::add; }
};

// Many products of one size: axes along which the operands (and the result) move on.
struct ProductBatch {
  unsigned count = 0;
  int64_t dim[max_rank], a[max_rank], b[max_rank], c[max_rank];
  void push(int64_t d, int64_t sa, int64_t sb, int64_t sc) {
    dim[count] = d, a[count] = sa, b[count] = sb, c[count] = sc;
    ++count;
  }
};

void multiply(ops::Context& context, const Product& product, const ProductBatch& batch = {});

// Whoever goes on with the rows of a product is told of them while they lie in a near cache: some(state, begin, end),
// once for each row, from any of the session's threads.
struct FinishedRows {
  void (*some)(void* state, int64_t begin, int64_t end);
  void* state;
};
// One product; false where its rows are not finished one after the other, and nobody has been told of any.
bool multiply_by_rows(ops::Context& context, const Product& product, const FinishedRows& finished);

}  // namespace covec::kernels
