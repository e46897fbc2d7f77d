// Kernels over the rows of a dense matrix, which each instruction set provides. Reductions to condensed forms spend
// half of their time here, waiting for memory. A sum of products is held in 64 bytes of lanes: element j is in lane j
// modulo their number. The lanes are added pairwise by halves. A multiplication and an addition round each. So the bits
// are the same everywhere.
#pragma once

#include <cstdint>

#include "built/isas.hpp"

namespace covec::kernels {

template <class T>
struct DenseRows {
  // Rows of n adjacent numbers, `stride` apart.
  // dots[r] = row r · x
  void (*dots)(const T* a, int64_t stride, int64_t rows, int64_t n, const T* x, T* dots);
  // y += Σ_r factors[r]·row r, row after row
  void (*add_rows)(const T* a, int64_t stride, int64_t rows, int64_t n, const T* factors, T* y);
  // row r += factors[r]·x
  void (*add_to_rows)(T* a, int64_t stride, int64_t rows, int64_t n, const T* factors, const T* x);
  // y += A·x of what rows [0, rows) of a symmetric n × n matrix hold: their elements right of the diagonal count twice,
  // and nothing left of it is read.
  void (*symmetric)(const T* a, int64_t stride, int64_t rows, int64_t n, const T* x, T* y);
};

}  // namespace covec::kernels

COVEC_DECLARE_PER_ISA(const kernels::DenseRows<float>& dense_rows(float);
                      const kernels::DenseRows<double>& dense_rows(double);)
