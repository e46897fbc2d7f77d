// Kernels over all pairs of a point of `a` and a point of `b`, which each instruction set provides. Points of b are
// packed in blocks, so that the lanes of a register are neighbouring points: what belongs to a pair is summed over the
// coordinates in their order. Sums over points of b are held in a block's lanes, which are added pairwise by halves. So
// the bits are the same everywhere.
#pragma once

#include <cstdint>

#include "built/isas.hpp"

namespace covec::kernels {

inline constexpr int64_t block_bytes = 64;  // of one coordinate of a block of points
template <class T>
inline constexpr int64_t points_of_block = block_bytes / static_cast<int64_t>(sizeof(T));
template <class T>
constexpr int64_t blocks_of(int64_t points) {
  return (points + points_of_block<T> - 1) / points_of_block<T>;
}

// Some points of a, and neighbouring ones of b from the first of a block on. Matrices of pairs have a row for each
// point of a, `stride` apart.
template <class T>
struct PointPairs {
  int64_t columns;  // coordinates of a point
  const T* a;
  int64_t rows;
  const T* b;  // packed
  int64_t count;
  int64_t stride;
};

// A matrix of pairs, or one number for all of them, which `step` 0 says.
template <class T>
struct Cotangents {
  const T* data;
  int64_t step;
  Cotangents from(int64_t pair) const { return {data + pair * step, step}; }
  T at(int64_t pair) const { return data[pair * step]; }
};

template <class T>
struct DistanceKernels {
  // A block of `count` points: to[k · points_of_block + j] is coordinate k of point j. The last one fills it up.
  void (*pack)(const T* points, int64_t count, int64_t columns, T* to);
  // out(i, j) = √Σ_k (a(i, k) − b(j, k))², without overflow
  void (*distances)(const PointPairs<T>& pairs, T* out);
  // out(i, j) = Σ_k (a(i, k) − b(j, k))·(c(i, k) − e(j, k)), where c and e lie as a and b do
  void (*products)(const PointPairs<T>& pairs, const T* c, const T* e, T* out);
  // With w(i, j) = g(i, j)/d(i, j), or 0 where d is 0: out(i, k) += Σ_j w(i, j)·(a(i, k) − b(j, k))
  void (*pull_a)(const PointPairs<T>& pairs, const Cotangents<T>& g, const T* d, T* out);
  // The same by b, packed: out(j, k) += Σ_i w(i, j)·(b(j, k) − a(i, k))
  void (*pull_b)(const PointPairs<T>& pairs, const Cotangents<T>& g, const T* d, T* out);
};

}  // namespace covec::kernels

COVEC_DECLARE_PER_ISA(const kernels::DistanceKernels<float>& distance_kernels(float);
                      const kernels::DistanceKernels<double>& distance_kernels(double);)
