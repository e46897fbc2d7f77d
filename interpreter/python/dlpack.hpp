// The export of tensors by DLPack. covec.h reads imported ones.
#pragma once

#include <cstdint>

#include "interpreter/dlpack_structs.hpp"
#include "objects.hpp"

namespace covec::python {

// The plain form has no version, and no flags.
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
