#include "jit/runtime/elements.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "stdlib/kernels/squares.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/broadcast.hpp"

namespace covec::runtime {

// `at`: what a buffer is filled with, so that it is not filled twice.
struct Elements::Buffers {
  explicit Buffers(unsigned inputs) { std::fill_n(at, inputs, nullptr); }
  const std::byte* at[most_inputs];
  int64_t length[most_inputs];
  unsigned used = 0;
  unsigned buffer[most_inputs];
  alignas(64) std::byte bytes[buffer_bytes];  // squares lie in front
  static_assert(most_turned * kernels::square_bytes + most_inputs * kernels::square_columns * 8 <= buffer_bytes);
  std::byte* others(bool has_squares) { return bytes + (has_squares ? most_turned * kernels::square_bytes : 0); }
};

Elements::Elements(loops::KernelFunction kernel, const uint64_t* numbers, const Shape& result, ops::Isa isa)
    : kernel_(kernel), isa_(isa), numbers_(numbers), result_(result) {}

void Elements::add_input(const Tensor& tensor) {
  int64_t strides[max_rank];
  repeated_strides(tensor.dims(), tensor.strides(), {strides, result_.rank()});
  kernels::Axes& walk = walk_[inputs_];
  for (unsigned axis = 0; axis < result_.rank(); ++axis) walk.push(result_[axis].number(), strides[axis]);
  Input& input = input_[inputs_++];
  input.data = tensor.data();
  input.size = size_of(tensor.dtype());
  input.whole = tensor.contiguous() && tensor.shape() == result_;
  input.constant = std::all_of(strides, strides + result_.rank(), [](int64_t stride) { return stride == 0; });
  flat_ &= input.whole;
}

void Elements::add_output(std::byte* data, size_t size) {
  output_[outputs_] = data;
  output_size_[outputs_++] = size;
}

void Elements::place_output(std::byte* data, std::span<const int64_t> strides, size_t size) {
  for (unsigned axis = 0; axis < result_.rank(); ++axis) walk_[inputs_].push(result_[axis].number(), strides[axis]);
  add_output(nullptr, size);
  place_ = data;
  placed_ = true;
  flat_ = false;
}

void Elements::merge_axes() {
  const unsigned walks = inputs_ + (placed_ ? 1 : 0);
  kernels::merge_together({walk_, walks});
  for (unsigned i = 0; i < walks && walk_[i].count == 0; ++i) walk_[i].push(1, 1);
}

// Rows are long, and what may be a column is one.
bool Elements::take_row_kernel() {
  bool takes = row_kernel_ != nullptr && has_long_rows();
  for (unsigned i = 0; i < inputs_ && takes; ++i) takes = !is_column(i) || walk_[i].last_stride() == 0;
  if (takes) kernel_ = row_kernel_;
  return takes;
}

void Elements::find_turned() {
  size_t largest = 1;  // of their elements
  for (unsigned i = 0; i < inputs_ && std::popcount(turned_) < most_turned; ++i) {
    if (!kernels::is_crosswise(walk_[i].dim, walk_[i].stride, walk_[i].count)) continue;
    turned_ |= uint64_t{1} << i;
    largest = std::max(largest, input_[i].size);
  }
  if (turned_ == 0) return;
  const int64_t row = walk_[0].last_dim();
  squares_ = {row, walk_[0].dim[walk_[0].count - 2], walk_[0].elements() / row, kernels::square_rows(largest)};
  const size_t smallest = *std::min_element(output_size_, output_size_ + outputs_);
  past_cache_ = outputs_ <= most_past_cache && !placed_ &&
                static_cast<size_t>(walk_[0].elements()) >= kernels::past_cache_from / smallest;
}

void Elements::prepare() {
  if (flat_) {
    columns_ = 0;
    return;
  }
  merge_axes();
  if (walk_[0].elements() == 0) return;  // nothing to do
  const bool rows = has_long_rows();
  if (!take_row_kernel()) columns_ = 0;
  if (rows && stores_all()) find_turned();
  for (unsigned i = 0; i < inputs_; ++i) {
    if (!is_column(i)) buffered_ += rows ? walk_[i].last_stride() != 1 : !input_[i].whole;
  }
  flat_ = walk_[0].count == 1 && buffered_ == 0 && columns_ == 0 && !placed_;
  if (buffered_ == 0) return;
  const int64_t row = walk_[0].last_dim();
  block_ = std::min<int64_t>(1024, static_cast<int64_t>(buffer_bytes / 8 / buffered_) / 64 * 64);
  if (!rows) block_ = block_ / row * row;  // blocks begin alike in their rows
  if (turned_ != 0) block_ = kernels::square_columns;
  for (unsigned i = 0; i < inputs_; ++i) {
    const int64_t* strides = walk_[i].stride;
    input_[i].periodic = std::all_of(strides, strides + walk_[i].count - 1, [](int64_t stride) { return stride == 0; });
  }
}

bool Elements::run(int64_t begin, int64_t end, std::byte* last) const {
  if (begin >= end) return true;
  if (flat_) return run_flat(begin, end, last);
  return has_long_rows() ? run_rows(begin, end, last) : run_gathered(begin, end, last);
}

bool Elements::compute(int64_t at, int64_t length, int64_t begin, const void* const* in, std::byte* last) const {
  void* out[most_outputs];
  for (unsigned k = 0; k < outputs_; ++k) {
    const auto size = static_cast<int64_t>(output_size_[k]);
    out[k] = output_[k] != nullptr ? output_[k] + at * size : last + (at - begin) * size;
  }
  return kernel_(out, in, length, numbers_) < 0;
}

bool Elements::compute_past_cache(int64_t at, int64_t length, const void* const* in) const {
  alignas(64) std::byte made[most_past_cache][kernels::square_columns * 8];
  void* out[most_past_cache];
  for (unsigned k = 0; k < outputs_; ++k) out[k] = made[k];
  if (kernel_(out, in, length, numbers_) >= 0) return false;
  for (unsigned k = 0; k < outputs_; ++k) {
    const auto size = static_cast<int64_t>(output_size_[k]);
    kernels::write_past_cache(output_[k] + at * size, made[k], static_cast<size_t>(length * size));
  }
  return true;
}

bool Elements::run_flat(int64_t begin, int64_t end, std::byte* last) const {
  const void* in[most_inputs];
  for (unsigned i = 0; i < inputs_; ++i) in[i] = input_[i].data + begin * static_cast<int64_t>(input_[i].size);
  return compute(begin, end - begin, begin, in, last);
}

// --- buffers ---

std::byte* Elements::buffer_of(unsigned i, Buffers& buffers) const {
  if (buffers.at[i] == nullptr) buffers.buffer[i] = buffers.used++;
  return buffers.others(turned_ != 0) + buffers.buffer[i] * static_cast<size_t>(block_) * 8;
}

const void* Elements::filled(unsigned i, const std::byte* at, int64_t length, Buffers& buffers) const {
  std::byte* to = buffer_of(i, buffers);
  if (buffers.at[i] == at && buffers.length[i] >= length) return to;
  fill_elements(to, static_cast<size_t>(length) * input_[i].size, at, input_[i].size);
  buffers.at[i] = at;
  buffers.length[i] = length;
  return to;
}

// Elements of one row, from an offset on.
inline const void* Elements::of_row(unsigned i, int64_t offset, int64_t length, Buffers& buffers) const {
  const int64_t stride = walk_[i].last_stride();
  const std::byte* from = input_[i].data + offset * static_cast<int64_t>(input_[i].size);
  if (stride == 1 || is_column(i)) return from;
  return stride == 0 ? filled(i, from, length, buffers) : packed(i, from, length, buffers);
}

const void* Elements::packed(unsigned i, const std::byte* from, int64_t length, Buffers& buffers) const {
  const int64_t stride = walk_[i].last_stride();
  std::byte* to = buffer_of(i, buffers);
  buffers.at[i] = from;
  kernels::pack_run(from, stride, length, input_[i].size, to);
  return to;
}

namespace {

// The first `period` bytes again and again, up to `bytes`.
void repeat(std::byte* data, size_t period, size_t bytes) {
  for (size_t done = period; done < bytes; done *= 2) std::memcpy(data + done, data, std::min(done, bytes - done));
}

}  // namespace

// Elements from the at-th on, across rows.
const void* Elements::across_rows(unsigned i, int64_t at, int64_t length, Buffers& buffers) const {
  const Input& input = input_[i];
  if (input.whole) return input.data + at * static_cast<int64_t>(input.size);
  if (input.constant) return filled(i, input.data, length, buffers);
  std::byte* to = buffer_of(i, buffers);
  const bool again = buffers.at[i] != nullptr;
  buffers.at[i] = input.data;
  if (!input.periodic) {
    kernels::pack(input.data, walk_[i], at, at + length, input.size, to);
  } else if (!again) {
    const int64_t row = std::min(length, walk_[i].last_dim());
    kernels::pack(input.data, walk_[i], at, at + row, input.size, to);
    repeat(to, static_cast<size_t>(row) * input.size, static_cast<size_t>(length) * input.size);
  }
  return to;
}

// --- pieces ---

bool Elements::run_rows(int64_t begin, int64_t end, std::byte* last) const {
  Buffers buffers(inputs_);
  const unsigned inner = walk_[0].count - 1;
  const int64_t* dims = walk_[0].dim;
  const unsigned walks = inputs_ + (placed_ ? 1 : 0);
  int64_t index[max_rank], offset[most_inputs + 1], rest = begin;
  for (unsigned i = 0; i < walks; ++i) offset[i] = walk_[i].offset(begin);
  for (unsigned axis = inner + 1; axis-- > 0; rest /= dims[axis]) index[axis] = rest % dims[axis];
  for (int64_t at = begin; at < end;) {
    int64_t length = std::min(end - at, dims[inner] - index[inner]);
    if (buffered_ > 0) length = std::min(length, block_);
    const void* in[most_inputs];
    for (unsigned i = 0; i < inputs_; ++i) in[i] = of_row(i, offset[i], length, buffers);
    std::byte* const to = placed_ ? place_ + offset[inputs_] * static_cast<int64_t>(output_size_[0]) : last;
    if (!compute(at, length, placed_ ? at : begin, in, to)) return false;
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
  return true;
}

bool Elements::run_squares(int64_t begin, int64_t end) const {
  Buffers buffers(inputs_);
  const unsigned inner = walk_[0].count - 1;
  for (int64_t number = begin; number < end; ++number) {
    const kernels::Square s = squares_.at(number);
    int64_t offset[most_inputs];
    const std::byte* rows[most_inputs];
    std::byte* turned = buffers.bytes;
    for (unsigned i = 0; i < inputs_; ++i) {
      const auto size = static_cast<int64_t>(input_[i].size);
      offset[i] = walk_[i].offset(s.at);
      if (!is_turned(i)) continue;
      rows[i] = turned;
      kernels::turn(isa_, input_[i].data + offset[i] * size, s.rows, s.columns, walk_[i].stride[inner], input_[i].size,
                    turned, s.stride());
      turned += kernels::square_bytes;
    }
    for (int64_t r = 0; r < s.rows; ++r) {
      const void* in[most_inputs];
      for (unsigned i = 0; i < inputs_; ++i) {
        in[i] = is_turned(i) ? rows[i] + r * s.stride() * static_cast<int64_t>(input_[i].size)
                             : of_row(i, offset[i] + r * walk_[i].stride[inner - 1], s.columns, buffers);
      }
      const int64_t at = s.at + r * squares_.row;
      if (!(past_cache_ ? compute_past_cache(at, s.columns, in) : compute(at, s.columns, 0, in, nullptr))) return false;
    }
  }
  if (past_cache_) kernels::written_past_cache();
  return true;
}

bool Elements::run_gathered(int64_t begin, int64_t end, std::byte* last) const {
  Buffers buffers(inputs_);
  for (int64_t at = begin; at < end; at += block_) {
    const int64_t length = std::min(block_, end - at);
    const void* in[most_inputs];
    for (unsigned i = 0; i < inputs_; ++i) in[i] = across_rows(i, at, length, buffers);
    if (!compute(at, length, begin, in, last)) return false;
  }
  return true;
}

}  // namespace covec::runtime
