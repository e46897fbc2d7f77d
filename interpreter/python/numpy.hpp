// The part of NumPy's binary interface that is used once a program has imported NumPy. It has the fields of an ndarray,
// which through a buffer would take three times as long, and the function that makes an ndarray on given memory. Both
// are the same in NumPy 1 and 2; with another version arrays are passed as buffers. NumPy is needed neither to build
// nor to import the module.
#pragma once

#include "objects.hpp"

namespace covec::python {

// An ndarray that reads `data` as long as it holds `owner`; null with an exception. NumPy is imported where it is not
// yet.
PyObject* make_ndarray(covec_dtype dtype, int rank, const Py_ssize_t* dims, const Py_ssize_t* strides, const void* data,
                       bool is_writable, PyObject* owner);

// What an ndarray is a view of; null: it has its own elements, or is none.
PyObject* base_of_ndarray(PyObject* object);

}  // namespace covec::python
