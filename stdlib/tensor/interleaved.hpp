// Complex numbers as files and hosts store them: the real and the imaginary part of each, one after the other.
#pragma once

#include <cstddef>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

template <class T>
void split_parts(const T* interleaved, T* re, T* im, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    re[i] = interleaved[2 * i];
    im[i] = interleaved[2 * i + 1];
  }
}
template <class T>
void join_parts(const T* re, const T* im, T* interleaved, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    interleaved[2 * i] = re[i];
    interleaved[2 * i + 1] = im[i];
  }
}

// A complex number (rank 0) or tensor whose parts have the dtype `part`, f32 or f64; fill(re, im) gives its dense
// parts.
template <class Fill>
Value make_complex(Pool& pool, Dtype part, const Shape& shape, Fill&& fill) {
  Value re = make_tensor(pool, part, shape), im = make_tensor(pool, part, shape);
  if (!re.is_scalar()) {
    fill(re.tensor().data(), im.tensor().data());
    return make_complex(std::move(re), std::move(im));
  }
  std::byte numbers[2][sizeof(double)];
  fill(numbers[0], numbers[1]);
  return make_complex(Value::scalar(part, numbers[0]), Value::scalar(part, numbers[1]));
}

}  // namespace covec
