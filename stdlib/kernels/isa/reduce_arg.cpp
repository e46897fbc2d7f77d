// Searches for the first largest or smallest element, per instruction set. Along a row it takes the largest key of a
// block; its position in the block is searched only if the key exceeds all before. Along columns it keeps keys and row
// numbers side by side, in integers of the element's size.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "stdlib/kernels/reduce_body.hpp"

namespace covec::COVEC_ISA {

namespace {

using kernels::ArgKernel;
using kernels::ArgState;

template <class V>
bool any_lane(V mask) {
#if COVEC_ISA_LEVEL == 2
  return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
#elif COVEC_ISA_LEVEL == 1
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(mask)) != 0;
#else
#if defined(__x86_64__)
  // The largest of many i32 is found in 5/6 of the time, but of 64 bits the other way takes half as long.
  if constexpr (sizeof(mask[0]) < 8) return _mm_movemask_epi8(reinterpret_cast<__m128i>(mask)) != 0;
#endif
  const Vector<int64_t, 2> halves = reinterpret_cast<Vector<int64_t, 2> >(mask);
  return (halves[0] | halves[1]) != 0;
#endif
}

template <class MapType, class CombineType, bool SmallestWins>
struct Search {
  using L = Loops<MapType, CombineType>;
  using In = typename L::In;
  using Acc = typename L::Acc;
  using V = typename L::V;
  static constexpr int width = L::width;
  static constexpr int64_t tile = 1024;  // columns: at most 16 KiB of keys and rows on the stack
  static constexpr int64_t max_rows = sizeof(Acc) == 1 ? 100 : int64_t{1} << 30;  // a row number must fit into an Acc

  template <class T>
  static auto beats(T a, T b) {
    if constexpr (SmallestWins) {
      return a < b;
    } else {
      return a > b;
    }
  }

  static Acc best_of(const In* x, int64_t n) {
    typename L::Lanes lanes = L::reduce_block(x, n);
    for (int i = 1; i < L::registers; ++i) lanes.v[0] = L::combine(lanes.v[0], lanes.v[i]);
    return L::template fold_vector<width>(lanes.v[0]);
  }

  static int64_t find(const In* x, int64_t n, Acc key) {
    int64_t p = 0;
    for (; p + width <= n; p += width) {
      const V keys = L::read(x + p);
      const auto same = keys == all<Acc, width>(key);
      if (!any_lane(same)) continue;
      for (int64_t i = 0; i < width; ++i) {
        if (same[i]) return p + i;
      }
    }
    const V rest = L::read_some(x + p, n - p);
    for (int64_t i = 0; i < n - p; ++i) {
      if (rest[i] == key) return p + i;
    }
    return 0;
  }

  static void row(const void* data, int64_t n, int64_t position, ArgState* state) {
    const In* x = static_cast<const In*>(data);
    for (int64_t p = 0; p < n; p += L::block) {
      const int64_t count = n - p < L::block ? n - p : L::block;
      const Acc key = best_of(x + p, count);
      if (state->position >= 0 && !beats(int64_t{key}, state->key)) continue;
      *state = {key, position + p + find(x + p, count, key)};
    }
  }

  // The best of each of `columns` ≤ tile columns, and its row.
  static void search_tile(const In* x, int64_t rows, int64_t stride, int64_t columns, Acc* best, Acc* row) {
    for (int64_t j = 0; j < columns; j += width) {
      store(best + j, j + width <= columns ? L::read(x + j) : L::read_some(x + j, columns - j));
      store(row + j, V{});
    }
    for (int64_t r = 1; r < rows; ++r) {
      const V number = all<Acc, width>(static_cast<Acc>(r));
      for (int64_t j = 0; j < columns; j += width) {
        const V key =
            j + width <= columns ? L::read(x + r * stride + j) : L::read_some(x + r * stride + j, columns - j);
        const V old = load<V>(best + j);
        const auto better = beats(key, old);
        store(best + j, better ? key : old);
        store(row + j, better ? number : load<V>(row + j));
      }
    }
  }

  static void columns(const void* data, int64_t rows, int64_t row_stride, int64_t columns, int64_t position,
                      int64_t* keys, int64_t* positions) {
    const In* x = static_cast<const In*>(data);
    alignas(64) Acc best[tile], row[tile];
    for (int64_t first = 0; first < rows; first += max_rows) {
      const int64_t count = rows - first < max_rows ? rows - first : max_rows;
      for (int64_t c = 0; c < columns; c += tile) {
        const int64_t n = columns - c < tile ? columns - c : tile;
        search_tile(x + first * row_stride + c, count, row_stride, n, best, row);
        for (int64_t j = 0; j < n; ++j) {
          if (position + first > 0 && !beats(int64_t{best[j]}, keys[c + j])) continue;
          keys[c + j] = best[j];
          positions[c + j] = position + first + row[j];
        }
      }
    }
  }

  static constexpr ArgKernel table() { return {sizeof(In), &row, &columns}; }
};

template <class T>
using Same = Converted<T, T>;

constexpr ArgKernel largest[] = {Search<Same<int8_t>, Largest<int8_t>, false>::table(),
                                 Search<Same<int32_t>, Largest<int32_t>, false>::table(),
                                 Search<Same<int64_t>, Largest<int64_t>, false>::table(),
                                 Search<Key<float, false>, Largest<int32_t>, false>::table(),
                                 Search<Key<double, false>, Largest<int64_t>, false>::table()};
constexpr ArgKernel smallest[] = {
    Search<Same<int8_t>, Smallest<int8_t>, true>::table(), Search<Same<int32_t>, Smallest<int32_t>, true>::table(),
    Search<Same<int64_t>, Smallest<int64_t>, true>::table(), Search<Key<float, true>, Smallest<int32_t>, true>::table(),
    Search<Key<double, true>, Smallest<int64_t>, true>::table()};

}  // namespace

const ArgKernel* arg_kernel(bool smallest_wins, Compute compute) {
  return &(smallest_wins ? smallest : largest)[static_cast<int>(compute)];
}

}  // namespace covec::COVEC_ISA
