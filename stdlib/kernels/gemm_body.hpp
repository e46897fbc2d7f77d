// Tiles of a product, written once over registers of whatever width the instruction set has. Each element is one chain
// of multiply-adds along k from zero, so a tile's size and shape never show in the bits. For inclusion by sources of
// covec_isa_library() alone. Start at tile_of().
#pragma once

#include "stdlib/kernels/gemm_table.hpp"
#include "stdlib/kernels/gemm_vector.hpp"

namespace covec::COVEC_ISA {

using kernels::product_block;
using kernels::Store;
using kernels::Tile;

template <class T>
struct Products {
  using R = Register<T>;
  using V = typename R::V;
  using Mask = typename R::Mask;
  static constexpr int width = R::width;
  // Sums in registers: 24 of 32 leave room for a row of b and a broadcast; 12 of 16 likewise.
  static constexpr int max_rows = COVEC_ISA_LEVEL == 2 ? 8 : COVEC_ISA_LEVEL == 1 ? 6 : 4;
  static constexpr int max_vectors = COVEC_ISA_LEVEL == 2 ? 3 : 2;

  static inline __attribute__((always_inline)) V joined(V c, V sum, Store store) {
    return store == Store::add ? c + sum : c - sum;
  }
  static inline __attribute__((always_inline)) void finish(T* c, V sum, Store store) {
    R::write(c, store == Store::replace ? sum : joined(R::read(c), sum, store));
  }
  static inline __attribute__((always_inline)) void finish(T* c, V sum, Store store, const Mask& mask) {
    mask.write(c, store == Store::replace ? sum : joined(mask.read(c), sum, store));
  }

  // Rows × Vectors registers of sums; the last vector is masked.
  template <int Rows, int Vectors>
  static void tile_of(const Tile& tile) {
    const Mask mask(tile.columns - (Vectors - 1) * width);
    const int64_t k = tile.k, a_row = tile.a_row, a_k = tile.a_k, b_k = tile.b_k, c_row = tile.c_row;
    const Store store = tile.store;
    const T* a = static_cast<const T*>(tile.a);
    const T* a4 = a + 4 * a_row;
    const T* b = static_cast<const T*>(tile.b);
    const std::byte* ahead = tile.ahead;
    const int64_t ahead_step = tile.ahead_step;
    V sum[Rows][Vectors];
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) sum[i][v] = V{};
    }
    for (int64_t t = 0; t < k; ++t) {
      V row[Vectors];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors - 1; ++v) row[v] = R::read(b + v * width);
      row[Vectors - 1] = mask.read(b + (Vectors - 1) * width);
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i) {
        const V x = R::broadcast(i < 4 ? a[i * a_row] : a4[(i - 4) * a_row]);
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) sum[i][v] = R::multiply_add(x, row[v], sum[i][v]);
      }
      a += a_k;
      a4 += a_k;
      b += b_k;
      __builtin_prefetch(ahead, 0, 2);
      ahead += ahead_step;
    }
    T* c = static_cast<T*>(tile.c);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i, c += c_row) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors - 1; ++v) finish(c + v * width, sum[i][v], store);
      finish(c + (Vectors - 1) * width, sum[i][Vectors - 1], store, mask);
    }
  }

  using TileFunction = void (*)(const Tile&);
  template <int Rows>
  static TileFunction pick_vectors(int64_t vectors) {
    if constexpr (max_vectors == 3) {
      if (vectors == 3) return &tile_of<Rows, 3>;
    }
    return vectors == 2 ? &tile_of<Rows, 2> : &tile_of<Rows, 1>;
  }

  static void tile(const Tile& tile) {
    const int64_t vectors = (tile.columns + width - 1) / width;
    switch (tile.rows) {
      case 1: return pick_vectors<1>(vectors)(tile);
      case 2: return pick_vectors<2>(vectors)(tile);
      case 3: return pick_vectors<3>(vectors)(tile);
      case 4: return pick_vectors<4>(vectors)(tile);
      case 5: return pick_vectors < max_rows >= 5 ? 5 : 1 > (vectors)(tile);
      case 6: return pick_vectors < max_rows >= 6 ? 6 : 1 > (vectors)(tile);
      case 7: return pick_vectors < max_rows >= 7 ? 7 : 1 > (vectors)(tile);
      default: return pick_vectors < max_rows >= 8 ? 8 : 1 > (vectors)(tile);
    }
  }

  // A square of up to width × width, transposed: lane j of register t is b[t + j · b_column].
  static inline __attribute__((always_inline)) void read_transposed(const T* b, int64_t b_column, int64_t columns,
                                                                    int64_t k, V (&square)[width]) {
    if (columns >= width && k >= width) {
#pragma GCC unroll 16
      for (int j = 0; j < width; ++j) {
        square[j] = R::read(b + j * b_column);
        __builtin_prefetch(b + j * b_column + 4 * width);
      }
    } else {
      const Mask mask(k);
#pragma GCC unroll 16
      for (int j = 0; j < width; ++j) square[j] = j < columns ? mask.read(b + j * b_column) : V{};
    }
    transpose<T>(square);
  }

  static void pack_transposed(const T* b, int64_t b_column, int64_t k, int64_t columns, int64_t padded, T* to) {
    for (int64_t j = 0; j < padded; j += width) {
      for (int64_t t = 0; t < k; t += width) {
        V square[width];
        read_transposed(b + j * b_column + t, b_column, columns - j, k - t, square);
        const int64_t rows = k - t < width ? k - t : width;
        for (int64_t i = 0; i < rows; ++i) R::write(to + (t + i) * padded + j, square[i]);
      }
    }
  }

  static void pack(const void* from, int64_t b_k, int64_t b_column, int64_t k, int64_t columns, int64_t padded,
                   void* packed) {
    const T* b = static_cast<const T*>(from);
    T* to = static_cast<T*>(packed);
    if (b_column != 1 && b_k == 1) return pack_transposed(b, b_column, k, columns, padded, to);
    for (int64_t t = 0; t < k; ++t, b += b_k, to += padded) {
      int64_t j = 0;
      if (b_column == 1) {
        for (; j + width <= columns; j += width) R::write(to + j, R::read(b + j));
      }
      for (; j < columns; ++j) to[j] = b[j * b_column];
      for (; j < padded; ++j) to[j] = 0;
    }
  }

  // Some steps of k at a time over a strip of results that stays in the first-level cache.
  template <int steps>
  static void strip_of_steps(const T* x, int64_t x_k, const T* b, int64_t b_k, int64_t columns, T* chain) {
    V factor[steps];
#pragma GCC unroll 8
    for (int i = 0; i < steps; ++i) factor[i] = R::broadcast(x[i * x_k]);
    int64_t j = 0;
    for (; j + width <= columns; j += width) {
      V sum = R::read(chain + j);
#pragma GCC unroll 8
      for (int i = 0; i < steps; ++i) sum = R::multiply_add(factor[i], R::read(b + i * b_k + j), sum);
      R::write(chain + j, sum);
    }
    if (j == columns) return;
    const Mask mask(columns - j);
    V sum = R::read(chain + j);
#pragma GCC unroll 8
    for (int i = 0; i < steps; ++i) sum = R::multiply_add(factor[i], mask.read(b + i * b_k + j), sum);
    R::write(chain + j, sum);
  }

  static void strip_of_rows(int64_t k, const T* x, int64_t x_k, const T* b, int64_t b_k, int64_t columns, T* chain) {
    constexpr int steps = 8;  // rows of the matrix that one walk over the columns adds
    for (int64_t j = 0; j < columns; j += width) R::write(chain + j, V{});
    int64_t t = 0;
    for (; t + steps <= k; t += steps) strip_of_steps<steps>(x + t * x_k, x_k, b + t * b_k, b_k, columns, chain);
    for (; t < k; ++t) strip_of_steps<1>(x + t * x_k, x_k, b + t * b_k, b_k, columns, chain);
  }

  static void rows_of_k(int64_t k, const void* vector, int64_t x_k, const void* matrix, int64_t b_k, int64_t columns,
                        void* to, Store store) {
    constexpr int64_t strip = 1024;  // columns: 8 KiB of f64 sums, in the first-level cache
    alignas(64) T chain[strip];
    const T* b = static_cast<const T*>(matrix);
    T* c = static_cast<T*>(to);
    for (int64_t j = 0; j < columns; j += strip) {
      const int64_t count = columns - j < strip ? columns - j : strip;
      strip_of_rows(k, static_cast<const T*>(vector), x_k, b + j, b_k, count, chain);
      for (int64_t i = 0; i < count; i += width) {
        if (count - i >= width) {
          finish(c + j + i, R::read(chain + i), store);
        } else {
          finish(c + j + i, R::read(chain + i), store, Mask(count - i));
        }
      }
    }
  }

  // Registers of results side by side, each lane a chain: squares are transposed on the way.
  static void columns_of_k(int64_t k, const void* vector, int64_t x_k, const void* matrix, int64_t b_column,
                           int64_t columns, void* to, Store store) {
    constexpr int groups = 4;  // independent chains hide the latency of the multiply-add
    const T* x = static_cast<const T*>(vector);
    const T* b = static_cast<const T*>(matrix);
    T* c = static_cast<T*>(to);
    for (int64_t j = 0; j < columns; j += groups * width) {
      V sum[groups] = {};
      for (int64_t t = 0; t < k; t += width) {
        const int64_t steps = k - t < width ? k - t : width;
        for (int g = 0; g < groups && j + g * width < columns; ++g) {
          V square[width];
          read_transposed(b + (j + g * width) * b_column + t, b_column, columns - j - g * width, steps, square);
          if (steps == width) {
#pragma GCC unroll 16
            for (int i = 0; i < width; ++i) sum[g] = R::multiply_add(R::broadcast(x[(t + i) * x_k]), square[i], sum[g]);
          } else {
            for (int64_t i = 0; i < steps; ++i)
              sum[g] = R::multiply_add(R::broadcast(x[(t + i) * x_k]), square[i], sum[g]);
          }
        }
      }
      for (int g = 0; g < groups && j + g * width < columns; ++g)
        finish(c + j + g * width, sum[g], store, Mask(columns - j - g * width));
    }
  }

  static void dot(int64_t k, const void* left, int64_t a_k, const void* right, int64_t b_k, void* to) {
    constexpr int chains = 8;  // blocks of k that are added side by side
    const T* a = static_cast<const T*>(left);
    const T* b = static_cast<const T*>(right);
    T result = 0;
    bool first = true;
    for (int64_t begin = 0; begin < k;) {
      T sum[chains] = {};
      const bool many = k - begin >= chains * product_block;
      const int64_t length = many || k - begin > product_block ? product_block : k - begin;
      const int count = many ? chains : 1;
      const T* x = a + begin * a_k;
      const T* y = b + begin * b_k;
      if (many) {
        for (int64_t t = 0; t < length; ++t) {
#pragma GCC unroll 8
          for (int i = 0; i < chains; ++i)
            sum[i] = R::multiply_add(x[(i * product_block + t) * a_k], y[(i * product_block + t) * b_k], sum[i]);
        }
      } else {
        for (int64_t t = 0; t < length; ++t) sum[0] = R::multiply_add(x[t * a_k], y[t * b_k], sum[0]);
      }
      for (int i = 0; i < count; ++i, first = false) result = first ? sum[i] : result + sum[i];
      begin += count * length;
    }
    *static_cast<T*>(to) = result;
  }

  static bool scaled_row(const void* number, const void* row, int64_t columns, void* to) {
    const T d = *static_cast<const T*>(number);
    const V all = R::broadcast(d);
    const T* b = static_cast<const T*>(row);
    T* c = static_cast<T*>(to);
    V off{};  // 0, or NaN where something is not finite
    Vector<Integer<T>, width> lost{};
    int64_t j = 0;
    for (; j + width <= columns; j += width) {
      const V x = R::read(b + j), scaled = all * x + V{};
      off += scaled - scaled;
      lost |= (scaled == V{}) & (x != V{});
      R::write(c + j, scaled);
    }
    T rest = 0;
    bool underflows = false;
    for (; j < columns; ++j) {
      c[j] = d * b[j] + T(0);
      rest += c[j] - c[j];
      underflows |= c[j] == 0 && b[j] != 0;
    }
    for (int i = 0; i < width; ++i) {
      rest += off[i];
      underflows |= lost[i] != 0;
    }
    return rest == 0 && (d == 0 || !underflows);
  }

  static constexpr kernels::GemmKernel table() {
    constexpr bool is_float = T(0.5) != 0;
    return {sizeof(T), max_rows,   max_vectors,   width, &tile,
            &pack,     &rows_of_k, &columns_of_k, &dot,  is_float ? &scaled_row : nullptr};
  }
};

}  // namespace covec::COVEC_ISA
