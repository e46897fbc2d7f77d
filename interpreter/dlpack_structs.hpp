// The structs of DLPack's binary interface, version 1 (https://dmlc.github.io/dlpack/latest/c_api.html), for libcovec
// and the Python module: covec.h only names them. Both forms carry the same tensor. Start at DLManagedTensor.
#pragma once

#include <cstdint>

namespace covec::dlpack {

enum class DeviceType : int32_t { cpu = 1 };
enum class TypeCode : uint8_t { integer = 0, unsigned_integer = 1, floating = 2, bfloat = 4, complex = 5, boolean = 6 };

struct ElementType {
  TypeCode code = TypeCode::floating;
  uint8_t bits = 0;
  uint16_t lanes = 1;
  bool operator==(const ElementType&) const = default;
};

struct Tensor {
  void* data = nullptr;
  DeviceType device = DeviceType::cpu;
  int32_t device_number = 0;
  int32_t rank = 0;
  ElementType type;
  int64_t* dims = nullptr;
  int64_t* strides = nullptr;  // in elements; null: in the order of rows
  uint64_t byte_offset = 0;
};
static_assert(sizeof(Tensor) == 48);  // bytes, of the interface

// Flags of the form with a version.
constexpr uint64_t read_only = 1, is_copied = 2;

}  // namespace covec::dlpack

struct DLManagedTensor {
  covec::dlpack::Tensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor* self);
};

struct DLManagedTensorVersioned {
  uint32_t major = 1, minor = 0;  // of the interface
  void* context;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  covec::dlpack::Tensor tensor;
};
