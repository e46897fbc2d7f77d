// The parts of DLPack's structs (https://dmlc.github.io/dlpack, version 1) that the module needs, and the export of
// tensors. covec.h reads imported ones.
#pragma once

#include <cstdint>

#include "objects.hpp"

struct DLTensorType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  int32_t device_type, device_id;
  int32_t rank;
  DLTensorType type;
  int64_t* dims;
  int64_t* strides;  // in elements
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor* self);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor tensor;
};

namespace covec::python {

// Flags, and the form without a version, which has none.
constexpr uint64_t dlpack_read_only = 1, dlpack_is_copied = 2;
enum class Dlpack { plain, versioned };

// Elements as they lie; strides are in bytes.
struct Elements {
  covec_dtype dtype;
  int rank;
  const Py_ssize_t* dims;
  const Py_ssize_t* strides;
  const void* data;
  Py_ssize_t bytes;  // of all elements
};

// In the order of rows.
void copy_elements(const Elements& elements, char* to);
// A capsule of the elements, which it keeps, or of a copy of them where the flags say so.
struct ExportedElements;
PyObject* make_capsule(const Elements& elements, ExportedElements* exported, Dlpack form, uint64_t flags);

}  // namespace covec::python
