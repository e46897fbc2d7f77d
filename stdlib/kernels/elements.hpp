// Maps elements of a result to elements of its operands. The result is made in pieces of adjacent elements, row-major.
// For each piece, every operand's elements are passed on, in place or from a buffer in the nearest cache. Operators and
// compiled kernels use the same walk. Start at Elements::run, which calls
//
//     int64_t body(void* const* out, const void* const* in, int64_t n)
//
// for each piece. The body returns the first of the n elements that fails, or -1.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "stdlib/kernels/strided.hpp"
#include "stdlib/kernels/transposed_tiles.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/broadcast.hpp"

namespace covec::kernels {

// Where the results of a body go.
template <unsigned most>
class Results {
 public:
  // Null: elements that are handed over in the caller's memory; the last one only.
  void add(std::byte* data, size_t size) {
    data_[count_] = data;
    size_[count_++] = size;
  }
  // The only result, with strides of its own.
  void place(std::byte* data) { place_ = data; }
  bool placed() const { return place_ != nullptr; }
  std::byte* placed_at(int64_t offset) const { return place_ + offset * static_cast<int64_t>(size_[0]); }
  bool hands_over() const { return data_[count_ - 1] == nullptr; }
  // Whether so many elements are more than the caches hold, and few enough results to be written past them.
  bool may_pass_cache(int64_t elements) const {
    const size_t smallest = *std::min_element(size_, size_ + count_);
    return count_ <= max_past_cache && static_cast<size_t>(elements) >= past_cache_from / smallest;
  }
  // The body for `length` elements from `at` on. `last`: where the elements from `begin` on are handed over.
  template <class Body>
  int64_t compute(int64_t at, int64_t length, int64_t begin, const void* const* in, std::byte* last, Body& body) const {
    void* out[most];
    for (unsigned k = 0; k < count(); ++k) {
      const auto size = static_cast<int64_t>(size_[k]);
      out[k] = data_[k] != nullptr ? data_[k] + at * size : last + (at - begin) * size;
    }
    const int64_t failed = body(out, in, length);
    return failed < 0 ? failed : at + failed;
  }
  template <class Body>
  int64_t compute_past_cache(int64_t at, int64_t length, const void* const* in, Body& body) const {
    alignas(64) std::byte made[max_past_cache][tile_columns * 8];
    void* out[max_past_cache];
    for (unsigned k = 0; k < count(); ++k) out[k] = made[k];
    const int64_t failed = body(static_cast<void* const*>(out), in, length);
    if (failed >= 0) return at + failed;
    for (unsigned k = 0; k < count(); ++k) {
      const auto size = static_cast<int64_t>(size_[k]);
      write_past_cache(data_[k] + at * size, made[k], static_cast<size_t>(length * size));
    }
    return -1;
  }

 private:
  // Results; each has a buffer on the stack.
  static constexpr unsigned max_past_cache = std::min(4u, most);
  unsigned count() const { return most == 1 ? 1 : count_; }

  unsigned count_ = 0;
  std::byte* data_[most];
  size_t size_[most];
  std::byte* place_ = nullptr;
};

template <unsigned max_reads, unsigned max_writes>
class Elements {
 public:
  static constexpr int64_t long_row = 32;  // shorter innermost rows are gathered across rows

  Elements(const Shape& result, ops::Isa isa) : result_(result), isa_(isa) {}

  void read(const Tensor& tensor) {
    int64_t strides[max_rank];
    repeated_strides(tensor.dims(), tensor.strides(), {strides, result_.rank()});
    const bool whole = tensor.contiguous() && tensor.shape() == result_;
    const bool constant = std::all_of(strides, strides + result_.rank(), [](int64_t stride) { return stride == 0; });
    add_read({tensor.data(), size_of(tensor.dtype()), whole, constant, 0}, strides);
  }
  // One element for all.
  void read_number(const std::byte* data, size_t size) {
    constexpr int64_t strides[max_rank] = {};
    add_read({data, size, false, true, 0}, strides);
  }
  // Of the result's dimensions, row-major. Null: elements that go to run()'s `last`; there is one such at most, the
  // last.
  void write(std::byte* data, size_t size) { results_.add(data, size); }
  // Instead: the only one, with strides of its own. See can_place.
  void place(std::byte* data, std::span<const int64_t> strides, size_t size) {
    for (unsigned axis = 0; axis < result_.rank(); ++axis) walk_[reads_].push(result_[axis].number(), strides[axis]);
    write(nullptr, size);
    results_.place(data);
    flat_ = false;
  }

  // After all of these: merges axes. Gives the reads that are one element throughout each row, where rows are long.
  uint64_t merge();
  // Then: chooses how to walk. Of the reads in `single`, which are among those, the body gets that element alone. No
  // piece is longer than `longest`.
  void prepare(uint64_t single, int64_t longest = INT64_MAX);
  // Whether what is placed has long rows, each in one piece.
  bool can_place() const { return !results_.placed() || (has_long_rows() && walk_[reads_].last_stride() == 1); }
  uint64_t single() const { return single_; }
  // Where operands are read transposed, the result is made in so many tiles; 0: it is not.
  int64_t tiles() const { return transposed_ != 0 ? tiles_.count() : 0; }

  // Elements [begin, end) of the result; the first that fails, or -1. May run on several threads.
  template <class Body>
  int64_t run(int64_t begin, int64_t end, std::byte* last, Body&& body) const {
    if (begin >= end) return -1;
    if (flat_) return run_flat(begin, end, last, body);
    return has_long_rows() ? run_rows(begin, end, last, body) : run_gathered(begin, end, last, body);
  }
  // TransposedTiles [begin, end); the lowest element that fails, or -1.
  template <class Body>
  int64_t run_tiles(int64_t begin, int64_t end, Body&& body) const;

 private:
  static constexpr size_t buffer_bytes = 32768;  // 32 KiB: a usual first-level data cache
  static constexpr unsigned max_transposed = 2;
  static constexpr int64_t max_buffered = 1024;  // elements
  struct Read {
    const std::byte* data;
    size_t size;
    bool whole;      // lies exactly as the result does
    bool constant;   // one element for all
    int64_t period;  // elements after which it is the same again, where they are few; 0: it is not
  };
  // `at`: what a buffer is filled with, so that it is not filled twice.
  struct Buffers {
    explicit Buffers(unsigned reads) { std::fill_n(at, reads, nullptr); }
    const std::byte* at[max_reads];
    int64_t length[max_reads];
    unsigned used = 0;
    unsigned buffer[max_reads];
    alignas(64) std::byte bytes[buffer_bytes];  // tiles lie in front
  };
  static_assert(max_transposed * tile_bytes + max_reads * tile_columns * 8 <= buffer_bytes);

  void add_read(Read read, const int64_t* strides) {
    for (unsigned axis = 0; axis < result_.rank(); ++axis) walk_[reads_].push(result_[axis].number(), strides[axis]);
    flat_ &= read.whole;
    read_[reads_++] = read;
  }
  bool has_long_rows() const { return walk_[0].last_dim() >= long_row; }
  bool is_single(unsigned i) const { return (single_ >> i & 1) != 0; }
  bool is_read_transposed(unsigned i) const { return (transposed_ >> i & 1) != 0; }
  void find_transposed();

  std::byte* buffer_of(unsigned i, Buffers& buffers) const {
    if (buffers.at[i] == nullptr) buffers.buffer[i] = buffers.used++;
    std::byte* const first = buffers.bytes + (transposed_ != 0 ? max_transposed * tile_bytes : 0);
    return first + buffers.buffer[i] * static_cast<size_t>(block_) * 8;
  }
  const void* filled(unsigned i, const std::byte* at, int64_t length, Buffers& buffers) const;
  const void* of_row(unsigned i, int64_t offset, int64_t length, Buffers& buffers) const;
  const void* across_rows(unsigned i, int64_t at, int64_t length, Buffers& buffers) const;

  template <class Body>
  int64_t run_flat(int64_t begin, int64_t end, std::byte* last, Body& body) const;
  template <class Body>
  int64_t run_rows(int64_t begin, int64_t end, std::byte* last, Body& body) const;
  template <class Body>
  int64_t run_gathered(int64_t begin, int64_t end, std::byte* last, Body& body) const;

  const Shape result_;
  const ops::Isa isa_;
  unsigned reads_ = 0, buffered_ = 0;
  bool flat_ = true;  // all lie as the result does
  bool merged_ = false;
  bool past_cache_ = false;    // tiles
  int64_t block_ = INT64_MAX;  // elements of the longest piece
  uint64_t single_ = 0, transposed_ = 0;
  TransposedTiles tiles_;
  Read read_[max_reads];
  Axes walk_[max_reads + 1];  // the merged axes, as each read goes through them, and what is placed
  Results<max_writes> results_;
};

// --- before ---

template <unsigned max_reads, unsigned max_writes>
uint64_t Elements<max_reads, max_writes>::merge() {
  if (flat_) return 0;
  merged_ = true;
  const unsigned walks = reads_ + (results_.placed() ? 1 : 0);
  merge_together({walk_, walks});
  for (unsigned i = 0; i < walks && walk_[i].count == 0; ++i) walk_[i].push(1, 1);
  if (!has_long_rows()) return 0;
  uint64_t same = 0;
  for (unsigned i = 0; i < reads_; ++i) same |= uint64_t{walk_[i].last_stride() == 0} << i;
  return same;
}

template <unsigned max_reads, unsigned max_writes>
void Elements<max_reads, max_writes>::find_transposed() {
  size_t largest = 1;  // of their elements
  for (unsigned i = 0; i < reads_ && static_cast<unsigned>(std::popcount(transposed_)) < max_transposed; ++i) {
    if (!is_transposed(walk_[i].dim, walk_[i].stride, walk_[i].count)) continue;
    transposed_ |= uint64_t{1} << i;
    largest = std::max(largest, read_[i].size);
  }
  if (transposed_ == 0) return;
  const int64_t row = walk_[0].last_dim();
  tiles_ = {row, walk_[0].dim[walk_[0].count - 2], walk_[0].elements() / row, tile_rows(largest)};
  past_cache_ = !results_.placed() && results_.may_pass_cache(walk_[0].elements());
}

template <unsigned max_reads, unsigned max_writes>
void Elements<max_reads, max_writes>::prepare(uint64_t single, int64_t longest) {
  block_ = longest;
  if (!merged_ || walk_[0].elements() == 0) return;
  single_ = single;
  const bool rows = has_long_rows();
  // What is reduced is made row by row.
  if (rows && !results_.hands_over()) find_transposed();
  for (unsigned i = 0; i < reads_; ++i) {
    if (!is_single(i)) buffered_ += rows ? walk_[i].last_stride() != 1 : !read_[i].whole;
  }
  flat_ = walk_[0].count == 1 && buffered_ == 0 && single_ == 0 && !results_.placed();
  if (buffered_ == 0) return;
  const int64_t row = walk_[0].last_dim();
  const int64_t room = static_cast<int64_t>(buffer_bytes / 8 / buffered_) / 64 * 64;
  block_ = std::min({longest, max_buffered, room});
  if (transposed_ != 0) block_ = tile_columns;
  if (rows) return;
  int64_t common = row;  // the largest period is a multiple of the others
  for (unsigned i = 0; i < reads_; ++i) {
    int64_t period = row;
    unsigned axis = walk_[i].count - 1;
    while (axis > 0 && std::any_of(walk_[i].stride, walk_[i].stride + axis, [](int64_t s) { return s != 0; }))
      period *= walk_[i].dim[--axis];
    read_[i].period = axis > 0 && period <= block_ ? period : 0;
    common = std::max(common, read_[i].period);
  }
  block_ = block_ / common * common;  // pieces begin alike
}

// --- pieces of operands ---

template <unsigned max_reads, unsigned max_writes>
const void* Elements<max_reads, max_writes>::filled(unsigned i, const std::byte* at, int64_t length,
                                                    Buffers& buffers) const {
  std::byte* to = buffer_of(i, buffers);
  if (buffers.at[i] == at && buffers.length[i] >= length) return to;
  fill_elements(to, static_cast<size_t>(length) * read_[i].size, at, read_[i].size);
  buffers.at[i] = at;
  buffers.length[i] = length;
  return to;
}

// Elements of one row, from an offset on.
template <unsigned max_reads, unsigned max_writes>
inline const void* Elements<max_reads, max_writes>::of_row(unsigned i, int64_t offset, int64_t length,
                                                           Buffers& buffers) const {
  const int64_t stride = walk_[i].last_stride();
  const std::byte* from = read_[i].data + offset * static_cast<int64_t>(read_[i].size);
  if (stride == 1 || is_single(i)) return from;
  if (stride == 0) return filled(i, from, length, buffers);
  std::byte* to = buffer_of(i, buffers);
  buffers.at[i] = from;
  pack_run(from, stride, length, read_[i].size, to);
  return to;
}

// Elements from the at-th on, across rows.
template <unsigned max_reads, unsigned max_writes>
const void* Elements<max_reads, max_writes>::across_rows(unsigned i, int64_t at, int64_t length,
                                                         Buffers& buffers) const {
  const Read& read = read_[i];
  if (read.whole) return read.data + at * static_cast<int64_t>(read.size);
  if (read.constant) return filled(i, read.data, length, buffers);
  std::byte* to = buffer_of(i, buffers);
  const bool again = buffers.at[i] != nullptr;
  buffers.at[i] = read.data;
  if (read.period == 0) {
    pack(read.data, walk_[i], at, at + length, read.size, to);
  } else if (!again) {
    const int64_t once = std::min(length, read.period);
    pack(read.data, walk_[i], at, at + once, read.size, to);
    repeat_bytes(to, static_cast<size_t>(once) * read.size, static_cast<size_t>(length) * read.size);
  }
  return to;
}

// --- pieces of results ---

template <unsigned max_reads, unsigned max_writes>
template <class Body>
int64_t Elements<max_reads, max_writes>::run_flat(int64_t begin, int64_t end, std::byte* last, Body& body) const {
  for (int64_t at = begin; at < end;) {
    const int64_t length = std::min(end - at, block_);
    const void* in[max_reads];
    for (unsigned i = 0; i < reads_; ++i) in[i] = read_[i].data + at * static_cast<int64_t>(read_[i].size);
    const int64_t failed = results_.compute(at, length, begin, in, last, body);
    if (failed >= 0) return failed;
    at += length;
  }
  return -1;
}

template <unsigned max_reads, unsigned max_writes>
template <class Body>
int64_t Elements<max_reads, max_writes>::run_rows(int64_t begin, int64_t end, std::byte* last, Body& body) const {
  Buffers buffers(reads_);
  const unsigned inner = walk_[0].count - 1;
  const int64_t* dims = walk_[0].dim;
  const unsigned walks = reads_ + (results_.placed() ? 1 : 0);
  int64_t index[max_rank], offset[max_reads + 1], rest = begin;
  for (unsigned i = 0; i < walks; ++i) offset[i] = walk_[i].offset(begin);
  for (unsigned axis = inner + 1; axis-- > 0; rest /= dims[axis]) index[axis] = rest % dims[axis];
  for (int64_t at = begin; at < end;) {
    const int64_t length = std::min({end - at, dims[inner] - index[inner], block_});
    const void* in[max_reads];
    for (unsigned i = 0; i < reads_; ++i) in[i] = of_row(i, offset[i], length, buffers);
    const bool placed = results_.placed();
    std::byte* const to = placed ? results_.placed_at(offset[reads_]) : last;
    const int64_t failed = results_.compute(at, length, placed ? at : begin, in, to, body);
    if (failed >= 0) return failed;
    at += length;
    index[inner] += length;
    for (unsigned i = 0; i < walks; ++i) offset[i] += length * walk_[i].stride[inner];
    for (unsigned axis = inner; axis > 0 && index[axis] == dims[axis]; --axis) {
      index[axis] = 0;
      ++index[axis - 1];
      for (unsigned i = 0; i < walks; ++i) {
        offset[i] += walk_[i].stride[axis - 1] - dims[axis] * walk_[i].stride[axis];
      }
    }
  }
  return -1;
}

template <unsigned max_reads, unsigned max_writes>
template <class Body>
int64_t Elements<max_reads, max_writes>::run_gathered(int64_t begin, int64_t end, std::byte* last, Body& body) const {
  Buffers buffers(reads_);
  for (int64_t at = begin; at < end;) {
    const int64_t length = std::min(block_, end - at);
    const void* in[max_reads];
    for (unsigned i = 0; i < reads_; ++i) in[i] = across_rows(i, at, length, buffers);
    const int64_t failed = results_.compute(at, length, begin, in, last, body);
    if (failed >= 0) return failed;
    at += length;
  }
  return -1;
}

template <unsigned max_reads, unsigned max_writes>
template <class Body>
int64_t Elements<max_reads, max_writes>::run_tiles(int64_t begin, int64_t end, Body&& body) const {
  Buffers buffers(reads_);
  const unsigned inner = walk_[0].count - 1;
  int64_t lowest = -1;
  for (int64_t number = begin; number < end; ++number) {
    const TransposedTile s = tiles_.at(number);
    int64_t offset[max_reads];
    const std::byte* rows[max_reads];
    std::byte* transposed = buffers.bytes;
    for (unsigned i = 0; i < reads_; ++i) {
      const auto size = static_cast<int64_t>(read_[i].size);
      offset[i] = walk_[i].offset(s.at);
      if (!is_read_transposed(i)) continue;
      rows[i] = transposed;
      turn(isa_, read_[i].data + offset[i] * size, s.rows, s.columns, walk_[i].stride[inner], read_[i].size, transposed,
           s.stride());
      transposed += tile_bytes;
    }
    for (int64_t r = 0; r < s.rows; ++r) {
      const void* in[max_reads];
      for (unsigned i = 0; i < reads_; ++i) {
        in[i] = is_read_transposed(i) ? rows[i] + r * s.stride() * static_cast<int64_t>(read_[i].size)
                                      : of_row(i, offset[i] + r * walk_[i].stride[inner - 1], s.columns, buffers);
      }
      const int64_t at = s.at + r * tiles_.row;
      const int64_t failed = past_cache_ ? results_.compute_past_cache(at, s.columns, in, body)
                                         : results_.compute(at, s.columns, 0, in, nullptr, body);
      if (failed >= 0 && (lowest < 0 || failed < lowest)) lowest = failed;
    }
  }
  if (past_cache_) written_past_cache();
  return lowest;
}

}  // namespace covec::kernels
