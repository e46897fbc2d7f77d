// The loops of a reduction, written once over an operation and vectors of whatever width the instruction set has. The
// order of additions is the language's (256 bytes of lanes, blocks of 64 rows of lanes, pairs of blocks), so every
// width gives the same bits. For inclusion by sources of covec_isa_library() alone. Start at reduce_block(), then
// Loops.
#pragma once

#include "stdlib/kernels/reduce_table.hpp"
#include "stdlib/kernels/reduce_vector.hpp"

namespace covec::COVEC_ISA {

// How two accumulators become one, and the value that changes none.
template <class A>
struct Add {
  static constexpr A identity = static_cast<A>(-0.0);
  template <class V>
  static V combine(V a, V b) {
    return a + b;
  }
};
template <class A>
struct Multiply {
  static constexpr A identity = 1;
  template <class V>
  static V combine(V a, V b) {
    return a * b;
  }
};
template <class A>
struct Largest {
  static constexpr A identity = static_cast<A>(uint64_t{1} << (8 * sizeof(A) - 1));
  template <class V>
  static V combine(V a, V b) {
    return a > b ? a : b;
  }
};
template <class A>
struct Smallest {
  static constexpr A identity = static_cast<A>(~(uint64_t{1} << (8 * sizeof(A) - 1)));
  template <class V>
  static V combine(V a, V b) {
    return a < b ? a : b;
  }
};
template <class A>
struct Or {
  static constexpr A identity = 0;
  template <class V>
  static V combine(V a, V b) {
    return a | b;
  }
};
template <class A>
struct And {
  static constexpr A identity = -1;
  template <class V>
  static V combine(V a, V b) {
    return a & b;
  }
};

// How an element becomes an accumulator, and an accumulator a result.
template <class In, class A>
struct Converted {  // a number, converted
  using Input = In;
  using Accumulator = A;
  using Output = A;
  template <int N>
  static Vector<A, N> accumulator(Vector<In, N> v) {
    return __builtin_convertvector(v, Vector<A, N>);
  }
  static A output(A a) { return a; }
};
template <class In>
struct Truth {  // whether it is not zero
  using Input = In;
  using Accumulator = Integer<In>;
  using Output = uint8_t;
  template <int N>
  static Vector<Accumulator, N> accumulator(Vector<In, N> v) {
    return v != Vector<In, N>{};
  }
  static uint8_t output(Accumulator a) { return a != 0; }
};
// A float as an integer that orders as the language does: -inf … -0, +0 … inf; NaN beyond everything, where it wins.
template <class In, bool SmallestWins>
struct Key {
  using Input = In;
  using Accumulator = Integer<In>;
  using Output = In;
  static constexpr Accumulator magnitude = Smallest<Accumulator>::identity;  // all bits but the sign
  static constexpr Accumulator not_a_number = SmallestWins ? Largest<Accumulator>::identity : magnitude;
  template <int N>
  static Vector<Accumulator, N> accumulator(Vector<In, N> v) {
    const auto bits = reinterpret_cast<Vector<Accumulator, N>>(v);
    const Vector<Accumulator, N> key = bits ^ ((bits >> (8 * sizeof(In) - 1)) & magnitude);
    return v != v ? all<Accumulator, N>(not_a_number) : key;
  }
  static In output(Accumulator key) {
    const Accumulator bits = key ^ ((key >> (8 * sizeof(In) - 1)) & magnitude);
    In value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
  }
};

template <class MapType, class CombineType>
struct Loops {
  using In = typename MapType::Input;
  using Acc = typename MapType::Accumulator;
  using Out = typename MapType::Output;
  static constexpr int width = register_bytes / sizeof(Acc);  // accumulators in a register
  static constexpr int registers = kernels::lane_bytes / register_bytes;
  static constexpr int lanes = width * registers;
  static constexpr int64_t block = kernels::rows_per_lane * lanes;
  static constexpr int max_levels = 40;  // levels of pairs: 2^40 blocks are 2^51 elements or more, beyond any memory
  using V = Vector<Acc, width>;

  struct Lanes {
    V v[registers];
  };

  static V combine(V a, V b) { return CombineType::combine(a, b); }
  static V read(const In* x) { return MapType::template accumulator<width>(load<Vector<In, width>>(x)); }
  static V identity() { return all<Acc, width>(CombineType::identity); }
  // Elements beyond `count` become the identity.
  template <int N = width>
  static Vector<Acc, N> read_some(const In* x, int64_t count) {
    const Vector<Acc, N> v = MapType::template accumulator<N>(load_some<Vector<In, N>>(x, static_cast<int>(count)));
    using I = Integer<Acc>;
    const Vector<I, N> inside = iota<I, N>() < all<I, N>(static_cast<I>(count));
    return inside ? v : all<Acc, N>(CombineType::identity);
  }

  // One block, or what is left of one: n ≤ block.
  static inline __attribute__((always_inline)) Lanes reduce_block(const In* x, int64_t n) {
    Lanes sum;
#pragma GCC unroll 16
    for (int i = 0; i < registers; ++i) sum.v[i] = identity();
    int64_t p = 0;
    for (; p + lanes <= n; p += lanes) {
#pragma GCC unroll 16
      for (int i = 0; i < registers; ++i) sum.v[i] = combine(sum.v[i], read(x + p + i * width));
    }
    if (p < n) {
#pragma GCC unroll 16
      for (int i = 0; i < registers; ++i) {
        const int64_t left = n - p - i * width;
        if (left >= width) {
          sum.v[i] = combine(sum.v[i], read(x + p + i * width));
        } else if (left > 0) {
          sum.v[i] = combine(sum.v[i], read_some(x + p + i * width, left));
        }
      }
    }
    return sum;
  }

  static inline __attribute__((always_inline)) Lanes combine_lanes(Lanes a, const Lanes& b) {
#pragma GCC unroll 16
    for (int i = 0; i < registers; ++i) a.v[i] = combine(a.v[i], b.v[i]);
    return a;
  }

  // Blocks pairwise: a counter in binary, whose digit `level` holds the sum of 2^level blocks; at the end what is left
  // is added from the right, which is the same as carrying an odd one up.
  static __attribute__((noinline)) void reduce_blocks(const In* x, int64_t n, Lanes& result) {
    Lanes levels[max_levels];
    uint64_t count = 0;
    for (int64_t p = 0; p < n; p += block, ++count) {
      Lanes sum = reduce_block(x + p, n - p < block ? n - p : block);
      int level = 0;
      for (; (count >> level) & 1; ++level) sum = combine_lanes(levels[level], sum);
      levels[level] = sum;
    }
    int level = __builtin_ctzll(count);
    result = levels[level];
    for (++level; count >> level; ++level) {
      if ((count >> level) & 1) result = combine_lanes(levels[level], result);
    }
  }

  template <int N>
  static Acc fold_vector(Vector<Acc, N> v) {
    if constexpr (N == 2) {
      return CombineType::combine(v[0], v[1]);
    } else {
      Vector<Acc, N / 2> low, high;
      __builtin_memcpy(&low, &v, sizeof low);
      __builtin_memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof low, sizeof high);
      return fold_vector<N / 2>(CombineType::combine(low, high));
    }
  }

  static inline __attribute__((always_inline)) Out fold_lanes(Lanes sum) {
#pragma GCC unroll 16
    for (int half = registers / 2; half >= 1; half /= 2) {
#pragma GCC unroll 16
      for (int i = 0; i < half; ++i) sum.v[i] = combine(sum.v[i], sum.v[i + half]);
    }
    return MapType::output(fold_vector<width>(sum.v[0]));
  }

  // Rows of fewer elements than `few`: lanes without an element change nothing, so a part of the final tree is enough.
  static constexpr int few = width < 8 ? width : 8;

  // The first step of the final tree in vectors that hold rows of `Group` accumulators: the rows of `a`, and behind
  // them those of `b`, of half as many.
  template <int Group>
  static inline __attribute__((always_inline)) V halve_rows(V a, V b) {
    constexpr int half = Group / 2;
    using I = Integer<Acc>;
    Vector<I, width> low, high;
#pragma GCC unroll 16
    for (int i = 0; i < width; ++i) {
      low[i] = static_cast<I>(i / half * Group + i % half);
      high[i] = low[i] + half;
    }
    return combine(shuffle(a, b, low), shuffle(a, b, high));
  }
  // All steps: one accumulator for each row.
  template <int Group>
  static inline __attribute__((always_inline)) V fold_rows(const V* v) {
    if constexpr (Group == 1) {
      return v[0];
    } else {
      V halves[Group / 2];
#pragma GCC unroll 16
      for (int i = 0; i < Group / 2; ++i) halves[i] = halve_rows<Group>(v[2 * i], v[2 * i + 1]);
      return fold_rows<Group / 2>(halves);
    }
  }
  // The lanes of a row of at most `Registers` registers, as one register.
  template <int Registers>
  static inline __attribute__((always_inline)) V short_row(const In* x, int64_t n) {
    V v[Registers];
#pragma GCC unroll 4
    for (int i = 0; i + 1 < Registers; ++i) v[i] = read(x + i * width);
    constexpr int before = (Registers - 1) * width;
    v[Registers - 1] = n == before + width ? read(x + before) : read_some(x + before, n - before);
    if constexpr (Registers == 4) v[1] = combine(v[1], v[3]);
    if constexpr (Registers >= 3) v[0] = combine(v[0], v[2]);
    if constexpr (Registers >= 2) v[0] = combine(v[0], v[1]);
    return v[0];
  }
  static inline __attribute__((always_inline)) void finish_rows(V v, Out* result) {
    Acc made[width];
    store(made, v);
    finish(made, width, result);
  }
  template <int Registers>
  static void short_rows(const In* x, int64_t rows, int64_t row_stride, int64_t n, Out* result) {
    for (int64_t r = 0; r < rows; r += width, x += width * row_stride) {
      V v[width];
      for (int i = 0; i < width; ++i) v[i] = short_row<Registers>(x + i * row_stride, n);
      finish_rows(fold_rows<width>(v), result + r);
    }
  }
  // Of N elements, adjacent.
  template <int N>
  static void packed_rows(const In* x, int64_t rows, Out* result) {
    for (int64_t r = 0; r < rows; r += width, x += width * N) {
      V v[N];
#pragma GCC unroll 16
      for (int i = 0; i < N; ++i) v[i] = read(x + i * width);
      finish_rows(fold_rows<N>(v), result + r);
    }
  }
  // As many rows as fill registers with results; how many that was.
  static int64_t rows_side_by_side(const In* x, int64_t rows, int64_t row_stride, int64_t n, Out* result) {
    rows = rows / width * width;
    if (rows == 0 || n < 2 || n > 4 * width) return 0;
    if constexpr (width > 2) {
      if (n == 2 && row_stride == 2) return packed_rows<2>(x, rows, result), rows;
    }
    if constexpr (width > 4) {
      if (n == 4 && row_stride == 4) return packed_rows<4>(x, rows, result), rows;
    }
    if constexpr (width > 8) {
      if (n == 8 && row_stride == 8) return packed_rows<8>(x, rows, result), rows;
    }
    if (n <= width) return short_rows<1>(x, rows, row_stride, n, result), rows;
    if (n <= 2 * width) return short_rows<2>(x, rows, row_stride, n, result), rows;
    if (n <= 3 * width) return short_rows<3>(x, rows, row_stride, n, result), rows;
    return short_rows<4>(x, rows, row_stride, n, result), rows;
  }

  static void rows(const void* data, int64_t rows, int64_t row_stride, int64_t n, void* out) {
    const In* x = static_cast<const In*>(data);
    Out* result = static_cast<Out*>(out);
    if constexpr (width <= 16) {
      const int64_t done = rows_side_by_side(x, rows, row_stride, n, result);
      x += done * row_stride, result += done, rows -= done;
    }
    if (n < few) {
      for (int64_t r = 0; r < rows; ++r, x += row_stride)
        result[r] = MapType::output(fold_vector<few>(read_some<few>(x, n)));
      return;
    }
    for (int64_t r = 0; r < rows; ++r, x += row_stride) {
      if (n <= block) {
        result[r] = fold_lanes(reduce_block(x, n));
      } else {
        Lanes sum;
        reduce_blocks(x, n, sum);
        result[r] = fold_lanes(sum);
      }
    }
  }

  static void blocks(const void* x, int64_t n, void* to) {
    Lanes sum;
    reduce_blocks(static_cast<const In*>(x), n, sum);
    __builtin_memcpy(to, &sum, sizeof sum);
  }

  static void fold(void* acc, int64_t results, void* out) {
    Acc* a = static_cast<Acc*>(acc);
    for (int64_t half = lanes / 2; half >= 1; half /= 2) combine_arrays(a, a + half * results, half * results);
    finish(a, results, out);
  }

  // The adding of one row of elements to a row of accumulators.
  static inline __attribute__((always_inline)) void add_row(const In* x, int64_t n, Acc* acc) {
    int64_t j = 0;
    for (; j + width <= n; j += width) store(acc + j, combine(load<V>(acc + j), read(x + j)));
    if (j < n) store(acc + j, combine(load<V>(acc + j), read_some(x + j, n - j)));
  }

  // Eight rows at once: the accumulator is read and written once for all of them.
  static inline __attribute__((always_inline)) void add_rows(const In* x, int64_t stride, int64_t n, Acc* acc,
                                                             bool fresh) {
    int64_t j = 0;
    for (; j + width <= n; j += width) {
      V sum = fresh ? identity() : load<V>(acc + j);
#pragma GCC unroll 8
      for (int r = 0; r < 8; ++r) sum = combine(sum, read(x + r * stride + j));
      store(acc + j, sum);
    }
    if (j < n) {
      V sum = fresh ? identity() : load<V>(acc + j);
      for (int r = 0; r < 8; ++r) sum = combine(sum, read_some(x + r * stride + j, n - j));
      store(acc + j, sum);
    }
  }

  static void column_rows(const void* data, int64_t rows, int64_t row_stride, int64_t columns, void* to, bool fresh) {
    const In* x = static_cast<const In*>(data);
    Acc* acc = static_cast<Acc*>(to);
    for (; rows >= 8; rows -= 8, x += 8 * row_stride, fresh = false) add_rows(x, row_stride, columns, acc, fresh);
    if (fresh) clear(acc, columns);
    for (; rows > 0; --rows, x += row_stride) add_row(x, columns, acc);
  }

  // Rows before `safe` are read as whole registers: what lies beyond their columns belongs to later rows and is never
  // looked at.
  static void narrow_blocks(const void* data, int64_t rows, int64_t row_stride, int64_t block_stride, int64_t columns,
                            void* to) {
    const In* x = static_cast<const In*>(data);
    V sum[kernels::narrow_together];
#pragma GCC unroll 8
    for (V& s : sum) s = identity();
    const int64_t safe = row_stride > 0 ? rows - 1 - width / row_stride : 0;
    int64_t r = 0;
    for (; r < safe; ++r, x += row_stride) {
#pragma GCC unroll 8
      for (int i = 0; i < kernels::narrow_together; ++i) sum[i] = combine(sum[i], read(x + i * block_stride));
    }
    for (; r < rows; ++r, x += row_stride) {
      for (int i = 0; i < kernels::narrow_together; ++i)
        sum[i] = combine(sum[i], read_some(x + i * block_stride, columns));
    }
    for (int i = 0; i < kernels::narrow_together; ++i)
      store(reinterpret_cast<Acc*>(static_cast<char*>(to) + i * kernels::accumulator_padding), sum[i]);
  }

  static void lane_rows(const void* data, int64_t first, int64_t rows, int64_t row_stride, int64_t columns, void* to,
                        int64_t acc_width) {
    const In* x = static_cast<const In*>(data);
    Acc* acc = static_cast<Acc*>(to);
    for (int64_t p = first; p < first + rows; ++p, x += row_stride) add_row(x, columns, acc + p % lanes * acc_width);
  }

  static void clear(void* to, int64_t n) {
    Acc* acc = static_cast<Acc*>(to);
    for (int64_t i = 0; i < n; i += width) store(acc + i, identity());
  }

  static void combine_arrays(Acc* into, const Acc* from, int64_t n) {
    int64_t i = 0;
    for (; i + width <= n; i += width) store(into + i, combine(load<V>(into + i), load<V>(from + i)));
    for (; i < n; ++i) into[i] = CombineType::combine(into[i], from[i]);
  }
  static void combine_erased(void* into, const void* from, int64_t n) {
    combine_arrays(static_cast<Acc*>(into), static_cast<const Acc*>(from), n);
  }

  static void finish(const void* from, int64_t n, void* out) {
    const Acc* acc = static_cast<const Acc*>(from);
    Out* result = static_cast<Out*>(out);
    for (int64_t i = 0; i < n; ++i) result[i] = MapType::output(acc[i]);
  }

  static constexpr kernels::ReduceKernel table(Compute out) {
    return {out,          sizeof(In),     sizeof(Acc), sizeof(Out), lanes,  &rows,           &blocks, &fold,
            &column_rows, &narrow_blocks, width,       &lane_rows,  &clear, &combine_erased, &finish};
  }
};

}  // namespace covec::COVEC_ISA
