// The three products of a convolution and its derivatives. Two are correlations over an image: the convolution itself,
// and the derivative by the input. With a stride, the latter is one correlation for each part of the window that
// reaches a given group of elements. The derivative by the weights runs along all positions of all examples, and takes
// the windows of a few weights at a time.
#include <cstring>

#include "stdlib/convolution/convolve_plan.hpp"
#include "stdlib/kernels/gemm.hpp"

namespace covec::kernels {

namespace {

// --- by the image ---

// (groups, out, in, window) as (groups, in, out, the shares' part of the window, flipped).
template <class T>
void flip(const Convolution& c, const Share& rows, const Share& columns, const T* w, T* to) {
  const int64_t width = c.columns.window, window = c.rows.window * width;
  for (int64_t g = 0; g < c.groups; ++g, w += c.out_channels * c.in_channels * window) {
    for (int64_t i = 0; i < c.in_channels; ++i) {
      for (int64_t o = 0; o < c.out_channels; ++o) {
        const T* from = w + (o * c.in_channels + i) * window;
        for (int64_t r = rows.count; r-- > 0;) {
          for (int64_t s = columns.count; s-- > 0;)
            *to++ = from[(rows.first + r * rows.step) * width + columns.first + s * columns.step];
        }
      }
    }
  }
}

// The shares' results to their places among the others'.
template <class T>
void put_apart(ops::Context& context, const Convolution& c, const Share& rows, const Share& columns, const T* from,
               T* to) {
  const int64_t down = rows.axis.out, across = columns.axis.out, image = c.rows.in * c.columns.in;
  const int64_t images = c.examples * c.groups * c.in_channels;
  parallel_units(context, images, std::max<int64_t>(1, 65536 / (down * across)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t r = 0; r < down; ++r) {
        const T* line = from + (i * down + r) * across;
        T* place = to + i * image + (rows.place + r * c.rows.stride) * c.columns.in + columns.place;
        for (int64_t s = 0; s < across; ++s) place[s * c.columns.stride] = line[s];
      }
    }
  });
}

template <class T>
void input_shares(ops::Context& context, const Convolution& c, const std::byte* y, const T* w, T* x) {
  const bool apart = c.rows.stride > 1 || c.columns.stride > 1;
  const int64_t window = c.rows.window * c.columns.window, images = c.examples * c.groups * c.in_channels;
  const int64_t most = ((c.rows.in - 1) / c.rows.stride + 1) * ((c.columns.in - 1) / c.columns.stride + 1);
  const Scratch flipped(*context.pool,
                        static_cast<uint64_t>(c.groups * c.out_channels * c.in_channels * window) * sizeof(T));
  const Scratch part(*context.pool, apart ? static_cast<uint64_t>(images * most) * sizeof(T) : 0);
  T* const weights = reinterpret_cast<T*>(flipped.data());
  for (int64_t i = 0; i < std::min(c.rows.stride, c.rows.in); ++i) {
    const Share rows(c.rows, i);
    for (int64_t j = 0; j < std::min(c.columns.stride, c.columns.in); ++j) {
      const Share columns(c.columns, j);
      flip(c, rows, columns, w, weights);
      std::byte* const to = apart ? part.data() : reinterpret_cast<std::byte*>(x);
      correlate(context, {c.dtype, c.examples, c.groups, c.in_channels, c.out_channels, rows.axis, columns.axis, y,
                          flipped.data(), to});
      if (apart) put_apart(context, c, rows, columns, reinterpret_cast<const T*>(to), x);
    }
  }
}

// --- by the weights ---

// Positions [begin, end) of one axis whose element i lies inside the input.
struct Inside {
  int64_t begin, end;
  Inside(const WindowAxis& axis, int64_t i) {
    const int64_t shift = axis.before - i * axis.dilation;  // out·stride − shift is the element
    begin = shift <= 0 ? 0 : (shift + axis.stride - 1) / axis.stride;
    const int64_t room = axis.in - 1 + shift;
    end = room < 0 ? 0 : std::min(axis.out, room / axis.stride + 1);
    if (begin > end) begin = end;
  }
};

template <class T>
struct WeightSum {
  const Convolution& c;
  const GemmKernel& kernel;
  const T* y;
  const T* x;
  T* sums;                     // (k of the window, out_channels) of each group
  const ops::Context* polled;  // for interrupts, where it runs on the calling thread alone

  int64_t window() const { return c.rows.window * c.columns.window; }
  int64_t weights() const { return c.in_channels * window(); }
  int64_t positions() const { return c.rows.out * c.columns.out; }
  int64_t padded() const { return (c.out_channels + kernel.width - 1) / kernel.width * kernel.width; }
  uint64_t bytes() const {
    return static_cast<uint64_t>(product_block * (padded() + kernel.tile_rows)) * kernel.size + 64;
  }

  // Rows of weights [begin, end) of group g, over all blocks of positions.
  void sum(int64_t g, int64_t begin, int64_t end, std::byte* memory) const {
    T* const right = reinterpret_cast<T*>(memory);
    T* const left = right + product_block * padded();
    const int64_t all = c.examples * positions();
    for (int64_t k = 0; k < all; k += product_block) {
      const int64_t steps = std::min(product_block, all - k);
      if (polled != nullptr) poll_interrupt(*polled);
      take_results(g, k, steps, right);
      const Cut rows = Cut::into(end - begin, kernel.tile_rows);
      for (int64_t r = 0; r < rows.pieces; ++r) {
        const int64_t first = begin + rows.at(r), count = rows.at(r + 1) - rows.at(r);
        for (int64_t i = 0; i < count; ++i) take_windows(g, first + i, k, steps, left + i * product_block);
        multiply(g, first, count, steps, left, right, k == 0 ? Store::replace : Store::add);
      }
    }
  }

 private:
  static constexpr int64_t max_single = 2;  // channels that are not worth turning squares of registers

  Cut panels() const { return Cut::into(padded() / kernel.width, kernel.tile_vectors); }

  // The block's part of y, positions downwards, in panels of channels.
  void take_results(int64_t g, int64_t k, int64_t steps, T* to) const {
    const Cut cut = panels();
    for (int64_t p = 0; p < cut.pieces; ++p) {
      const int64_t first = cut.at(p) * kernel.width, wide = cut.at(p + 1) * kernel.width - first,
                    columns = std::min(c.out_channels, first + wide) - first;
      for (int64_t t = 0; t < steps;) {
        const int64_t example = (k + t) / positions(), at = (k + t) % positions(),
                      count = std::min(steps - t, positions() - at);
        const T* from = y + ((example * c.groups + g) * c.out_channels + first) * positions() + at;
        pack(from, count, columns, wide, to + first * steps + t * wide);
        t += count;
      }
    }
  }

  // Positions downwards; what lies beyond `columns` is not read.
  void pack(const T* from, int64_t count, int64_t columns, int64_t wide, T* to) const {
    if (columns > max_single) return kernel.pack(from, 1, positions(), count, columns, wide, to);
    for (int64_t j = 0; j < columns; ++j, from += positions()) {
      for (int64_t t = 0; t < count; ++t) to[t * wide + j] = from[t];
    }
  }

  // What weight number `row` meets at the block's positions.
  void take_windows(int64_t g, int64_t row, int64_t k, int64_t steps, T* to) const {
    const int64_t i = row / c.columns.window % c.rows.window, j = row % c.columns.window, channel = row / window();
    const Inside down(c.rows, i), across(c.columns, j);
    const int64_t shift = j * c.columns.dilation - c.columns.before;
    int64_t example = k / positions(), line = k % positions() / c.columns.out, begin = k % c.columns.out;
    for (int64_t t = 0; t < steps;) {
      const int64_t end = std::min(c.columns.out, begin + steps - t);
      const int64_t from = std::clamp(across.begin, begin, end), until = std::clamp(across.end, from, end);
      T* const place = to + t - begin;
      if (line < down.begin || line >= down.end || from == until) {
        std::fill(place + begin, place + end, T(0));
      } else {
        const int64_t source_row = line * c.rows.stride + i * c.rows.dilation - c.rows.before;
        const T* const source =
            x + (((example * c.groups + g) * c.in_channels + channel) * c.rows.in + source_row) * c.columns.in + shift;
        for (int64_t o = begin; o < from; ++o) place[o] = T(0);
        take_line(source, from, until, place);
        for (int64_t o = until; o < end; ++o) place[o] = T(0);
      }
      t += end - begin;
      begin = 0;
      if (++line == c.rows.out) line = 0, ++example;
    }
  }

  // place[o] = source[o · stride]
  void take_line(const T* source, int64_t from, int64_t until, T* place) const {
    if (c.columns.stride == 1) {
      std::copy(source + from, source + until, place + from);
    } else if (c.columns.stride == 2) {
      for (int64_t o = from; o < until; ++o) place[o] = source[2 * o];
    } else {
      for (int64_t o = from; o < until; ++o) place[o] = source[o * c.columns.stride];
    }
  }

  void multiply(int64_t g, int64_t first, int64_t rows, int64_t steps, const T* left, const T* right,
                Store store) const {
    const Cut cut = panels();
    T* const to = sums + (g * weights() + first) * c.out_channels;
    for (int64_t p = 0; p < cut.pieces; ++p) {
      const int64_t column = cut.at(p) * kernel.width, wide = cut.at(p + 1) * kernel.width - column;
      kernel.tile({steps, left, product_block, 1, right + column * steps, wide, to + column, c.out_channels, rows,
                   std::min(c.out_channels - column, wide), store});
    }
  }
};

template <class T>
void weight_sums(ops::Context& context, const Convolution& c, const std::byte* y, const std::byte* x, std::byte* w) {
  const GemmKernel& kernel = gemm_kernel_for(context.isa, c.dtype);
  const int64_t weights = c.in_channels * c.rows.window * c.columns.window;
  const Scratch scratch(*context.pool, static_cast<uint64_t>(c.groups * weights * c.out_channels) * sizeof(T));
  const int64_t all = c.examples * c.rows.out * c.columns.out;
  const bool parallel = context.threads > 1 && all * c.groups * weights * c.out_channels >= parallel_multiplications;
  const WeightSum<T> sum{c,
                         kernel,
                         reinterpret_cast<const T*>(y),
                         reinterpret_cast<const T*>(x),
                         reinterpret_cast<T*>(scratch.data()),
                         parallel ? nullptr : &context};
  const int64_t wanted = parallel ? 4 * int64_t{context.threads} : 1;
  const int64_t parts = std::clamp<int64_t>(wanted / c.groups, 1, std::max<int64_t>(1, weights / kernel.tile_rows));
  const Cut cut{weights, parts};
  ScratchSlots slots(context, sum.bytes());
  const auto body = [&](int64_t begin, int64_t end) {
    const ScratchSlots::Slot slot(slots);
    for (int64_t i = begin; i < end; ++i) sum.sum(i / parts, cut.at(i % parts), cut.at(i % parts + 1), slot.data());
  };
  if (parallel) {
    parallel_units(context, c.groups * parts, 1, body);
  } else {
    body(0, c.groups * parts);
  }
  T* to = reinterpret_cast<T*>(w);
  for (int64_t g = 0; g < c.groups; ++g) {
    const T* from = sum.sums + g * weights * c.out_channels;
    for (int64_t o = 0; o < c.out_channels; ++o) {
      for (int64_t i = 0; i < weights; ++i) *to++ = from[i * c.out_channels + o];
    }
  }
}

}  // namespace

void convolve(ops::Context& context, const Convolution& c, const std::byte* x, const std::byte* w, std::byte* y) {
  correlate(context, {c.dtype, c.examples, c.groups, c.out_channels, c.in_channels, forwards(c.rows),
                      forwards(c.columns), x, w, y});
}

void convolve_input(ops::Context& context, const Convolution& c, const std::byte* y, const std::byte* w, std::byte* x) {
  if (c.examples * c.groups * c.in_channels * c.rows.in * c.columns.in == 0) return;
  if (size_of(c.dtype) == 4) {
    input_shares(context, c, y, reinterpret_cast<const uint32_t*>(w), reinterpret_cast<uint32_t*>(x));
  } else {
    input_shares(context, c, y, reinterpret_cast<const uint64_t*>(w), reinterpret_cast<uint64_t*>(x));
  }
}

void convolve_weight(ops::Context& context, const Convolution& c, const std::byte* y, const std::byte* x,
                     std::byte* w) {
  const int64_t count = c.groups * c.out_channels * c.in_channels * c.rows.window * c.columns.window;
  if (count == 0) return;
  if (c.examples * c.rows.out * c.columns.out == 0) {
    std::memset(w, 0, static_cast<size_t>(count) * size_of(c.dtype));
  } else if (size_of(c.dtype) == 4) {
    weight_sums<uint32_t>(context, c, y, x, w);
  } else {
    weight_sums<uint64_t>(context, c, y, x, w);
  }
}

}  // namespace covec::kernels
