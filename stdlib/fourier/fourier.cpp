#include "stdlib/fourier/fourier.hpp"

#include <algorithm>
#include <bit>

#include "stdlib/fourier/fourier_plan.hpp"
#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/strided.hpp"

namespace covec::kernels {

namespace {

constexpr int64_t long_row = 1 << 16;   // numbers: one that all threads share
constexpr int64_t chunk = 1 << 13;      // of a pass, at least
constexpr int64_t least_elements = 64;  // of a range of a pass

template <class T>
const FourierKernels<T>& kernels_for(const ops::Context& context) {
  static constexpr ops::PerIsa<const FourierKernels<T>&(T)> kernels = COVEC_PER_ISA(fourier_kernels);
  return kernels[context.isa](T());
}

template <class T>
ConstSplit<T> read(Split<T> x) {
  return {x.re, x.im};
}
template <class T>
ConstSplit<T> exchanged(ConstSplit<T> x) {
  return {x.im, x.re};
}
template <class T>
Split<T> exchanged(Split<T> x) {
  return {x.im, x.re};
}

// Parts of scratch memory do not lie a power of two apart, or all streams of a pass would want the same lines of the
// cache.
template <class T>
int64_t apart(int64_t n) {
  constexpr int64_t line = 64 / sizeof(T);  // elements of a cache line, which has 64 bytes on x86-64
  return (n + line - 1) / line * line + 9 * line;
}
template <class T>
Split<T> carve(T*& scratch, int64_t n) {
  T* const at = scratch;
  scratch += 2 * apart<T>(n);
  return {at, at + apart<T>(n)};
}

// One row after another, in scratch memory of its own.
template <class T>
class Transform {
 public:
  // `alone`: on the calling thread, which may ask others.
  Transform(ops::Context& context, bool alone)
      : context_(context), kernels_(kernels_for<T>(context)), polls_(context), alone_(alone) {}

  static int64_t scratch_of(const FourierPlan<T>& plan) {
    if (!plan.inner) return 2 * apart<T>(plan.n);
    return 4 * apart<T>(plan.inner->n) + scratch_of(*plan.inner);
  }

  void complex(const FourierPlan<T>& plan, ConstSplit<T> x, Split<T> y, T scale, T* scratch) {
    if (plan.inner) return by_convolution(plan, x, y, scale, scratch);
    if (plan.passes.empty()) {
      y.re[0] = x.re[0] * scale;
      y.im[0] = x.im[0] * scale;
      return;
    }
    const Split<T> other = carve(scratch, plan.n);
    size_t left = plan.passes.size();
    for (const auto& pass : plan.passes) {
      const Split<T> to = --left % 2 == 0 ? y : other;
      if (!run({pass.radix, pass.groups, pass.run, x, to, pass.twiddles, pass.spread, pass.roots, scale})) return;
      x = read(to);
    }
  }

  void real(const FourierPlan<T>& plan, const T* x, Split<T> y, T scale, T inner, T* scratch) {
    const int64_t h = plan.n / 2;
    const Split<T> pairs = carve(scratch, h), z = carve(scratch, h);
    kernels_.take_pairs(h, x, pairs);
    complex(*plan.inner, read(pairs), z, 1, scratch);
    kernels_.spectrum_of_pairs(h, read(z), plan.roots, scale, inner, y);
  }
  void to_real(const FourierPlan<T>& plan, ConstSplit<T> y, T* x, T scale, T inner, T* scratch) {
    const int64_t h = plan.n / 2;
    const Split<T> pairs = carve(scratch, h), z = carve(scratch, h);
    kernels_.pairs_of_spectrum(h, y, plan.roots, inner, pairs);
    complex(*plan.inner, exchanged(read(pairs)), exchanged(z), scale, scratch);
    kernels_.put_pairs(h, read(z), x);
  }

  // Odd lengths, as complex numbers.
  static int64_t scratch_of_odd(const FourierPlan<T>& plan) { return 4 * apart<T>(plan.n) + scratch_of(plan); }
  void odd_real(const FourierPlan<T>& plan, const T* x, Split<T> y, T scale, T inner, T* scratch) {
    const int64_t n = plan.n, h = n / 2;
    const Split<T> zeros = carve(scratch, n), z = carve(scratch, n);
    std::fill_n(zeros.im, n, T(0));
    complex(plan, {x, zeros.im}, z, scale, scratch);
    y.re[0] = z.re[0];
    y.im[0] = 0;
    for (int64_t k = 1; k <= h; ++k) y.re[k] = z.re[k] * inner, y.im[k] = z.im[k] * inner;
  }
  void odd_to_real(const FourierPlan<T>& plan, ConstSplit<T> y, T* x, T scale, T inner, T* scratch) {
    const int64_t n = plan.n, h = n / 2;
    const Split<T> whole = carve(scratch, n), z = carve(scratch, n);
    whole.re[0] = y.re[0];
    whole.im[0] = 0;
    for (int64_t k = 1; k <= h; ++k) {
      whole.re[k] = whole.re[n - k] = y.re[k] * inner;
      whole.im[k] = y.im[k] * inner;
      whole.im[n - k] = -whole.im[k];
    }
    complex(plan, exchanged(read(whole)), {z.im, x}, scale, scratch);
  }

  // Whether to end, without having done all.
  bool stop(int64_t operations) { return polls_.stop(operations); }

 private:
  // False: an interrupt came.
  bool run(const FourierPass<T>& pass) {
    const bool last = pass.groups == 1;
    const int64_t elements = last ? pass.radix : pass.radix * pass.run;  // of a step
    const int64_t least = last ? least_elements : (least_elements + pass.run - 1) / pass.run;
    const int64_t steps = last ? pass.run : pass.groups, each = std::max(chunk / elements, least);
    const int64_t pieces = std::max<int64_t>(steps / each, 1);
    const auto body = [&](int64_t begin, int64_t end) {
      kernels_.pass(pass, begin * each, end == pieces ? steps : end * each);
    };
    if (alone_) {
      parallel_units(context_, pieces, std::max<int64_t>(1, chunk / (each * elements)), body);
      return true;
    }
    for (int64_t piece = 0; piece < pieces; ++piece) {
      if (polls_.stop(each * elements)) return false;
      body(piece, piece + 1);
    }
    return true;
  }

  void by_convolution(const FourierPlan<T>& plan, ConstSplit<T> x, Split<T> y, T scale, T* scratch) {
    const int64_t n = plan.n, length = plan.inner->n;
    const Split<T> a = carve(scratch, length), b = carve(scratch, length);
    kernels_.multiply(n, x, plan.chirp, a);
    std::fill(a.re + n, a.re + length, T(0));
    std::fill(a.im + n, a.im + length, T(0));
    complex(*plan.inner, read(a), b, 1, scratch);
    kernels_.multiply(length, read(b), plan.answer, b);
    complex(*plan.inner, exchanged(read(b)), exchanged(a), scale, scratch);
    kernels_.multiply(n, read(a), plan.chirp, y);
  }

  ops::Context& context_;
  const FourierKernels<T>& kernels_;
  InterruptPolls polls_;
  const bool alone_;
};

// Calls body(Transform, row, scratch) for each row of so many numbers.
template <class T, class F>
void each_row(ops::Context& context, int64_t n, int64_t rows, int64_t scratch, F&& body) {
  if (rows == 1 || n >= long_row) {
    const Scratch memory(*context.pool, static_cast<uint64_t>(scratch) * sizeof(T));
    Transform<T> transform(context, true);
    for (int64_t row = 0; row < rows; ++row) body(transform, row, memory.as<T>());
    return;
  }
  const int64_t work = n * std::bit_width(static_cast<uint64_t>(n));
  const int64_t shares = std::clamp<int64_t>(rows * work >> 16, 1, std::min<int64_t>(rows, context.threads));
  const Scratch memory(*context.pool, static_cast<uint64_t>(scratch * shares) * sizeof(T));
  parallel_units(context, shares, 1, [&](int64_t begin, int64_t end) {
    for (int64_t share = begin; share < end; ++share) {
      Transform<T> transform(context, false);
      T* const own = memory.as<T>() + share * scratch;
      for (int64_t row = rows * share / shares; row < rows * (share + 1) / shares; ++row) {
        if (transform.stop(work)) return;
        body(transform, row, own);
      }
    }
  });
}

}  // namespace

template <class T>
void transform(ops::Context& context, int64_t n, int64_t rows, ConstSplit<T> x, Split<T> y, T scale) {
  const auto plan = complex_plan<T>(context, n);
  each_row<T>(context, n, rows, Transform<T>::scratch_of(*plan), [&](Transform<T>& one, int64_t row, T* scratch) {
    const int64_t at = row * n;
    one.complex(*plan, {x.re + at, x.im + at}, {y.re + at, y.im + at}, scale, scratch);
  });
}

template <class T>
void transform_real(ops::Context& context, int64_t n, int64_t rows, const T* x, Split<T> y, T scale, T inner) {
  const bool even = n % 2 == 0;
  const auto plan = even ? real_plan<T>(context, n) : complex_plan<T>(context, n);
  const int64_t scratch = even ? Transform<T>::scratch_of(*plan) : Transform<T>::scratch_of_odd(*plan);
  each_row<T>(context, n, rows, scratch, [&](Transform<T>& one, int64_t row, T* own) {
    const Split<T> to = {y.re + row * (n / 2 + 1), y.im + row * (n / 2 + 1)};
    even ? one.real(*plan, x + row * n, to, scale, inner, own)
         : one.odd_real(*plan, x + row * n, to, scale, inner, own);
  });
}

template <class T>
void transform_to_real(ops::Context& context, int64_t n, int64_t rows, ConstSplit<T> y, T* x, T scale, T inner) {
  const bool even = n % 2 == 0;
  const auto plan = even ? real_plan<T>(context, n) : complex_plan<T>(context, n);
  const int64_t scratch = even ? Transform<T>::scratch_of(*plan) : Transform<T>::scratch_of_odd(*plan);
  each_row<T>(context, n, rows, scratch, [&](Transform<T>& one, int64_t row, T* own) {
    const ConstSplit<T> from = {y.re + row * (n / 2 + 1), y.im + row * (n / 2 + 1)};
    even ? one.to_real(*plan, from, x + row * n, scale, inner, own)
         : one.odd_to_real(*plan, from, x + row * n, scale, inner, own);
  });
}

#define COVEC_FOR(T)                                                                       \
  template void transform(ops::Context&, int64_t, int64_t, ConstSplit<T>, Split<T>, T);    \
  template void transform_real(ops::Context&, int64_t, int64_t, const T*, Split<T>, T, T); \
  template void transform_to_real(ops::Context&, int64_t, int64_t, ConstSplit<T>, T*, T, T);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
