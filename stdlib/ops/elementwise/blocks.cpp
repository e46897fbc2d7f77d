#include "stdlib/ops/elementwise/blocks.hpp"

#include <algorithm>
#include <cstring>

#include "stdlib/kernels/squares.hpp"

namespace covec::ops {

struct BlockPlan::Buffers {
  static_assert(kernels::square_bytes >= block * 8 && kernels::square_columns <= block);
  alignas(64) std::byte gathered[3][kernels::square_bytes];  // a block, or a square when turned
  alignas(64) std::byte converted[3][block * 8];
  alignas(64) std::byte result[block * 8];
  alignas(64) std::byte made[kernels::square_columns * 8];  // a square's row, on its way past the cache
};

// The axes' indices of an element, and where each operand has it (in elements from its first).
struct BlockPlan::Position {
  int64_t index[max_rank];
  int64_t offset[3];
};

BlockPlan::BlockPlan(Tensor& result, Isa isa)
    : out_(result.data()), out_dtype_(result.dtype()), isa_(isa), axes_(result.rank()) {
  std::copy(result.dims().begin(), result.dims().end(), dims_);
}

void BlockPlan::add_operand(const Value& value, Dtype wanted) {
  Source& source = source_[sources_++];
  source.wanted = wanted;
  source.dtype = dtype_of(value);
  source.whole = false;
  std::fill_n(source.strides, axes_, 0);
  if (value.is_scalar()) {
    std::memcpy(&source.number, value.scalar_data(), sizeof(source.number));
    source.data = reinterpret_cast<const std::byte*>(&source.number);
    return;
  }
  const Tensor& tensor = value.tensor();
  source.data = tensor.data();
  const unsigned missing = axes_ - tensor.rank();
  source.whole = tensor.contiguous() && missing == 0;
  for (unsigned axis = 0; axis < tensor.rank(); ++axis) {
    source.whole &= tensor.dim(axis) == dims_[axis + missing];
    source.strides[axis + missing] = tensor.dim(axis) == 1 ? 0 : tensor.stride(axis);
  }
}

// Axes of size 1 go; neighbours that every operand walks through as one become one.
void BlockPlan::merge_axes() {
  unsigned kept = 0;
  for (unsigned axis = 0; axis < axes_; ++axis) {
    if (dims_[axis] == 1) continue;
    bool merges = kept > 0;
    for (unsigned i = 0; i < sources_ && merges; ++i) {
      merges = source_[i].strides[kept - 1] == source_[i].strides[axis] * dims_[axis];
    }
    const unsigned to = merges ? kept - 1 : kept++;
    dims_[to] = merges ? dims_[to] * dims_[axis] : dims_[axis];
    for (unsigned i = 0; i < sources_; ++i) source_[i].strides[to] = source_[i].strides[axis];
  }
  if (kept == 0) {
    dims_[kept++] = 1;
    for (unsigned i = 0; i < sources_; ++i) source_[i].strides[0] = 0;
  }
  axes_ = kept;
}

void BlockPlan::finish(kernels::PointwiseKernel kernel, int64_t parameter, Dtype given) {
  kernel_ = kernel;
  parameter_ = parameter;
  given_ = given;
  if (given != out_dtype_) convert_result_ = cast_kernel_for(isa_, given, out_dtype_);
  merge_axes();
  converts_ = convert_result_ != nullptr;
  size_t largest = 1;  // of the elements of operands that are read crosswise
  for (unsigned i = 0; i < sources_; ++i) {
    const int64_t inner = source_[i].strides[axes_ - 1];
    converts_ |= inner != 0 && (inner != 1 || source_[i].dtype != source_[i].wanted);
    if (dims_[axes_ - 1] < long_row || !kernels::is_crosswise(dims_, source_[i].strides, axes_)) continue;
    turned_ |= 1u << i;
    largest = std::max(largest, size_of(source_[i].dtype));
  }
  if (turned_ == 0) return;
  const int64_t row = dims_[axes_ - 1];
  squares_ = {row, dims_[axes_ - 2], 1, kernels::square_rows(largest)};
  for (unsigned axis = 0; axis + 1 < axes_; ++axis) squares_.rows *= dims_[axis];
  past_cache_ = static_cast<size_t>(squares_.rows * row) >= kernels::past_cache_from / size_of(out_dtype_);
}

int64_t BlockPlan::run(int64_t begin, int64_t end) const {
  if (begin >= end) return -1;
  Buffers buffers;
  return dims_[axes_ - 1] >= long_row ? run_rows(begin, end, buffers) : run_gathered(begin, end, buffers);
}

int64_t BlockPlan::compute(int64_t begin, int64_t length, const void* const* in, unsigned splat, Buffers& buffers,
                           bool past_cache) const {
  std::byte* const to = out_ + begin * static_cast<int64_t>(size_of(out_dtype_));
  std::byte* const out = past_cache ? buffers.made : to;
  const int64_t failed = kernel_(convert_result_ ? buffers.result : out, in, length, splat, parameter_);
  if (failed >= 0) return begin + failed;
  if (convert_result_) {
    const void* from = buffers.result;
    convert_result_(out, &from, length, 0, 0);
  }
  if (past_cache) kernels::write_past_cache(to, out, static_cast<size_t>(length) * size_of(out_dtype_));
  return -1;
}

const void* BlockPlan::converted(unsigned i, const void* piece, int64_t length, Buffers& buffers) const {
  const Source& source = source_[i];
  if (source.dtype == source.wanted) return piece;
  cast_kernel_for(isa_, source.dtype, source.wanted)(buffers.converted[i], &piece, length, 0, 0);
  return buffers.converted[i];
}

namespace {

template <class E>
void gather_elements(void* to, const void* from, int64_t stride, int64_t count) {
  E* out = static_cast<E*>(to);
  const E* in = static_cast<const E*>(from);
  for (int64_t i = 0; i < count; ++i) out[i] = in[i * stride];
}

void gather(void* to, const std::byte* from, int64_t stride, int64_t count, size_t size) {
  if (size == 8)
    gather_elements<uint64_t>(to, from, stride, count);
  else if (size == 4)
    gather_elements<uint32_t>(to, from, stride, count);
  else if (size == 2)
    gather_elements<uint16_t>(to, from, stride, count);
  else
    gather_elements<uint8_t>(to, from, stride, count);
}

}  // namespace

// --- long rows: an operand is contiguous, one element, or strided within a row ---

const void* BlockPlan::row_piece(unsigned i, const Position& position, int64_t length, Buffers& buffers,
                                 unsigned& splat) const {
  const Source& source = source_[i];
  const int64_t stride = source.strides[axes_ - 1];
  const size_t size = size_of(source.dtype);
  const std::byte* at = source.data + position.offset[i] * static_cast<int64_t>(size);
  if (stride == 0) {
    splat |= 1u << i;
    return converted(i, at, 1, buffers);
  }
  if (stride == 1) return converted(i, at, length, buffers);
  gather(buffers.gathered[i], at, stride, length, size);
  return converted(i, buffers.gathered[i], length, buffers);
}

BlockPlan::Position BlockPlan::position_of(int64_t element) const {
  Position position;
  std::fill_n(position.offset, 3, 0);
  for (unsigned axis = axes_; axis-- > 0;) {
    position.index[axis] = element % dims_[axis];
    element /= dims_[axis];
    for (unsigned i = 0; i < sources_; ++i) position.offset[i] += position.index[axis] * source_[i].strides[axis];
  }
  return position;
}

int64_t BlockPlan::run_rows(int64_t begin, int64_t end, Buffers& buffers) const {
  Position position = position_of(begin);
  const unsigned inner = axes_ - 1;
  while (begin < end) {
    int64_t length = std::min(end - begin, dims_[inner] - position.index[inner]);
    if (converts_) length = std::min(length, block);
    const void* in[3];
    unsigned splat = 0;
    for (unsigned i = 0; i < sources_; ++i) in[i] = row_piece(i, position, length, buffers, splat);
    const int64_t failed = compute(begin, length, in, splat, buffers);
    if (failed >= 0) return failed;
    begin += length;
    position.index[inner] += length;
    for (unsigned i = 0; i < sources_; ++i) position.offset[i] += length * source_[i].strides[inner];
    for (unsigned axis = inner; axis > 0 && position.index[axis] == dims_[axis]; --axis) {
      position.index[axis] = 0;
      ++position.index[axis - 1];
      for (unsigned i = 0; i < sources_; ++i) {
        position.offset[i] += source_[i].strides[axis - 1] - dims_[axis] * source_[i].strides[axis];
      }
    }
  }
  return -1;
}

// --- operands that are read crosswise ---

int64_t BlockPlan::run_squares(int64_t begin, int64_t end) const {
  Buffers buffers;
  const unsigned inner = axes_ - 1;
  int64_t failed = -1;
  for (int64_t number = begin; number < end; ++number) {
    const kernels::Square s = squares_.at(number);
    Position position = position_of(s.at);
    for (unsigned i = 0; i < sources_; ++i) {
      const Source& source = source_[i];
      const size_t size = size_of(source.dtype);
      if (is_turned(i))
        kernels::turn(isa_, source.data + position.offset[i] * static_cast<int64_t>(size), s.rows, s.columns,
                      source.strides[inner], size, buffers.gathered[i], s.stride());
    }
    for (int64_t r = 0; r < s.rows; ++r) {
      const void* in[3];
      unsigned splat = 0;
      for (unsigned i = 0; i < sources_; ++i) {
        const auto size = static_cast<int64_t>(size_of(source_[i].dtype));
        in[i] = is_turned(i) ? converted(i, buffers.gathered[i] + r * s.stride() * size, s.columns, buffers)
                             : row_piece(i, position, s.columns, buffers, splat);
        position.offset[i] += source_[i].strides[inner - 1];
      }
      const int64_t at = compute(s.at + r * squares_.row, s.columns, in, splat, buffers, past_cache_);
      if (at >= 0 && (failed < 0 || at < failed)) failed = at;
    }
  }
  if (past_cache_) kernels::written_past_cache();
  return failed;
}

// --- short rows: each operand is gathered across rows ---

namespace {

template <class E>
void gather_rows(E* to, const E* from, const int64_t* dims, const int64_t* strides, unsigned axes, int64_t begin,
                 int64_t count) {
  int64_t index[max_rank];
  for (unsigned axis = axes; axis-- > 0;) {
    index[axis] = begin % dims[axis];
    begin /= dims[axis];
    from += index[axis] * strides[axis];
  }
  const unsigned inner = axes - 1;
  const int64_t stride = strides[inner];
  while (count > 0) {
    const int64_t length = std::min(count, dims[inner] - index[inner]);
    for (int64_t i = 0; i < length; ++i) to[i] = from[i * stride];
    to += length;
    count -= length;
    from += length * stride;
    index[inner] += length;
    for (unsigned axis = inner; axis > 0 && index[axis] == dims[axis]; --axis) {
      index[axis] = 0;
      ++index[axis - 1];
      from += strides[axis - 1] - dims[axis] * strides[axis];
    }
  }
}

}  // namespace

const void* BlockPlan::gathered_piece(unsigned i, int64_t begin, int64_t length, Buffers& buffers) const {
  const Source& source = source_[i];
  const size_t size = size_of(source.dtype);
  if (source.whole) return converted(i, source.data + begin * static_cast<int64_t>(size), length, buffers);
  void* to = buffers.gathered[i];
  const auto rows = [&](auto element) {
    using E = decltype(element);
    gather_rows(static_cast<E*>(to), reinterpret_cast<const E*>(source.data), dims_, source.strides, axes_, begin,
                length);
  };
  if (size == 8)
    rows(uint64_t{});
  else if (size == 4)
    rows(uint32_t{});
  else if (size == 2)
    rows(uint16_t{});
  else
    rows(uint8_t{});
  return converted(i, to, length, buffers);
}

int64_t BlockPlan::run_gathered(int64_t begin, int64_t end, Buffers& buffers) const {
  for (; begin < end; begin += block) {
    const int64_t length = std::min(block, end - begin);
    const void* in[3];
    for (unsigned i = 0; i < sources_; ++i) in[i] = gathered_piece(i, begin, length, buffers);
    const int64_t failed = compute(begin, length, in, 0, buffers);
    if (failed >= 0) return failed;
  }
  return -1;
}

}  // namespace covec::ops
