// Copies windows of images into panels and computes rows of pools, for one instruction set. A pool's row is computed a
// register of results at a time. Each lane goes through its window row by row, so the order of adding is that of the
// window. Results whose windows reach into the padding are computed one by one in the same order. Start at Row::run().
#include "stdlib/convolution/windows_table.hpp"
#include "stdlib/kernels/gemm_vector.hpp"
#include "stdlib/kernels/reduce_body.hpp"

namespace covec::COVEC_ISA {

namespace {

using kernels::ChainRow;
using kernels::PoolRow;
using kernels::Run;

// --- panels ---

template <class T, bool Exact>
void copy_some_runs(const T* image, const int64_t* offset, int64_t k, const Run* runs, int64_t count, T* to,
                    int64_t padded) {
  using R = Register<T>;
  for (int64_t t = 0; t < k; ++t, to += padded) {
    const T* const from = image + offset[t];
    for (int64_t r = 0; r < count; ++r) {
      const T* source = from + runs[r].from;
      T* place = to + runs[r].at;
      int64_t left = runs[r].length;
      for (; left >= R::width; left -= R::width, source += R::width, place += R::width)
        R::write(place, R::read(source));
      if (left == 0) continue;
      if constexpr (Exact) {
        R::write(place, typename R::Mask(left).read(source));
      } else {
        R::write(place, R::read(source));
      }
    }
  }
}

template <class T>
void copy_runs(const void* image, const int64_t* offset, int64_t k, const Run* runs, int64_t count, bool exact,
               void* to, int64_t padded) {
  const T* from = static_cast<const T*>(image);
  T* panel = static_cast<T*>(to);
  if (exact) {
    copy_some_runs<T, true>(from, offset, k, runs, count, panel, padded);
  } else {
    copy_some_runs<T, false>(from, offset, k, runs, count, panel, padded);
  }
}

// --- rows of results ---

template <class T, int Rows>
struct Chains {
  using R = Register<T>;
  using V = typename R::V;
  static constexpr int together = COVEC_ISA_LEVEL == 2 || Rows <= 2 ? 4 : 2;  // registers of each row

  // Vectors registers from `o` on, all of their lanes.
  template <int Vectors>
  static inline void whole(const ChainRow& row, const T* image, const T* a, T* c, int64_t o) {
    V sum[Rows][Vectors] = {};
    for (int64_t t = 0; t < row.k; ++t) {
      const T* const from = image + row.offset[t] + o;
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        const V x = R::read(from + v * R::width);
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) sum[r][v] = R::multiply_add(R::broadcast(a[r * row.a_row + t]), x, sum[r][v]);
      }
    }
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < Vectors; ++v) {
        T* const to = c + r * row.c_row + o + v * R::width;
        R::write(to, row.add ? R::read(to) + sum[r][v] : sum[r][v]);
      }
    }
  }

  static inline void part(const ChainRow& row, const T* image, const T* a, T* c, int64_t o) {
    const typename R::Mask mask(row.length - o);
    V sum[Rows] = {};
    for (int64_t t = 0; t < row.k; ++t) {
      const T* const from = image + row.offset[t] + o;
      const V x = row.exact ? mask.read(from) : R::read(from);
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) sum[r] = R::multiply_add(R::broadcast(a[r * row.a_row + t]), x, sum[r]);
    }
    for (int r = 0; r < Rows; ++r) {
      T* const to = c + r * row.c_row + o;
      mask.write(to, row.add ? mask.read(to) + sum[r] : sum[r]);
    }
  }

  static void run(const ChainRow& row, const void* left, void* to) {
    const T* const image = static_cast<const T*>(row.image);
    const T* const a = static_cast<const T*>(left);
    T* const c = static_cast<T*>(to);
    int64_t o = 0;
    for (; o + together * R::width <= row.length; o += together * R::width) whole<together>(row, image, a, c, o);
    for (; o + R::width <= row.length; o += R::width) whole<1>(row, image, a, c, o);
    if (o < row.length) part(row, image, a, c, o);
  }
};

template <class T>
void chain_row(const ChainRow& row) {
  for (int64_t r = 0; r < row.rows; r += 4) {
    const T* const a = static_cast<const T*>(row.a) + r * row.a_row;
    T* const c = static_cast<T*>(row.c) + r * row.c_row;
    switch (row.rows - r) {
      case 1: Chains<T, 1>::run(row, a, c); break;
      case 2: Chains<T, 2>::run(row, a, c); break;
      case 3: Chains<T, 3>::run(row, a, c); break;
      default: Chains<T, 4>::run(row, a, c); break;
    }
  }
}

// --- pools ---

// As integer keys, so that NaN is above all and +0 above −0.
template <class T>
struct LargestOf {
  using Element = T;
  using Sum = Integer<T>;
  using K = Key<T, false>;
  static constexpr int width = register_bytes / sizeof(T);
  static constexpr Sum start = Largest<Sum>::identity;
  static Vector<Sum, width> key(Vector<T, width> x) { return K::template accumulator<width>(x); }
  static Sum key_of_one(T x) { return K::template accumulator<1>(Vector<T, 1>{x})[0]; }
  static Vector<Sum, width> take(Vector<Sum, width> sum, Vector<T, width> x) {
    return Largest<Sum>::combine(sum, key(x));
  }
  static Sum take_one(Sum sum, T x) {
    const Sum key = key_of_one(x);
    return key > sum ? key : sum;
  }
  static Vector<T, width> finish(Vector<Sum, width> key, int64_t) {
    const Vector<Sum, width> bits = key ^ ((key >> (8 * sizeof(T) - 1)) & K::magnitude);
    return reinterpret_cast<Vector<T, width>>(bits);
  }
  static T finish_one(Sum key, int64_t) { return K::output(key); }
};

template <class T>
struct LargestInteger {
  using Element = T;
  using Sum = T;
  static constexpr int width = register_bytes / sizeof(T);
  static constexpr Sum start = Largest<T>::identity;
  static Vector<T, width> key(Vector<T, width> x) { return x; }
  static T key_of_one(T x) { return x; }
  static Vector<T, width> take(Vector<T, width> sum, Vector<T, width> x) { return Largest<T>::combine(sum, x); }
  static Sum take_one(Sum sum, T x) { return x > sum ? x : sum; }
  static Vector<T, width> finish(Vector<T, width> sum, int64_t) { return sum; }
  static T finish_one(Sum sum, int64_t) { return sum; }
};

template <class T>
struct MeanOf {
  using Element = T;
  using Sum = T;
  static constexpr int width = register_bytes / sizeof(T);
  static constexpr Sum start = T(-0.0);
  static Vector<T, width> take(Vector<T, width> sum, Vector<T, width> x) { return sum + x; }
  static Sum take_one(Sum sum, T x) { return sum + x; }
  static Vector<T, width> finish(Vector<T, width> sum, int64_t count) {
    return sum / all<T, width>(static_cast<T>(count));
  }
  static T finish_one(Sum sum, int64_t count) { return sum / static_cast<T>(count); }
};

// Every Stride-th element.
template <class T, int width, int Stride>
inline Vector<T, width> read_apart(const T* from, int64_t stride) {
  using V = Vector<T, width>;
  if constexpr (Stride == 1) {
    return load<V>(from);
  } else if constexpr (Stride == 2) {
    Vector<Integer<T>, width> even;
    for (int i = 0; i < width; ++i) even[i] = static_cast<Integer<T>>(2 * i);
    return shuffle(load<V>(from), load<V>(from + width), even);
  } else {
    V v;
    for (int i = 0; i < width; ++i) v[i] = from[i * stride];
    return v;
  }
}

// What the windows of a row give: one(), and several<Stride, Columns>() for a register of them (Columns 0: any number).
template <class Pool>
struct Values {
  using T = typename Pool::Element;
  using Sum = typename Pool::Sum;
  using Result = T;
  static constexpr int width = Pool::width;

  static Result one(const PoolRow& row, int64_t begin, int64_t end) {
    const T* line = static_cast<const T*>(row.in);
    Sum sum = Pool::start;
    for (int64_t i = 0; i < row.height; ++i, line += row.row) {
      for (int64_t j = begin; j < end; ++j) sum = Pool::take_one(sum, line[j]);
    }
    return Pool::finish_one(sum, row.count);
  }

  template <int Stride, int Columns>
  static void several(const PoolRow& row, int64_t o, Result* to) {
    const int64_t columns = Columns == 0 ? row.width : Columns;
    const T* line = static_cast<const T*>(row.in) + (o * row.stride - row.before);
    Vector<Sum, width> sum = all<Sum, width>(Pool::start);
    for (int64_t i = 0; i < row.height; ++i, line += row.row) {
#pragma GCC unroll 4
      for (int64_t j = 0; j < columns; ++j) sum = Pool::take(sum, read_apart<T, width, Stride>(line + j, row.stride));
    }
    store(to, Pool::finish(sum, row.count));
  }
};

// Where the largest are, the first of equals.
template <class Pool>
struct LargestPositions {
  using T = typename Pool::Element;
  using Sum = typename Pool::Sum;
  using Result = int64_t;
  static constexpr int width = Pool::width;

  static Result one(const PoolRow& row, int64_t begin, int64_t end) {
    const T* line = static_cast<const T*>(row.in);
    Sum largest = Pool::key_of_one(line[begin]);
    Result place = row.place + begin;
    for (int64_t i = 0; i < row.height; ++i, line += row.row) {
      for (int64_t j = begin; j < end; ++j) {
        const Sum key = Pool::key_of_one(line[j]);
        if (key > largest) largest = key, place = row.place + i * row.row + j;
      }
    }
    return place;
  }

  // Lanes count windows' elements row by row; beyond what they can hold, one by one.
  template <int Stride, int Columns>
  static void several(const PoolRow& row, int64_t o, Result* to) {
    const int64_t columns = Columns == 0 ? row.width : Columns, first = o * row.stride - row.before;
    if (sizeof(T) < 8 && row.height * row.row >= (sizeof(T) == 1 ? int64_t{1} << 7 : int64_t{1} << 31)) {
      for (int l = 0; l < width; ++l) to[l] = one(row, first + l * row.stride, first + l * row.stride + row.width);
      return;
    }
    const T* line = static_cast<const T*>(row.in) + first;
    Vector<Sum, width> largest = all<Sum, width>(Pool::start), place{};
    for (int64_t i = 0; i < row.height; ++i, line += row.row) {
#pragma GCC unroll 4
      for (int64_t j = 0; j < columns; ++j) {
        const Vector<Sum, width> key = Pool::key(read_apart<T, width, Stride>(line + j, row.stride));
        const auto larger = key > largest;
        largest = larger ? key : largest;
        place = larger ? all<Sum, width>(static_cast<Sum>(i * row.row + j)) : place;
      }
    }
    for (int l = 0; l < width; ++l) to[l] = row.place + first + l * row.stride + place[l];
  }
};

template <class Windows>
struct Row {
  using T = typename Windows::T;
  using Result = typename Windows::Result;
  static constexpr int width = Windows::width;

  static void one(const PoolRow& row, int64_t o) {
    const int64_t at = o * row.stride - row.before;
    const int64_t begin = at < 0 ? 0 : at, end = at + row.width < row.columns ? at + row.width : row.columns;
    static_cast<Result*>(row.to)[o] = Windows::one(row, begin, end);
  }

  // Results [begin, end) have whole windows. A register's worth of reads may go past a row's end, not past the input's.
  template <int Stride, int Columns>
  static void inside(const PoolRow& row, int64_t begin, int64_t end) {
    const T* last = static_cast<const T*>(row.in) + (row.height - 1) * row.row - row.before + row.width - 1;
    const int64_t reach = Stride == 2 ? 2 * width : (width - 1) * row.stride + 1;
    const auto readable = [&](int64_t o) { return o * row.stride + reach <= static_cast<const T*>(row.end) - last; };
    Result* const to = static_cast<Result*>(row.to);
    int64_t o = begin;
    for (; o + width <= end && readable(o); o += width) Windows::template several<Stride, Columns>(row, o, to + o);
    if (o < end && o + width > end && readable(o)) {
      Result results[width];
      Windows::template several<Stride, Columns>(row, o, results);
      __builtin_memcpy(to + o, results, static_cast<size_t>(end - o) * sizeof(Result));
      o = end;
    }
    for (; o < end; ++o) one(row, o);
  }

  static void run(const PoolRow& row) {
    int64_t begin = row.before == 0 ? 0 : (row.before + row.stride - 1) / row.stride;
    const int64_t room = row.columns + row.before - row.width;
    int64_t end = room < 0 ? 0 : room / row.stride + 1;
    if (end > row.out) end = row.out;
    if (begin > end) begin = end;
    for (int64_t o = 0; o < begin; ++o) one(row, o);
    if (row.stride == 1) {
      row.width == 2   ? inside<1, 2>(row, begin, end)
      : row.width == 3 ? inside<1, 3>(row, begin, end)
                       : inside<1, 0>(row, begin, end);
    } else if (row.stride == 2 && sizeof(T) >= 4) {
      row.width == 2   ? inside<2, 2>(row, begin, end)
      : row.width == 3 ? inside<2, 3>(row, begin, end)
                       : inside<2, 0>(row, begin, end);
    } else {
      inside<0, 0>(row, begin, end);
    }
    for (int64_t o = end; o < row.out; ++o) one(row, o);
  }
};

template <class Pool>
constexpr kernels::PoolRowKernel values_of = &Row<Values<Pool>>::run;
template <class Pool>
constexpr kernels::PoolRowKernel places_of = &Row<LargestPositions<Pool>>::run;

constexpr kernels::WindowKernels table{
    &copy_runs<uint32_t>,
    &copy_runs<uint64_t>,
    {nullptr, &chain_row<uint32_t>, &chain_row<uint64_t>, &chain_row<float>, &chain_row<double>},
    {values_of<LargestInteger<int8_t>>, values_of<LargestInteger<int32_t>>, values_of<LargestInteger<int64_t>>,
     values_of<LargestOf<float>>, values_of<LargestOf<double>>},
    {places_of<LargestInteger<int8_t>>, places_of<LargestInteger<int32_t>>, places_of<LargestInteger<int64_t>>,
     places_of<LargestOf<float>>, places_of<LargestOf<double>>},
    {nullptr, nullptr, nullptr, values_of<MeanOf<float>>, values_of<MeanOf<double>>}};

}  // namespace

const kernels::WindowKernels& window_kernels() { return table; }

}  // namespace covec::COVEC_ISA
