#include "jit/runtime/elements.hpp"

#include <algorithm>
#include <cstring>

#include "stdlib/value/broadcast.hpp"

namespace covec::runtime {

namespace {

template <class E>
void fill(std::byte* to, const std::byte* from, int64_t count) {
  E value;
  std::memcpy(&value, from, sizeof value);
  std::fill_n(reinterpret_cast<E*>(to), count, value);
}

template <class E>
void gather(std::byte* to, const std::byte* from, int64_t stride, int64_t count) {
  E* out = reinterpret_cast<E*>(to);
  const E* in = reinterpret_cast<const E*>(from);
  for (int64_t i = 0; i < count; ++i) out[i] = in[i * stride];
}

template <class E>
void gather_rows(std::byte* to, const std::byte* data, const int64_t* dims, const int64_t* strides, unsigned axes,
                 int64_t begin, int64_t count) {
  E* out = reinterpret_cast<E*>(to);
  const E* from = reinterpret_cast<const E*>(data);
  int64_t index[max_rank];
  for (unsigned axis = axes; axis-- > 0;) {
    index[axis] = begin % dims[axis];
    begin /= dims[axis];
    from += index[axis] * strides[axis];
  }
  const unsigned inner = axes - 1;
  while (count > 0) {
    const int64_t length = std::min(count, dims[inner] - index[inner]);
    for (int64_t i = 0; i < length; ++i) out[i] = from[i * strides[inner]];
    out += length;
    count -= length;
    from += length * strides[inner];
    index[inner] += length;
    for (unsigned axis = inner; axis > 0 && index[axis] == dims[axis]; --axis) {
      index[axis] = 0;
      ++index[axis - 1];
      from += strides[axis - 1] - dims[axis] * strides[axis];
    }
  }
}

// f(element) with an unsigned integer of `size` bytes.
template <class F>
void for_size(size_t size, F&& f) {
  if (size == 8)
    f(uint64_t{});
  else if (size == 4)
    f(uint32_t{});
  else
    f(uint8_t{});
}

}  // namespace

// `at`: what a buffer is filled with, so that it is not filled twice.
struct Elements::Buffers {
  explicit Buffers(unsigned inputs) { std::fill_n(at, inputs, nullptr); }
  const std::byte* at[most_inputs];
  int64_t length[most_inputs];
  unsigned used = 0;
  unsigned buffer[most_inputs];
  alignas(64) std::byte bytes[buffer_bytes];
};

Elements::Elements(loops::KernelFunction kernel, const uint64_t* numbers, const Shape& result)
    : kernel_(kernel), numbers_(numbers), axes_(result.rank()) {
  for (unsigned axis = 0; axis < axes_; ++axis) dims_[axis] = result[axis].number();
}

void Elements::add_input(const Tensor& tensor) {
  Input& input = input_[inputs_++];
  input.data = tensor.data();
  input.size = size_of(tensor.dtype());
  const unsigned missing = axes_ - tensor.rank();
  repeated_strides(tensor.dims(), tensor.strides(), {input.strides, axes_});
  input.constant = std::all_of(input.strides, input.strides + axes_, [](int64_t stride) { return stride == 0; });
  input.whole = missing == 0 && tensor.contiguous() && std::ranges::equal(tensor.dims(), std::span(dims_, axes_));
  flat_ &= input.whole;
}

void Elements::add_output(std::byte* data, size_t size) {
  output_[outputs_] = data;
  output_size_[outputs_++] = size;
}

// Axes of size 1 go; neighbours that every input walks through as one become one.
void Elements::merge_axes() {
  unsigned kept = 0;
  for (unsigned axis = 0; axis < axes_; ++axis) {
    if (dims_[axis] == 1) continue;
    bool merges = kept > 0;
    for (unsigned i = 0; i < inputs_ && merges; ++i) {
      merges = input_[i].strides[kept - 1] == input_[i].strides[axis] * dims_[axis];
    }
    const unsigned to = merges ? kept - 1 : kept++;
    dims_[to] = merges ? dims_[to] * dims_[axis] : dims_[axis];
    for (unsigned i = 0; i < inputs_; ++i) input_[i].strides[to] = input_[i].strides[axis];
  }
  if (kept == 0) {
    dims_[kept++] = 1;
    for (unsigned i = 0; i < inputs_; ++i) input_[i].strides[0] = 1;
  }
  axes_ = kept;
}

// Rows are long, and what may be a column is one.
bool Elements::take_row_kernel() {
  bool takes = row_kernel_ != nullptr && dims_[axes_ - 1] >= long_row;
  for (unsigned i = 0; i < inputs_ && takes; ++i) takes = !is_column(i) || input_[i].strides[axes_ - 1] == 0;
  if (takes) kernel_ = row_kernel_;
  return takes;
}

void Elements::prepare() {
  if (flat_) {
    columns_ = 0;
    return;
  }
  merge_axes();
  if (std::find(dims_, dims_ + axes_, 0) != dims_ + axes_) return;  // nothing to do
  const bool rows = dims_[axes_ - 1] >= long_row;
  if (!take_row_kernel()) columns_ = 0;
  for (unsigned i = 0; i < inputs_; ++i) {
    if (!is_column(i)) buffered_ += rows ? input_[i].strides[axes_ - 1] != 1 : !input_[i].whole;
  }
  flat_ = axes_ == 1 && buffered_ == 0 && columns_ == 0;
  if (buffered_ == 0) return;
  block_ = std::min<int64_t>(1024, static_cast<int64_t>(buffer_bytes / 8 / buffered_) / 64 * 64);
  if (!rows) block_ = block_ / dims_[axes_ - 1] * dims_[axes_ - 1];  // blocks begin alike in their rows
  for (unsigned i = 0; i < inputs_; ++i) {
    const int64_t* strides = input_[i].strides;
    input_[i].periodic = std::all_of(strides, strides + axes_ - 1, [](int64_t stride) { return stride == 0; });
  }
}

bool Elements::run(int64_t begin, int64_t end, std::byte* last) const {
  if (begin >= end) return true;
  if (flat_) return run_flat(begin, end, last);
  return dims_[axes_ - 1] >= long_row ? run_rows(begin, end, last) : run_gathered(begin, end, last);
}

bool Elements::compute(int64_t at, int64_t length, int64_t begin, const void* const* in, std::byte* last) const {
  void* out[most_outputs];
  for (unsigned k = 0; k < outputs_; ++k) {
    const auto size = static_cast<int64_t>(output_size_[k]);
    out[k] = output_[k] != nullptr ? output_[k] + at * size : last + (at - begin) * size;
  }
  return kernel_(out, in, length, numbers_) < 0;
}

bool Elements::run_flat(int64_t begin, int64_t end, std::byte* last) const {
  const void* in[most_inputs];
  for (unsigned i = 0; i < inputs_; ++i) in[i] = input_[i].data + begin * static_cast<int64_t>(input_[i].size);
  return compute(begin, end - begin, begin, in, last);
}

const void* Elements::filled(unsigned i, const std::byte* at, int64_t length, Buffers& buffers) const {
  if (buffers.at[i] == nullptr) buffers.buffer[i] = buffers.used++;
  std::byte* to = buffers.bytes + buffers.buffer[i] * static_cast<size_t>(block_) * 8;
  if (buffers.at[i] == at && buffers.length[i] >= length) return to;
  for_size(input_[i].size, [&](auto element) { fill<decltype(element)>(to, at, length); });
  buffers.at[i] = at;
  buffers.length[i] = length;
  return to;
}

bool Elements::run_rows(int64_t begin, int64_t end, std::byte* last) const {
  Buffers buffers(inputs_);
  const unsigned inner = axes_ - 1;
  int64_t index[max_rank], offset[most_inputs] = {};
  int64_t rest = begin;
  for (unsigned axis = axes_; axis-- > 0;) {
    index[axis] = rest % dims_[axis];
    rest /= dims_[axis];
    for (unsigned i = 0; i < inputs_; ++i) offset[i] += index[axis] * input_[i].strides[axis];
  }
  for (int64_t at = begin; at < end;) {
    int64_t length = std::min(end - at, dims_[inner] - index[inner]);
    if (buffered_ > 0) length = std::min(length, block_);
    const void* in[most_inputs];
    for (unsigned i = 0; i < inputs_; ++i) {
      const int64_t stride = input_[i].strides[inner];
      const std::byte* from = input_[i].data + offset[i] * static_cast<int64_t>(input_[i].size);
      if (stride == 1 || is_column(i)) {
        in[i] = from;
      } else if (stride == 0) {
        in[i] = filled(i, from, length, buffers);
      } else {
        if (buffers.at[i] == nullptr) buffers.buffer[i] = buffers.used++;
        buffers.at[i] = from;
        std::byte* to = buffers.bytes + buffers.buffer[i] * static_cast<size_t>(block_) * 8;
        for_size(input_[i].size, [&](auto element) { gather<decltype(element)>(to, from, stride, length); });
        in[i] = to;
      }
    }
    if (!compute(at, length, begin, in, last)) return false;
    at += length;
    index[inner] += length;
    for (unsigned i = 0; i < inputs_; ++i) offset[i] += length * input_[i].strides[inner];
    for (unsigned axis = inner; axis > 0 && index[axis] == dims_[axis]; --axis) {
      index[axis] = 0;
      ++index[axis - 1];
      for (unsigned i = 0; i < inputs_; ++i) {
        offset[i] += input_[i].strides[axis - 1] - dims_[axis] * input_[i].strides[axis];
      }
    }
  }
  return true;
}

bool Elements::run_gathered(int64_t begin, int64_t end, std::byte* last) const {
  Buffers buffers(inputs_);
  for (int64_t at = begin; at < end;) {
    const int64_t length = std::min(block_, end - at);
    const void* in[most_inputs];
    for (unsigned i = 0; i < inputs_; ++i) {
      const Input& input = input_[i];
      if (input.whole) {
        in[i] = input.data + at * static_cast<int64_t>(input.size);
      } else if (input.constant) {
        in[i] = filled(i, input.data, length, buffers);
      } else {
        const bool again = buffers.at[i] != nullptr;
        if (!again) buffers.buffer[i] = buffers.used++;
        buffers.at[i] = input.data;
        std::byte* to = buffers.bytes + buffers.buffer[i] * static_cast<size_t>(block_) * 8;
        in[i] = to;
        if (again && input.periodic) continue;
        for_size(input.size, [&](auto element) {
          gather_rows<decltype(element)>(to, input.data, dims_, input.strides, axes_, at, length);
        });
      }
    }
    if (!compute(at, length, begin, in, last)) return false;
    at += length;
  }
  return true;
}

}  // namespace covec::runtime
