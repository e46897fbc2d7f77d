// Plans pools. Rows of results go to the instruction set's kernels; derivatives use plain loops.
#include "stdlib/convolution/pool.hpp"

#include <algorithm>
#include <cstring>

#include "stdlib/convolution/windows.hpp"
#include "stdlib/kernels/strided.hpp"

namespace covec::kernels {

namespace {

constexpr int64_t grain_elements = int64_t{1} << 15;  // in a piece for a thread

// The elements that window number o covers.
struct Covered {
  int64_t begin, end;
  Covered(const WindowAxis& axis, int64_t o)
      : begin(std::max<int64_t>(0, o * axis.stride - axis.before)),
        end(std::min(axis.in, o * axis.stride - axis.before + axis.window)) {}
};

// body(begin, end) over units of `elements` each.
template <class F>
void share_out(ops::Context& context, int64_t units, int64_t elements, F&& body) {
  parallel_units(context, units, std::max<int64_t>(1, grain_elements / std::max<int64_t>(1, elements)), body);
}

void pool_rows(ops::Context& context, const Pool2d& pool, PoolRowKernel kernel, const std::byte* x, std::byte* to,
               size_t result_size) {
  const int64_t size = static_cast<int64_t>(size_of(pool.dtype)), image = pool.rows.in * pool.columns.in * size;
  const std::byte* const end = x + pool.images * image;
  const int64_t work = pool.columns.in * std::min(pool.rows.in, pool.rows.window);
  share_out(context, pool.images * pool.rows.out, work, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const Covered rows(pool.rows, i % pool.rows.out);
      kernel({x + i / pool.rows.out * image + rows.begin * pool.columns.in * size, end, pool.columns.in,
              rows.end - rows.begin, pool.columns.in, pool.columns.out, pool.columns.window, pool.columns.stride,
              pool.columns.before, pool.rows.window * pool.columns.window, rows.begin * pool.columns.in,
              to + i * pool.columns.out * static_cast<int64_t>(result_size)});
    }
  });
}

template <class T>
void spread_image(const Pool2d& pool, const T* y, T* to) {
  const T count = static_cast<T>(pool.rows.window * pool.columns.window);
  std::fill_n(to, pool.rows.in * pool.columns.in, T(0));
  for (int64_t i = 0; i < pool.rows.out; ++i) {
    const Covered rows(pool.rows, i);
    for (int64_t o = 0; o < pool.columns.out; ++o) {
      const Covered columns(pool.columns, o);
      const T share = *y++ / count;
      for (int64_t r = rows.begin; r < rows.end; ++r) {
        for (int64_t s = columns.begin; s < columns.end; ++s) to[r * pool.columns.in + s] += share;
      }
    }
  }
}

template <class F>
void of_float(Dtype dtype, F f) {
  dtype == Dtype::f32 ? f(float{}) : f(double{});
}

}  // namespace

void pool_largest(ops::Context& context, const Pool2d& pool, const std::byte* x, std::byte* to) {
  pool_rows(context, pool, windows_for(context.isa).largest[static_cast<int>(compute_of(pool.dtype))], x, to,
            size_of(pool.dtype));
}

void pool_mean(ops::Context& context, const Pool2d& pool, const std::byte* x, std::byte* to) {
  pool_rows(context, pool, windows_for(context.isa).mean[static_cast<int>(compute_of(pool.dtype))], x, to,
            size_of(pool.dtype));
}

void pool_places(ops::Context& context, const Pool2d& pool, const std::byte* x, int64_t* to) {
  pool_rows(context, pool, windows_for(context.isa).place[static_cast<int>(compute_of(pool.dtype))], x,
            reinterpret_cast<std::byte*>(to), sizeof(int64_t));
}

void spread_mean(ops::Context& context, const Pool2d& pool, const std::byte* y, std::byte* to) {
  const int64_t inside = pool.rows.in * pool.columns.in, outside = pool.rows.out * pool.columns.out;
  of_float(pool.dtype, [&](auto element) {
    using T = decltype(element);
    share_out(context, pool.images, inside, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        spread_image(pool, reinterpret_cast<const T*>(y) + i * outside, reinterpret_cast<T*>(to) + i * inside);
    });
  });
}

void read_places(ops::Context& context, Dtype dtype, int64_t images, int64_t inside, int64_t outside,
                 const std::byte* x, const int64_t* places, std::byte* to) {
  of_float(dtype, [&](auto element) {
    using T = decltype(element);
    share_out(context, images, outside, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* const from = reinterpret_cast<const T*>(x) + i * inside;
        for (int64_t o = i * outside; o < (i + 1) * outside; ++o) reinterpret_cast<T*>(to)[o] = from[places[o]];
      }
    });
  });
}

void add_at_places(ops::Context& context, Dtype dtype, int64_t images, int64_t inside, int64_t outside,
                   const std::byte* y, const int64_t* places, std::byte* to) {
  of_float(dtype, [&](auto element) {
    using T = decltype(element);
    share_out(context, images, inside, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* const sums = reinterpret_cast<T*>(to) + i * inside;
        std::fill_n(sums, inside, T(0));
        for (int64_t o = i * outside; o < (i + 1) * outside; ++o) sums[places[o]] += reinterpret_cast<const T*>(y)[o];
      }
    });
  });
}

}  // namespace covec::kernels
