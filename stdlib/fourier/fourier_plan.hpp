// Plans of Fourier transforms: the passes for a length, and their factors. A plan depends only on the length. A session
// keeps its last plans. Their memory counts against its limit, and they are freed when memory runs short.
#pragma once

#include <memory>
#include <vector>

#include "stdlib/fourier/fourier_table.hpp"
#include "stdlib/tensor/scratch.hpp"
#include "stdlib/value/context.hpp"

namespace covec::kernels {

// The transform of n complex numbers, or of n real ones, an even number of them.
template <class T>
struct FourierPlan {
  struct Pass {
    int64_t radix, groups, run, spread;
    ConstSplit<T> twiddles, roots;
  };
  int64_t n = 0;
  std::vector<Pass> passes;
  // Real: of pairs of numbers. A prime factor above max_radix: Bluestein's algorithm, a convolution of that length.
  std::shared_ptr<const FourierPlan> inner;
  ConstSplit<T> roots;          // real
  ConstSplit<T> chirp, answer;  // Bluestein's: e^(-πi·j²/n), and the transform of its conjugate over the length
  std::vector<Scratch> tables;
  uint64_t bytes = 0;
};

// Throws OpError(out_of_memory), OpError(interrupted).
template <class T>
std::shared_ptr<const FourierPlan<T>> complex_plan(ops::Context& context, int64_t n);
template <class T>
std::shared_ptr<const FourierPlan<T>> real_plan(ops::Context& context, int64_t n);  // even

}  // namespace covec::kernels
