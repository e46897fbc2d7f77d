// TensorHeader: a tensor's dtype and dimensions, and the owner of its memory. With these a tensor can be described,
// typed and freed. So the layers below elements, storage and memory need not know those (tensor/tensor.hpp, whose
// Tensor begins with this).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stdlib/value/dtype.hpp"
#include "stdlib/value/object.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

class TensorHeader : public Object {
 public:
  Dtype dtype() const { return dtype_; }
  unsigned rank() const { return rank_; }
  int64_t size() const { return size_; }  // elements
  int64_t dim(unsigned axis) const { return extents()[axis]; }
  std::span<const int64_t> dims() const { return {extents(), rank_}; }
  Shape shape() const { return Shape(extents(), rank_); }
  Type type() const { return {dtype_, shape()}; }
  ObjectOwner& owner() const { return *owner_; }

 protected:
  // The block has room for the dimensions behind the object, which its maker writes; `size` is their product.
  TensorHeader(ObjectOwner& owner, Dtype dtype, unsigned rank, int64_t size)
      : Object(ObjectKind::tensor), dtype_(dtype), rank_(static_cast<uint8_t>(rank)), size_(size), owner_(&owner) {}
  ~TensorHeader() = default;

  // The whole object (a Tensor) is that long; dimensions and strides follow it.
  static constexpr size_t object_bytes = sizeof(void*) == 8 ? 48 : 32;
  int64_t* extents() { return reinterpret_cast<int64_t*>(reinterpret_cast<std::byte*>(this) + object_bytes); }
  const int64_t* extents() const {
    return reinterpret_cast<const int64_t*>(reinterpret_cast<const std::byte*>(this) + object_bytes);
  }

 private:
  Dtype dtype_;
  uint8_t rank_;
  int64_t size_;
  ObjectOwner* owner_;
};

inline const TensorHeader& tensor_header(const Value& tensor) {
  return *static_cast<const TensorHeader*>(tensor.object());
}

// The dtype and rank of a number or tensor as one word; 0 for anything else.
constexpr uint64_t scalar_kind = 1, tensor_kind = 2;
inline uint64_t kind_word(const Value& value) {
  if (value.is_scalar()) return scalar_kind | static_cast<uint64_t>(value.scalar_dtype()) << 8;
  if (!value.is_tensor()) return 0;
  const TensorHeader& tensor = tensor_header(value);
  return tensor_kind | static_cast<uint64_t>(tensor.dtype()) << 8 | uint64_t{tensor.rank()} << 16;
}

}  // namespace covec
