// The layout of a tensor's header for generated code: offsets in bytes from the Object's address. Dimensions and
// strides follow the header. All other code uses Tensor.
#pragma once

#include <cstddef>

#include "stdlib/tensor/tensor.hpp"

namespace covec {

// Tensor has a base with members, for which offsetof is only conditionally supported: every compiler that builds this
// supports it, and warns.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
struct Tensor::Layout {
  static constexpr size_t references = offsetof(Tensor, references);   // uint32_t
  static constexpr size_t contiguous = offsetof(Tensor, contiguous_);  // one byte
  static constexpr size_t data = offsetof(Tensor, data_);
  static constexpr size_t storage = offsetof(Tensor, storage_);  // Storage*, null where the elements follow the header
  static constexpr size_t dims = sizeof(Tensor);                 // int64_t[rank], then the strides: int64_t[rank]
  static constexpr size_t storage_references = offsetof(Storage, references);  // uint32_t
  static constexpr size_t storage_read_only = offsetof(Storage, read_only);    // one byte
};
#pragma GCC diagnostic pop
using TensorLayout = Tensor::Layout;

}  // namespace covec
