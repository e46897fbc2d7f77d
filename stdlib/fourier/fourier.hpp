// Discrete Fourier transforms of rows of numbers, with real and imaginary parts in separate arrays. It uses radices 8,
// 4, 2 and odd primes up to 31, and Bluestein's algorithm for other lengths. The bits of a row depend only on its
// numbers and its length. Why no library: libraries choose their plans and their fused operations by the machine. Start
// at Transform of fourier.cpp; fourier_plan.hpp has the plans, isa/fourier.cpp the passes.
#pragma once

#include "stdlib/fourier/fourier_table.hpp"
#include "stdlib/value/context.hpp"

namespace covec::kernels {

// y = scale · Σ_j x[j]·e^(-2πi·jk/n) of each row of n ≥ 1 numbers. Its inverse: both with their parts exchanged.
template <class T>
void transform(ops::Context& context, int64_t n, int64_t rows, ConstSplit<T> x, Split<T> y, T scale);

// The same of real numbers, k ≤ n / 2. What lies strictly between 0 and n/2 is multiplied by `inner`, 1 or 2.
template <class T>
void transform_real(ops::Context& context, int64_t n, int64_t rows, const T* x, Split<T> y, T scale, T inner);

// x = scale · Re Σ_k w·y[k]·e^(2πi·jk/n), k ≤ n / 2 and w = 2·inner strictly between 0 and n/2, otherwise 1; `inner` is
// 1 or ½.
template <class T>
void transform_to_real(ops::Context& context, int64_t n, int64_t rows, ConstSplit<T> y, T* x, T scale, T inner);

}  // namespace covec::kernels
