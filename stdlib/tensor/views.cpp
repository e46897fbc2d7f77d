#include "stdlib/tensor/views.hpp"
#include "stdlib/value/interrupt_chunks.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace covec {

Value view_at(const Value& x, int64_t offset, const Shape& shape, const int64_t* strides) {
  Tensor& tensor = x.tensor();
  std::byte* data = tensor.address() + offset * static_cast<int64_t>(size_of(tensor.dtype()));
  return Tensor::view(x, data, shape, {strides, shape.rank()});
}

Value reshape_value(Pool& pool, Value x, const Shape& shape) {
  if (x.is_scalar()) {
    if (shape.rank() == 0) return x;
    Value result = make_tensor(pool, x.scalar_dtype(), shape);
    std::memcpy(result.tensor().data(), x.scalar_data(), size_of(x.scalar_dtype()));
    return result;
  }
  if (shape == x.tensor().shape()) return x;
  const Value whole = contiguous(pool, x);
  if (shape.rank() == 0) return Value::scalar(whole.tensor().dtype(), whole.tensor().data());
  std::array<int64_t, max_rank> strides;
  uint64_t step = 1;
  for (unsigned i = shape.rank(); i-- > 0; step *= static_cast<uint64_t>(shape[i].number())) {
    strides[i] = static_cast<int64_t>(step);
  }
  return view_at(whole, 0, shape, strides.data());
}

namespace {
uint64_t repeated_in_word(const void* element, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, element, size);
  return size == 1   ? word * 0x0101010101010101
         : size == 2 ? word * 0x0001000100010001
         : size == 4 ? word | word << 32
                     : word;
}
}  // namespace

// A cache line, and then copies of what there is, twice as much each time: they go a whole vector at a time.
void fill_elements(std::byte* to, size_t bytes, const void* element, size_t size) {
  std::array<uint64_t, 8> line;
  line.fill(repeated_in_word(element, size));
  std::memcpy(to, line.data(), std::min(bytes, sizeof line));
  for (size_t done = sizeof line; done < bytes;) {
    const size_t part = std::min({done, bytes - done, bytes_between_polls});
    std::memcpy(to + done, to, part);
    done += part;
    if (part == bytes_between_polls) Visits::look();
  }
}

void fill_elements(std::byte* to, size_t bytes, const Value& number) {
  fill_elements(to, bytes, number.scalar_data(), size_of(number.scalar_dtype()));
}

Value permute_value(const Value& x, std::span<const unsigned> axes) {
  const unsigned rank = rank_of(x);
  if (rank < 2) return x;
  const Tensor& tensor = x.tensor();
  Shape shape = tensor.shape();
  std::array<int64_t, max_rank> strides;
  for (unsigned i = 0; i < rank; ++i) {
    shape[i] = tensor.dim(axes[i]);
    strides[i] = tensor.stride(axes[i]);
  }
  return view_at(x, 0, shape, strides.data());
}

namespace {

Value filled(Pool& pool, const Value& number, const Shape& shape) {
  Value result = make_tensor(pool, number.scalar_dtype(), shape);
  Tensor& tensor = result.tensor();
  fill_elements(tensor.data(), static_cast<size_t>(tensor.size()) * size_of(tensor.dtype()), number);
  return result;
}

// A number as a view of one element, where writing it out would cost more than reading it through strides of 0.
constexpr int64_t worth_a_view = 16384;  // elements

Value repeated_number(Pool& pool, const Value& x, const Shape& to) {
  const size_t size = size_of(x.scalar_dtype());
  Value cell =
      make_tensor(pool, x.scalar_dtype(), {Dim(static_cast<int64_t>(128 / size))});  // too many to lie in a header
  std::memset(cell.tensor().data(), 0, 128);
  std::memcpy(cell.tensor().data(), x.scalar_data(), size);
  const std::array<int64_t, max_rank> strides = {};
  return view_at(cell, 0, to, strides.data());
}

}  // namespace

Value broadcast_value(Pool& pool, const Value& x, const Shape& to) {
  if (to.rank() == 0) return x;
  if (x.is_scalar()) {
    return to.elements() < worth_a_view ? filled(pool, x, to) : repeated_number(pool, x, to);
  }
  const Tensor& tensor = x.tensor();
  if (to == tensor.shape()) return x;
  std::array<int64_t, max_rank> strides;
  const unsigned shift = to.rank() - tensor.rank();
  for (unsigned i = 0; i < to.rank(); ++i) {
    const bool repeated = i < shift || tensor.dim(i - shift) != to[i].number();
    strides[i] = repeated ? 0 : tensor.stride(i - shift);
  }
  return view_at(x, 0, to, strides.data());
}

}  // namespace covec
