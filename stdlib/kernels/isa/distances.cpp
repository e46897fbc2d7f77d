// Distances of points, and what their derivatives are made of, for one instruction set. Rows of a are taken several at
// a time, so that registers of b are read once. What the usual way makes of overflows, and of infinite coordinates that
// do not count, is computed again. Start at Pairs::distances().
#include "stdlib/kernels/distances.hpp"

#include "stdlib/kernels/gemm_vector.hpp"

namespace covec::COVEC_ISA {

namespace {

template <class T>
struct Pairs {
  using R = Register<T>;
  using V = typename R::V;
  using Given = kernels::PointPairs<T>;
  using Weighed = kernels::Cotangents<T>;
  static constexpr int64_t lanes = kernels::points_of_block<T>;
  static constexpr int width = R::width, parts = static_cast<int>(lanes) / width;
  // Accumulators that hide the latency of an addition, as far as there are registers for them.
  static constexpr int together = COVEC_ISA_LEVEL == 2 ? 4 : COVEC_ISA_LEVEL == 1 ? 2 : 1;  // rows of a
  static constexpr int side_by_side = COVEC_ISA_LEVEL == 0 ? 1 : 2;                         // blocks of b
  static constexpr int64_t chain = 256;  // coordinates that are summed in one go; the sums are added then

  static V root(V x) {
#if COVEC_ISA_LEVEL == 2
    if constexpr (sizeof(T) == 4)
      return reinterpret_cast<V>(_mm512_sqrt_ps(reinterpret_cast<__m512>(x)));
    else
      return reinterpret_cast<V>(_mm512_sqrt_pd(reinterpret_cast<__m512d>(x)));
#elif COVEC_ISA_LEVEL == 1
    if constexpr (sizeof(T) == 4)
      return reinterpret_cast<V>(_mm256_sqrt_ps(reinterpret_cast<__m256>(x)));
    else
      return reinterpret_cast<V>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(x)));
#else  // one instruction on x86
    for (int i = 0; i < width; ++i) {
      if constexpr (sizeof(T) == 4)
        x[i] = __builtin_sqrtf(x[i]);
      else
        x[i] = __builtin_sqrt(x[i]);
    }
    return x;
#endif
  }
  static T root(T x) { return root(R::broadcast(x))[0]; }
  static bool is_finite(T x) { return x - x == 0; }
  static T magnitude(T x) { return x < 0 ? -x : x; }

  static void pack(const T* points, int64_t count, int64_t columns, T* to) {
    for (int64_t j = 0; j < lanes; ++j) {
      const T* const from = points + (j < count ? j : count - 1) * columns;
      for (int64_t k = 0; k < columns; ++k) to[k * lanes + j] = from[k];
    }
  }

  // The first `count` numbers of a block.
  static void write(T* to, const V (&block)[parts], int64_t count) {
#pragma GCC unroll 4
    for (int p = 0; p < parts; ++p) {
      const int64_t left = count - p * width;
      if (left >= width)
        R::write(to + p * width, block[p]);
      else if (left > 0)
        typename R::Mask(left).write(to + p * width, block[p]);
    }
  }

  // --- sums over coordinates ---

  template <int Rows, int Blocks>
  using Sums = V[Rows][Blocks][parts];

  // Of squares, or of products with the differences of c and e.
  template <int Rows, int Blocks, bool squares>
  [[gnu::always_inline]] static inline void sum(int64_t columns, const T* a, const T* b, const T* c, const T* e,
                                                Sums<Rows, Blocks>& total) {
    for (int64_t first = 0; first < columns || first == 0; first += chain) {
      const int64_t last = columns - first < chain ? columns : first + chain;
      V part[Rows][Blocks][parts] = {};
      for (int64_t k = first; k < last; ++k) {
#pragma GCC unroll 2
        for (int n = 0; n < Blocks; ++n) {
#pragma GCC unroll 4
          for (int p = 0; p < parts; ++p) {
            const int64_t at = (n * columns + k) * lanes + p * width;
            const V y = R::read(b + at);
            const V z = squares ? y : R::read(e + at);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
              const V off = R::broadcast(a[r * columns + k]) - y;
              const V other = squares ? off : R::broadcast(c[r * columns + k]) - z;
              part[r][n][p] = R::multiply_add(off, other, part[r][n][p]);
            }
          }
        }
      }
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
        for (int n = 0; n < Blocks; ++n) {
#pragma GCC unroll 4
          for (int p = 0; p < parts; ++p) total[r][n][p] = first == 0 ? part[r][n][p] : total[r][n][p] + part[r][n][p];
        }
      }
    }
  }

  // Sums of squares outside lose digits, or have overflowed.
  static constexpr T least = sizeof(T) == 4 ? T(0x1p-80f) : T(0x1p-900);
  static constexpr T most = sizeof(T) == 4 ? T(0x1p120f) : T(0x1p1000);
  static bool is_extreme(const V (&block)[parts]) {
    const V low = R::broadcast(least), high = R::broadcast(most);
    auto any = (block[0] < low) | (block[0] > high);
#pragma GCC unroll 4
    for (int p = 1; p < parts; ++p) any |= (block[p] < low) | (block[p] > high);
    Integer<T> bits = 0;
    for (int i = 0; i < width; ++i) bits |= any[i];
    return bits != 0;
  }

  // The distance with differences divided by the largest one.
  static T scaled(int64_t columns, const T* a, const T* b) {
    T largest = 0, sum = 0;
    for (int64_t k = 0; k < columns; ++k) {
      const T size = magnitude(a[k] - b[k * lanes]);
      largest = size > largest ? size : largest;
    }
    if (largest == 0 || largest == T(__builtin_inf())) return largest;
    for (int64_t k = 0; k < columns; ++k) {
      const T part = (a[k] - b[k * lanes]) / largest;
      sum += part * part;
    }
    return largest * root(sum);
  }

  [[gnu::noinline, gnu::cold]] static void repair(int64_t columns, const T* a, const T* b, const V (&sums)[parts],
                                                  V (&roots)[parts]) {
    for (int64_t j = 0; j < lanes; ++j) {
      const T s = sums[j / width][j % width];
      if (s < least || s > most) roots[j / width][j % width] = scaled(columns, a, b + j);
    }
  }

  template <int Rows, int Blocks>
  static void some_distances(const Given& pairs, int64_t row, int64_t block, T* out) {
    const T *const a = pairs.a + row * pairs.columns, *const b = pairs.b + block * pairs.columns * lanes;
    Sums<Rows, Blocks> sums;
    sum<Rows, Blocks, true>(pairs.columns, a, b, nullptr, nullptr, sums);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
      for (int n = 0; n < Blocks; ++n) {
        V roots[parts];
#pragma GCC unroll 4
        for (int p = 0; p < parts; ++p) roots[p] = root(sums[r][n][p]);
        if (__builtin_expect(is_extreme(sums[r][n]), 0))
          repair(pairs.columns, a + r * pairs.columns, b + n * pairs.columns * lanes, sums[r][n], roots);
        const int64_t at = (block + n) * lanes;
        write(out + (row + r) * pairs.stride + at, roots, pairs.count - at);
      }
    }
  }

  // f(row, block, rows, blocks) for all pairs, the last two as constants.
  template <class F>
  [[gnu::always_inline]] static inline void each(const Given& pairs, const F& f) {
    const int64_t blocks = kernels::blocks_of<T>(pairs.count);
    for (int64_t row = 0; row < pairs.rows;) {
      const bool several = pairs.rows - row >= together;
      for (int64_t block = 0; block < blocks;) {
        const bool two = blocks - block >= side_by_side;
        if (several && two)
          f(row, block, Count<together>(), Count<side_by_side>());
        else if (several)
          f(row, block, Count<together>(), Count<1>());
        else if (two)
          f(row, block, Count<1>(), Count<side_by_side>());
        else
          f(row, block, Count<1>(), Count<1>());
        block += two ? side_by_side : 1;
      }
      row += several ? together : 1;
    }
  }
  template <int n>
  struct Count {
    static constexpr int value = n;
  };

  static void distances(const Given& pairs, T* out) {
    each(pairs, [&](int64_t row, int64_t block, auto rows, auto blocks) {
      some_distances<decltype(rows)::value, decltype(blocks)::value>(pairs, row, block, out);
    });
  }

  // Terms with a difference of 0 do not count, whatever is infinite there.
  [[gnu::noinline, gnu::cold]] static T careful(int64_t columns, const T* a, const T* b, const T* c, const T* e) {
    T total = 0;
    for (int64_t k = 0; k < columns; ++k) {
      const T off = a[k] - b[k * lanes], other = c[k] - e[k * lanes];
      if (off != 0 && other != 0) total += off * other;
    }
    return total;
  }

  static void products(const Given& pairs, const T* c, const T* e, T* out) {
    each(pairs, [&](int64_t row, int64_t block, auto rows, auto blocks) {
      constexpr int count = decltype(rows)::value, wide = decltype(blocks)::value;
      const int64_t from = row * pairs.columns, at = block * pairs.columns * lanes;
      Sums<count, wide> sums;
      sum<count, wide, false>(pairs.columns, pairs.a + from, pairs.b + at, c + from, e + at, sums);
      for (int r = 0; r < count; ++r) {
        for (int n = 0; n < wide; ++n) {
          const int64_t j = (block + n) * lanes, own = from + r * pairs.columns, other = at + n * pairs.columns * lanes;
          for (int64_t i = 0; i < lanes; ++i) {
            const T total = sums[r][n][i / width][i % width];
            if (!is_finite(total))
              sums[r][n][i / width][i % width] =
                  careful(pairs.columns, pairs.a + own, pairs.b + other + i, c + own, e + other + i);
          }
          write(out + (row + r) * pairs.stride + j, sums[r][n], pairs.count - j);
        }
      }
    });
  }

  // --- sums over points ---

  static T weight(T g, T d) { return d == 0 || g == 0 ? T(0) : g / d; }

  // g/d of some neighbouring pairs, 0 behind them.
  static void weights(const Weighed& g, const T* d, int64_t pair, int64_t count, V (&to)[parts]) {
#pragma GCC unroll 4
    for (int p = 0; p < parts; ++p) {
      const int64_t left = count - p * width, at = pair + p * width;
      V x = R::broadcast(*g.data), y{};
      if (left >= width) {
        if (g.step != 0) x = R::read(g.data + at);
        y = R::read(d + at);
      } else if (left > 0) {
        const typename R::Mask mask(left);
        if (g.step != 0) x = mask.read(g.data + at);
        y = mask.read(d + at);
      }
      to[p] = ((x == 0) | (y == 0)) ? V{} : x / y;
    }
  }

  static T folded(const V (&sum)[parts]) {
    alignas(64) T lane[lanes];
    for (int p = 0; p < parts; ++p) R::write(lane + p * width, sum[p]);
    for (int64_t half = lanes / 2; half > 0; half /= 2) {
      for (int64_t i = 0; i < half; ++i) lane[i] += lane[i + half];
    }
    return lane[0];
  }

  static constexpr int64_t in_buffer = 4096 / kernels::block_bytes;  // blocks of weights

  // Coordinates [0, Some) of one row's sum over `blocks` blocks.
  template <int Some>
  static void pull_a_some(const T* a, const T* b, int64_t columns, const V (*w)[parts], int64_t blocks, T* out) {
    V sum[Some][parts] = {};
    V point[Some];
    for (int k = 0; k < Some; ++k) point[k] = R::broadcast(a[k]);
    for (int64_t n = 0; n < blocks; ++n, b += columns * lanes) {
#pragma GCC unroll 4
      for (int p = 0; p < parts; ++p) {
#pragma GCC unroll 4
        for (int k = 0; k < Some; ++k)
          sum[k][p] = R::multiply_add(w[n][p], point[k] - R::read(b + k * lanes + p * width), sum[k][p]);
      }
    }
    for (int k = 0; k < Some; ++k) out[k] = folded(sum[k]);
  }

  static void pull_a(const Given& pairs, const Weighed& g, const T* d, T* out) {
    const int64_t columns = pairs.columns;
    V w[in_buffer][parts];
    T sums[4];
    for (int64_t row = 0; row < pairs.rows; ++row) {
      const T* const a = pairs.a + row * columns;
      for (int64_t first = 0; first < pairs.count; first += in_buffer * lanes) {
        const int64_t left = pairs.count - first, count = left < in_buffer * lanes ? left : in_buffer * lanes;
        const int64_t blocks = kernels::blocks_of<T>(count), at = row * pairs.stride + first;
        for (int64_t n = 0; n < blocks; ++n) weights(g, d, at + n * lanes, count - n * lanes, w[n]);
        for (int64_t k = 0; k < columns; k += 4) {
          const int64_t some = columns - k < 4 ? columns - k : 4;
          const T* const b = pairs.b + first * columns + k * lanes;
          switch (some) {
            case 1: pull_a_some<1>(a + k, b, columns, w, blocks, sums); break;
            case 2: pull_a_some<2>(a + k, b, columns, w, blocks, sums); break;
            case 3: pull_a_some<3>(a + k, b, columns, w, blocks, sums); break;
            default: pull_a_some<4>(a + k, b, columns, w, blocks, sums); break;
          }
          for (int64_t s = 0; s < some; ++s) {
            T total = sums[s];
            if (!is_finite(total)) total = careful_a(a[k + s], b + s * lanes, columns, g.from(at), d + at, count);
            out[row * columns + k + s] += total;
          }
        }
      }
    }
  }

  // The same where that is not finite: terms whose weight is 0 do not count, whatever is infinite there.
  [[gnu::noinline, gnu::cold]] static T careful_a(T a, const T* b, int64_t columns, const Weighed& g, const T* d,
                                                  int64_t count) {
    T total = 0;
    for (int64_t j = 0; j < count; ++j) {
      const T w = weight(g.at(j), d[j]);
      if (w != 0) total += w * (a - b[j / lanes * columns * lanes + j % lanes]);
    }
    return total;
  }

  // Coordinates [0, Some) of a block's sum over `rows` points.
  template <int Some>
  static void pull_b_some(const T* a, const T* b, int64_t columns, const V (*w)[parts], int64_t rows, T* out) {
    V sum[Some][parts] = {};
    V point[Some][parts];
#pragma GCC unroll 4
    for (int k = 0; k < Some; ++k) {
#pragma GCC unroll 4
      for (int p = 0; p < parts; ++p) point[k][p] = R::read(b + k * lanes + p * width);
    }
    for (int64_t i = 0; i < rows; ++i, a += columns) {
#pragma GCC unroll 4
      for (int k = 0; k < Some; ++k) {
        const V other = R::broadcast(a[k]);
#pragma GCC unroll 4
        for (int p = 0; p < parts; ++p) sum[k][p] = R::multiply_add(w[i][p], point[k][p] - other, sum[k][p]);
      }
    }
    for (int k = 0; k < Some; ++k) {
      for (int p = 0; p < parts; ++p) R::write(out + k * lanes + p * width, sum[k][p]);
    }
  }

  static void pull_b(const Given& pairs, const Weighed& g, const T* d, T* out) {
    const int64_t columns = pairs.columns, blocks = kernels::blocks_of<T>(pairs.count);
    V w[in_buffer][parts];
    T sums[4 * lanes];
    for (int64_t first = 0; first < pairs.rows; first += in_buffer) {
      const int64_t rows = pairs.rows - first < in_buffer ? pairs.rows - first : in_buffer;
      for (int64_t n = 0; n < blocks; ++n) {
        const int64_t at = first * pairs.stride + n * lanes, count = pairs.count - n * lanes;
        for (int64_t i = 0; i < rows; ++i) weights(g, d, at + i * pairs.stride, count, w[i]);
        for (int64_t k = 0; k < columns; k += 4) {
          const int64_t some = columns - k < 4 ? columns - k : 4;
          const T *const a = pairs.a + first * columns + k, *const b = pairs.b + (n * columns + k) * lanes;
          switch (some) {
            case 1: pull_b_some<1>(a, b, columns, w, rows, sums); break;
            case 2: pull_b_some<2>(a, b, columns, w, rows, sums); break;
            case 3: pull_b_some<3>(a, b, columns, w, rows, sums); break;
            default: pull_b_some<4>(a, b, columns, w, rows, sums); break;
          }
          T* const to = out + (n * columns + k) * lanes;
          for (int64_t s = 0; s < some * lanes; ++s) {
            T total = sums[s];
            if (!is_finite(total) && s % lanes < count)
              total = careful_b(b[s], a + s / lanes, columns, g.from(at + s % lanes), d + at + s % lanes, pairs.stride,
                                rows);
            to[s] += total;
          }
        }
      }
    }
  }

  [[gnu::noinline, gnu::cold]] static T careful_b(T b, const T* a, int64_t columns, const Weighed& g, const T* d,
                                                  int64_t stride, int64_t rows) {
    T total = 0;
    for (int64_t i = 0; i < rows; ++i) {
      const T w = weight(g.at(i * stride), d[i * stride]);
      if (w != 0) total += w * (b - a[i * columns]);
    }
    return total;
  }

  static constexpr kernels::DistanceKernels<T> table() { return {&pack, &distances, &products, &pull_a, &pull_b}; }
};

constexpr kernels::DistanceKernels<float> f32_kernels = Pairs<float>::table();
constexpr kernels::DistanceKernels<double> f64_kernels = Pairs<double>::table();

}  // namespace

const kernels::DistanceKernels<float>& distance_kernels(float) { return f32_kernels; }
const kernels::DistanceKernels<double>& distance_kernels(double) { return f64_kernels; }

}  // namespace covec::COVEC_ISA
