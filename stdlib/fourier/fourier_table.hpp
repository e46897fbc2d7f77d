// What each instruction set provides for Fourier transforms: one pass of a plan (fourier_plan.hpp), and the steps
// around the passes. All arrays are split: real parts in one, imaginary parts in another. Nothing is fused. Each number
// of a result comes from the same operations whatever the width of a register, so the bits are the same everywhere.
#pragma once

#include <cstdint>

#include "built/isas.hpp"

namespace covec::kernels {

inline constexpr int64_t max_radix = 31;  // prime factors beyond go by Bluestein's algorithm

template <class T>
struct Split {
  T* re;
  T* im;
};
template <class T>
struct ConstSplit {
  const T* re;
  const T* im;
};

// A pass of Stockham's algorithm: of x[radix][groups][run] the transform along the first axis, times the twiddle factor
// e^(-2πi·k·p / (radix·groups)), as y[groups][radix][run]. Where there is one group there are no factors but `scale`.
template <class T>
struct FourierPass {
  int64_t radix, groups, run;
  ConstSplit<T> x;
  Split<T> y;
  ConstSplit<T> twiddles;  // [radix - 1][groups · spread], each `spread` times
  int64_t spread;          // 1, or `run` where that is shorter than a register may be
  ConstSplit<T> roots;     // odd radices: cos and sin of 2πj / radix
  T scale;
};

template <class T>
struct FourierKernels {
  // Groups [begin, end); where there is one, elements [begin, end) of its run. A range is all, or has at least 64
  // elements.
  void (*pass)(const FourierPass<T>&, int64_t begin, int64_t end);
  // z = a·b, or the same with re and im exchanged.
  void (*multiply)(int64_t n, ConstSplit<T> a, ConstSplit<T> b, Split<T> z);
  // z[j] = x[2j] + i·x[2j + 1], and back.
  void (*take_pairs)(int64_t n, const T* x, Split<T> z);
  void (*put_pairs)(int64_t n, ConstSplit<T> z, T* x);
  // The spectrum y of 2h real numbers (h + 1 numbers) from the transform z of their pairs, times `scale`, and z from
  // y; `roots` are cos and sin of 2πk / 2h for k ≤ h / 2. `inner` multiplies what lies between the first and the last.
  void (*spectrum_of_pairs)(int64_t h, ConstSplit<T> z, ConstSplit<T> roots, T scale, T inner, Split<T> y);
  void (*pairs_of_spectrum)(int64_t h, ConstSplit<T> y, ConstSplit<T> roots, T inner, Split<T> z);
};

}  // namespace covec::kernels

COVEC_DECLARE_PER_ISA(const kernels::FourierKernels<float>& fourier_kernels(float);
                      const kernels::FourierKernels<double>& fourier_kernels(double);)
