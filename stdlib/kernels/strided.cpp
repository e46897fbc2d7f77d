// Axes, packing and scratch memory. Element sizes are 1, 4 and 8 bytes; copies go through integers of that size.
#include "stdlib/kernels/strided.hpp"

#include <algorithm>
#include <cstring>

namespace covec::kernels {

void Axes::push_merged(int64_t d, int64_t s) {
  if (d == 1) return;
  if (count > 0 && stride[count - 1] == s * d) {
    dim[count - 1] *= d;
    stride[count - 1] = s;
  } else {
    push(d, s);
  }
}

void merge_together(std::span<Axes> operands) {
  unsigned kept = 0;
  for (unsigned axis = 0; axis < operands[0].count; ++axis) {
    const int64_t dim = operands[0].dim[axis];
    if (dim == 1) continue;
    const auto continues = [&](const Axes& axes) { return axes.stride[kept - 1] == axes.stride[axis] * dim; };
    const bool merges = kept > 0 && std::ranges::all_of(operands, continues);
    const unsigned to = merges ? kept - 1 : kept++;
    for (Axes& axes : operands) {
      axes.dim[to] = merges ? axes.dim[to] * dim : dim;
      axes.stride[to] = axes.stride[axis];
    }
  }
  for (Axes& axes : operands) axes.count = kept;
}

int64_t Axes::elements() const {
  int64_t n = 1;
  for (unsigned i = 0; i < count; ++i) n *= dim[i];
  return n;
}

int64_t Axes::offset(int64_t index) const {
  int64_t sum = 0;
  for (unsigned i = count; i-- > 1;) {
    sum += index % dim[i] * stride[i];
    index /= dim[i];
  }
  return count == 0 ? 0 : sum + index * stride[0];
}

Axes Axes::without_last() const {
  Axes rest = *this;
  if (rest.count > 0) --rest.count;
  return rest;
}

StridedInput strided(const Value& value) {
  StridedInput in;
  in.data = static_cast<const std::byte*>(data_of(value));
  in.dtype = dtype_of(value);
  in.rank = rank_of(value);
  for (unsigned i = 0; i < in.rank; ++i) {
    in.dims[i] = value.tensor().dim(i);
    in.strides[i] = value.tensor().stride(i);
  }
  return in;
}

namespace {

template <class T>
void copy_run(const T* from, int64_t stride, int64_t n, T* to) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
  }
}

// Rows of n elements; n is known to the compiler for the shortest.
template <class T, int64_t known = 0>
void copy_rows(const T* from, int64_t rows, int64_t row_stride, int64_t n, int64_t stride, T* to) {
  if constexpr (known != 0) n = known;
  for (int64_t r = 0; r < rows; ++r, from += row_stride) {
    for (int64_t c = 0; c < n; ++c) *to++ = from[c * stride];
  }
}

template <class T>
void copy_short_rows(const T* from, int64_t rows, int64_t row_stride, int64_t n, int64_t stride, T* to) {
  switch (n) {
    case 2: return copy_rows<T, 2>(from, rows, row_stride, n, stride, to);
    case 3: return copy_rows<T, 3>(from, rows, row_stride, n, stride, to);
    case 4: return copy_rows<T, 4>(from, rows, row_stride, n, stride, to);
    case 8: return copy_rows<T, 8>(from, rows, row_stride, n, stride, to);
    default: return copy_rows<T>(from, rows, row_stride, n, stride, to);
  }
}

// Whole rows of the last axis are copied together, as far as the axis before it goes.
template <class T>
void pack_short_rows(const T* from, const Axes& axes, int64_t begin, int64_t end, T* to) {
  const int64_t n = axes.last_dim(), stride = axes.last_stride();
  Axes outer = axes.without_last();
  const int64_t row_stride = outer.last_stride();
  each_run(outer, begin / n, end / n, [&](int64_t offset, int64_t first, int64_t rows) {
    copy_short_rows(from + offset, rows, row_stride, n, stride, to + first * n);
  });
}

template <class T>
void pack_as(const std::byte* data, const Axes& axes, int64_t begin, int64_t end, std::byte* to) {
  const T* from = reinterpret_cast<const T*>(data);
  constexpr int64_t short_row = 32;  // elements; from here on a row is worth its own loop
  const int64_t row = axes.last_dim();
  if (axes.count > 1 && row < short_row && end - begin >= 2 * row) {
    const int64_t first = (begin + row - 1) / row * row, last = end / row * row;
    pack_as<T>(data, axes, begin, first, to);
    pack_short_rows(from, axes, first, last, reinterpret_cast<T*>(to) + (first - begin));
    return pack_as<T>(data, axes, last, end, to + (last - begin) * static_cast<int64_t>(sizeof(T)));
  }
  each_run(axes, begin, end, [&](int64_t offset, int64_t first, int64_t n) {
    copy_run(from + offset, axes.last_stride(), n, reinterpret_cast<T*>(to) + first);
  });
}

// Eight by eight elements at a time, so that whole cache lines are used on both sides.
template <class T>
void pack_tile_as(const std::byte* data, int64_t rows, int64_t row_stride, int64_t columns, int64_t column_stride,
                  std::byte* to, int64_t to_stride) {
  constexpr int64_t step = 8;  // elements: a cache line of 8-byte ones
  const T* from = reinterpret_cast<const T*>(data);
  T* out = reinterpret_cast<T*>(to);
  for (int64_t c = 0; c < columns; c += step) {
    const int64_t last_column = std::min(columns, c + step);
    for (int64_t r = 0; r < rows; r += step) {
      const int64_t last_row = std::min(rows, r + step);
      for (int64_t j = c; j < last_column; ++j) {
        for (int64_t i = r; i < last_row; ++i) out[i * to_stride + j] = from[i * row_stride + j * column_stride];
      }
    }
  }
}

}  // namespace

void pack(const std::byte* data, const Axes& axes, int64_t begin, int64_t end, size_t size, std::byte* to) {
  switch (size) {
    case 1: return pack_as<uint8_t>(data, axes, begin, end, to);
    case 2: return pack_as<uint16_t>(data, axes, begin, end, to);
    case 4: return pack_as<uint32_t>(data, axes, begin, end, to);
    default: return pack_as<uint64_t>(data, axes, begin, end, to);
  }
}

void repeat_bytes(std::byte* data, size_t period, size_t bytes) {
  for (size_t done = period; done < bytes; done *= 2) std::memcpy(data + done, data, std::min(done, bytes - done));
}

void pack_run(const std::byte* data, int64_t stride, int64_t n, size_t size, std::byte* to) {
  const auto run = [&](auto element) {
    using T = decltype(element);
    copy_run(reinterpret_cast<const T*>(data), stride, n, reinterpret_cast<T*>(to));
  };
  size == 1 ? run(uint8_t{}) : size == 2 ? run(uint16_t{}) : size == 4 ? run(uint32_t{}) : run(uint64_t{});
}

void pack_tile(const std::byte* data, int64_t rows, int64_t row_stride, int64_t columns, int64_t column_stride,
               size_t size, std::byte* to, int64_t to_stride) {
  switch (size) {
    case 1: return pack_tile_as<uint8_t>(data, rows, row_stride, columns, column_stride, to, to_stride);
    case 2: return pack_tile_as<uint16_t>(data, rows, row_stride, columns, column_stride, to, to_stride);
    case 4: return pack_tile_as<uint32_t>(data, rows, row_stride, columns, column_stride, to, to_stride);
    default: return pack_tile_as<uint64_t>(data, rows, row_stride, columns, column_stride, to, to_stride);
  }
}

namespace {
uint64_t whole_lines(uint64_t bytes) { return (bytes + 63) / 64 * 64; }
}  // namespace

ScratchSlots::ScratchSlots(ops::Context& context, uint64_t bytes_each)
    : count_(std::clamp(context.threads, 1u, max_slots)),
      bytes_each_(static_cast<size_t>(whole_lines(bytes_each))),
      scratch_(*context.pool, count_ * whole_lines(bytes_each)) {}

ScratchSlots::Slot::Slot(ScratchSlots& slots) : slots_(slots), index_(0) {
  for (;;) {  // at most `threads` bodies run, so a free one is found at once unless there are more than max_slots
    const uint64_t bit = uint64_t{1} << index_;
    if ((slots_.taken_.fetch_or(bit, std::memory_order_acquire) & bit) == 0) return;
    index_ = (index_ + 1) % slots_.count_;
  }
}

ScratchSlots::Slot::~Slot() { slots_.taken_.fetch_and(~(uint64_t{1} << index_), std::memory_order_release); }

}  // namespace covec::kernels
