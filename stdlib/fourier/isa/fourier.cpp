// Passes of Fourier transforms for one instruction set. A register holds the same number of several independent
// butterflies. Where runs are long, these are neighbours in a run. In the first passes runs are short, so they are
// neighbouring groups, and their results are then put side by side. The remainder of a range is computed by a register
// that overlaps the last one, which is possible because x and y are different arrays. Start at runs().
#include "stdlib/fourier/fourier_table.hpp"
#include "stdlib/kernels/reduce_vector.hpp"

namespace covec::COVEC_ISA {

namespace {

using kernels::ConstSplit;
using kernels::FourierPass;
using kernels::max_radix;
using kernels::Split;

#define COVEC_INLINE inline __attribute__((always_inline))

template <class T, int W>
struct Lanes {
  using V = Vector<T, W>;
  static COVEC_INLINE V read(const T* from) { return load<V>(from); }
  static COVEC_INLINE void write(T* to, V v) { store(to, v); }
  static COVEC_INLINE V of(T x) { return x - V{}; }
};
template <class T>
struct Lanes<T, 1> {
  using V = T;
  static COVEC_INLINE V read(const T* from) { return *from; }
  static COVEC_INLINE void write(T* to, V v) { *to = v; }
  static COVEC_INLINE V of(T x) { return x; }
};

template <class V>
struct Pair {
  V re, im;
};
template <class V>
COVEC_INLINE Pair<V> operator+(Pair<V> a, Pair<V> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
COVEC_INLINE Pair<V> operator-(Pair<V> a, Pair<V> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V>
COVEC_INLINE Pair<V> operator*(Pair<V> a, Pair<V> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// a − i·b and a + i·b
template <class V>
COVEC_INLINE Pair<V> minus_i(Pair<V> a, Pair<V> b) {
  return {a.re + b.im, a.im - b.re};
}
template <class V>
COVEC_INLINE Pair<V> plus_i(Pair<V> a, Pair<V> b) {
  return {a.re - b.im, a.im + b.re};
}

template <class L, class S>
COVEC_INLINE Pair<typename L::V> read_pair(S from, int64_t at) {
  return {L::read(from.re + at), L::read(from.im + at)};
}
template <class L, class T>
COVEC_INLINE void write_pair(Split<T> to, int64_t at, Pair<typename L::V> x) {
  L::write(to.re + at, x.re);
  L::write(to.im + at, x.im);
}

// --- butterflies ---

template <class V>
COVEC_INLINE void two(Pair<V>& a, Pair<V>& b) {
  const Pair<V> sum = a + b;
  b = a - b;
  a = sum;
}

template <class V>
COVEC_INLINE void four(Pair<V>& a, Pair<V>& b, Pair<V>& c, Pair<V>& d) {
  const Pair<V> ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
  a = ac + bd;
  b = minus_i(a_c, b_d);
  c = ac - bd;
  d = plus_i(a_c, b_d);
}

template <class L, class T>
COVEC_INLINE void eight(Pair<typename L::V>* x) {
  using V = typename L::V;
  four(x[0], x[2], x[4], x[6]);
  four(x[1], x[3], x[5], x[7]);
  const V half = L::of(static_cast<T>(0.70710678118654752440));
  const Pair<V> even[4] = {x[0], x[2], x[4], x[6]};
  const Pair<V> odd[4] = {x[1],
                          {(x[3].re + x[3].im) * half, (x[3].im - x[3].re) * half},
                          {x[5].im, -x[5].re},
                          {(x[7].im - x[7].re) * half, (x[7].re + x[7].im) * -half}};
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    x[k] = even[k] + odd[k];
    x[k + 4] = even[k] - odd[k];
  }
}

// An odd number of terms: those that lie opposite go by their sum and difference.
template <class L, class T>
COVEC_INLINE void odd(int64_t radix, Pair<typename L::V>* x, ConstSplit<T> roots) {
  using V = typename L::V;
  constexpr int most = max_radix / 2 + 1;
  const int64_t half = radix / 2;
  Pair<V> sum[most], difference[most];
  const Pair<V> first = x[0];
#pragma GCC unroll 3
  for (int64_t j = 1; j <= half; ++j) {
    sum[j] = x[j] + x[radix - j];
    difference[j] = x[j] - x[radix - j];
    x[0] = x[0] + sum[j];
  }
#pragma GCC unroll 3
  for (int64_t k = 1; k <= half; ++k) {
    Pair<V> a = first, b = {};
    int64_t turn = 0;  // j·k modulo the radix
#pragma GCC unroll 3
    for (int64_t j = 1; j <= half; ++j) {
      turn = turn + k < radix ? turn + k : turn + k - radix;
      const bool back = turn > half;
      const V c = L::of(roots.re[back ? radix - turn : turn]), s = L::of(roots.im[back ? radix - turn : turn]);
      a = {a.re + sum[j].re * c, a.im + sum[j].im * c};
      const Pair<V> term = {difference[j].re * s, difference[j].im * s};
      b = j == 1 ? term : back ? b - term : b + term;
    }
    x[k] = minus_i(a, b);
    x[radix - k] = plus_i(a, b);
  }
}

// R = 0: a radix that only the plan knows.
template <int R, class L, class T>
COVEC_INLINE void butterfly(const FourierPass<T>& pass, Pair<typename L::V>* x) {
  if constexpr (R == 2) {
    two(x[0], x[1]);
  } else if constexpr (R == 4) {
    four(x[0], x[1], x[2], x[3]);
  } else if constexpr (R == 8) {
    eight<L, T>(x);
  } else {
    odd<L, T>(R == 0 ? pass.radix : R, x, pass.roots);
  }
}

template <int R>
constexpr int room = R == 0 ? static_cast<int>(max_radix) : R;

// --- passes ---

// Registers along runs, which are at least as long.
template <int R, int W, bool Last, class T>
void runs(const FourierPass<T>& pass, int64_t begin, int64_t end) {
  using L = Lanes<T, W>;
  using V = typename L::V;
  const int64_t radix = R == 0 ? pass.radix : R, run = pass.run, apart = pass.groups * run;
  const int64_t groups = pass.groups * pass.spread;
  const int64_t first = Last ? begin : 0, past = Last ? end : run;
  const V scale = L::of(pass.scale);
  for (int64_t p = Last ? 0 : begin; p < (Last ? 1 : end); ++p) {
    Pair<V> w[room<R>];
    if constexpr (!Last) {
#pragma GCC unroll 8
      for (int64_t k = 1; k < radix; ++k) {
        const int64_t at = (k - 1) * groups + p * pass.spread;
        w[k] = {L::of(pass.twiddles.re[at]), L::of(pass.twiddles.im[at])};
      }
    }
    for (int64_t q = first; q < past; q += W) {
      if (W > 1 && q + W > past) q = past - W;
      Pair<V> x[room<R>];
#pragma GCC unroll 8
      for (int64_t j = 0; j < radix; ++j) x[j] = read_pair<L>(pass.x, j * apart + p * run + q);
      butterfly<R, L>(pass, x);
      const int64_t to = p * radix * run + q;
      write_pair<L>(pass.y, to, Last ? Pair<V>{x[0].re * scale, x[0].im * scale} : x[0]);
#pragma GCC unroll 8
      for (int64_t k = 1; k < radix; ++k) {
        write_pair<L>(pass.y, to + k * run, Last ? Pair<V>{x[k].re * scale, x[k].im * scale} : x[k] * w[k]);
      }
    }
  }
}

// The numbers of R registers in turn: first of each, second of each, … Each step joins sequences of registers that are
// half of them apart.
template <int R, int W, class T, int Joined = 1>
COVEC_INLINE void write_in_turn(T* to, const Vector<T, W>* from) {
  if constexpr (Joined == R) {
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) store(to + i * W, from[i]);
  } else {
    Vector<Integer<T>, W> low, high;
    for (int i = 0; i < W; ++i) {
      low[i] = i / 2 + i % 2 * W;
      high[i] = i / 2 + W / 2 + i % 2 * W;
    }
    Vector<T, W> next[R];
#pragma GCC unroll 4
    for (int i = 0; i < R / 2; ++i) {
      next[2 * i] = shuffle(from[i], from[i + R / 2], low);
      next[2 * i + 1] = shuffle(from[i], from[i + R / 2], high);
    }
    write_in_turn<R, W, T, Joined * 2>(to, next);
  }
}

// The numbers of elements [t, t + W) of each k, to the places of their groups.
template <int W, class T>
COVEC_INLINE void write_to_groups(T* to, const Vector<T, W>* from, int64_t radix, int64_t run, int64_t t) {
  const T* const numbers = reinterpret_cast<const T*>(from);
  if (run == 4 && W % 4 == 0) {
    for (int64_t i = 0; i < W; i += 4) {
      for (int64_t k = 0; k < radix; ++k)
        __builtin_memcpy(to + (t + i) * radix + k * 4, numbers + k * W + i, 4 * sizeof(T));
    }
  } else if (run == 8 && W % 8 == 0) {
    for (int64_t i = 0; i < W; i += 8) {
      for (int64_t k = 0; k < radix; ++k)
        __builtin_memcpy(to + (t + i) * radix + k * 8, numbers + k * W + i, 8 * sizeof(T));
    }
  } else {
    int64_t p = t / run, q = t % run;
    for (int64_t i = 0; i < W; ++i) {
      T* place = to + p * radix * run + q;
      for (int64_t k = 0; k < radix; ++k) place[k * run] = numbers[k * W + i];
      if (++q == run) ++p, q = 0;
    }
  }
}

// Registers along the elements of all groups; runs are shorter. There are at least W elements.
template <int R, int W, bool Single, class T>
void groups(const FourierPass<T>& pass, int64_t begin, int64_t end) {
  using L = Lanes<T, W>;
  using V = typename L::V;
  const int64_t radix = R == 0 ? pass.radix : R, run = Single ? 1 : pass.run, apart = pass.groups * run;
  const int64_t past = end * run;
  for (int64_t t = begin * run; t < past; t += W) {
    if (t + W > past) t = past - W;
    Pair<V> x[room<R>];
#pragma GCC unroll 8
    for (int64_t j = 0; j < radix; ++j) x[j] = read_pair<L>(pass.x, j * apart + t);
    butterfly<R, L>(pass, x);
    V re[room<R>], im[room<R>];
    re[0] = x[0].re, im[0] = x[0].im;
#pragma GCC unroll 8
    for (int64_t k = 1; k < radix; ++k) {
      x[k] = x[k] * read_pair<L>(pass.twiddles, (k - 1) * apart + t);
      re[k] = x[k].re, im[k] = x[k].im;
    }
    if constexpr (Single && (R == 2 || R == 4 || R == 8)) {
      write_in_turn<R, W>(pass.y.re + t * R, re);
      write_in_turn<R, W>(pass.y.im + t * R, im);
    } else {
      write_to_groups<W>(pass.y.re, re, radix, run, t);
      write_to_groups<W>(pass.y.im, im, radix, run, t);
    }
  }
}

template <int R, class T>
void pass_of(const FourierPass<T>& pass, int64_t begin, int64_t end) {
  constexpr int W = register_bytes / sizeof(T);
  if (pass.groups == 1) {
    pass.run >= W ? runs<R, W, true>(pass, begin, end) : runs<R, 1, true>(pass, begin, end);
  } else if (pass.run >= W) {
    runs<R, W, false>(pass, begin, end);
  } else if (pass.groups * pass.run < W) {
    runs<R, 1, false>(pass, begin, end);
  } else if (pass.run == 1) {
    groups<R, W, true>(pass, begin, end);
  } else {
    groups<R, W, false>(pass, begin, end);
  }
}

template <class T>
void run_pass(const FourierPass<T>& pass, int64_t begin, int64_t end) {
  switch (pass.radix) {
    case 2: return pass_of<2>(pass, begin, end);
    case 3: return pass_of<3>(pass, begin, end);
    case 4: return pass_of<4>(pass, begin, end);
    case 5: return pass_of<5>(pass, begin, end);
    case 7: return pass_of<7>(pass, begin, end);
    case 8: return pass_of<8>(pass, begin, end);
    default: return pass_of<0>(pass, begin, end);
  }
}

// --- around the passes ---

template <class T>
void multiply(int64_t n, ConstSplit<T> a, ConstSplit<T> b, Split<T> z) {
  constexpr int W = register_bytes / sizeof(T);
  using L = Lanes<T, W>;
  using One = Lanes<T, 1>;
  int64_t i = 0;
  for (; i + W <= n; i += W) write_pair<L>(z, i, read_pair<L>(a, i) * read_pair<L>(b, i));
  for (; i < n; ++i) write_pair<One>(z, i, read_pair<One>(a, i) * read_pair<One>(b, i));
}

template <class T, int W, class F>
COVEC_INLINE Vector<T, W> picked(Vector<T, W> a, Vector<T, W> b, F place) {
  Vector<Integer<T>, W> pattern;
  for (int i = 0; i < W; ++i) pattern[i] = place(i);
  return shuffle(a, b, pattern);
}

template <class T>
void take_pairs(int64_t n, const T* x, Split<T> z) {
  constexpr int W = register_bytes / sizeof(T);
  using L = Lanes<T, W>;
  int64_t i = 0;
  for (; i + W <= n; i += W) {
    const auto a = L::read(x + 2 * i), b = L::read(x + 2 * i + W);
    L::write(z.re + i, picked<T, W>(a, b, [](int lane) { return 2 * lane; }));
    L::write(z.im + i, picked<T, W>(a, b, [](int lane) { return 2 * lane + 1; }));
  }
  for (; i < n; ++i) z.re[i] = x[2 * i], z.im[i] = x[2 * i + 1];
}

template <class T>
void put_pairs(int64_t n, ConstSplit<T> z, T* x) {
  constexpr int W = register_bytes / sizeof(T);
  using L = Lanes<T, W>;
  int64_t i = 0;
  for (; i + W <= n; i += W) {
    const auto a = L::read(z.re + i), b = L::read(z.im + i);
    L::write(x + 2 * i, picked<T, W>(a, b, [](int lane) { return lane / 2 + lane % 2 * W; }));
    L::write(x + 2 * i + W, picked<T, W>(a, b, [](int lane) { return lane / 2 + W / 2 + lane % 2 * W; }));
  }
  for (; i < n; ++i) x[2 * i] = z.re[i], x[2 * i + 1] = z.im[i];
}

// A register that lies the other way round: its last number belongs to `at`.
template <class T, int W>
struct Backwards {
  using V = typename Lanes<T, W>::V;
  static COVEC_INLINE V reversed(V v) {
    if constexpr (W == 1) {
      return v;
    } else {
      return picked<T, W>(v, v, [](int lane) { return W - 1 - lane; });
    }
  }
  template <class S>
  static COVEC_INLINE Pair<V> read(S from, int64_t at) {
    const Pair<V> x = read_pair<Lanes<T, W>>(from, at - (W - 1));
    return {reversed(x.re), reversed(x.im)};
  }
  static COVEC_INLINE void write(Split<T> to, int64_t at, Pair<V> x) {
    write_pair<Lanes<T, W>>(to, at - (W - 1), {reversed(x.re), reversed(x.im)});
  }
};

// Calls body(Lanes, Backwards, k) for all k in [1, last].
template <class T, class F>
COVEC_INLINE void each_pair(int64_t last, F body) {
  constexpr int W = register_bytes / sizeof(T);
  int64_t k = 1;
  if (last >= W) {
    for (; k <= last; k += W) {
      if (k + W - 1 > last) k = last - W + 1;
      body(Lanes<T, W>(), Backwards<T, W>(), k);
    }
    return;
  }
  for (; k <= last; ++k) body(Lanes<T, 1>(), Backwards<T, 1>(), k);
}

template <class T>
void spectrum_of_pairs(int64_t h, ConstSplit<T> z, ConstSplit<T> roots, T scale, T inner, Split<T> y) {
  y.re[0] = (z.re[0] + z.im[0]) * scale;
  y.re[h] = (z.re[0] - z.im[0]) * scale;
  y.im[0] = y.im[h] = 0;
  const T factor = scale * (inner * static_cast<T>(0.5));
  each_pair<T>(
      h / 2, [&](auto lanes, auto backwards, int64_t k) __attribute__((always_inline)) {
        using L = decltype(lanes);
        using B = decltype(backwards);
        using V = typename L::V;
        const V f = L::of(factor);
        const Pair<V> a = read_pair<L>(z, k), b = B::read(z, h - k), w = read_pair<L>(roots, k);
        const Pair<V> e = {a.re + b.re, a.im - b.im}, o = {a.re - b.re, a.im + b.im};
        const Pair<V> rotated = {w.re * o.im - w.im * o.re, w.re * o.re + w.im * o.im};
        write_pair<L>(y, k, {(e.re + rotated.re) * f, (e.im - rotated.im) * f});
        B::write(y, h - k, {(e.re - rotated.re) * f, (-e.im - rotated.im) * f});
      });
}

template <class T>
void pairs_of_spectrum(int64_t h, ConstSplit<T> y, ConstSplit<T> roots, T inner, Split<T> z) {
  z.re[0] = y.re[0] + y.re[h];
  z.im[0] = y.re[0] - y.re[h];
  each_pair<T>(
      h / 2, [&](auto lanes, auto backwards, int64_t k) __attribute__((always_inline)) {
        using L = decltype(lanes);
        using B = decltype(backwards);
        using V = typename L::V;
        const V f = L::of(inner);
        const Pair<V> a = read_pair<L>(y, k), b = B::read(y, h - k), w = read_pair<L>(roots, k);
        const Pair<V> e = {a.re + b.re, a.im - b.im}, d = {a.re - b.re, a.im + b.im};
        const Pair<V> rotated = {w.re * d.re - w.im * d.im, w.re * d.im + w.im * d.re};
        write_pair<L>(z, k, {(e.re - rotated.im) * f, (e.im + rotated.re) * f});
        B::write(z, h - k, {(e.re + rotated.im) * f, (rotated.re - e.im) * f});
      });
}

#undef COVEC_INLINE

template <class T>
constexpr kernels::FourierKernels<T> table{&run_pass<T>,  &multiply<T>,          &take_pairs<T>,
                                           &put_pairs<T>, &spectrum_of_pairs<T>, &pairs_of_spectrum<T>};

}  // namespace

const kernels::FourierKernels<float>& fourier_kernels(float) { return table<float>; }
const kernels::FourierKernels<double>& fourier_kernels(double) { return table<double>; }

}  // namespace covec::COVEC_ISA
