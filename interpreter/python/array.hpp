// The parts of covec.Array, for the files that give it its methods: array.cpp (elements as buffers, by DLPack and as
// ndarrays), arithmetic.cpp (operators), array_methods.cpp (functions of Covec), displays.cpp and copies.cpp (copy and
// pickle).
#pragma once

#include "convert.hpp"
#include "dlpack.hpp"

namespace covec::python {

// Behind it lie its dims, then its strides in bytes.
struct Array {
  Holder holder;
  covec_dtype dtype;
  int rank;
  bool is_writable;  // it has been given out for writing
  const void* data;
  Py_ssize_t bytes;  // of all elements
  PyObject* weak;
  ExportedElements* exported;  // null: the handle is the array's alone
  Py_ssize_t extents[1];
};

inline Array& array_of(PyObject* self) { return *reinterpret_cast<Array*>(self); }
inline Py_ssize_t* strides_of(Array& array) { return array.extents + array.rank; }
inline Py_ssize_t size_of(const Array& array) { return array.bytes / dtypes[array.dtype].bytes; }
inline Elements elements_of(Array& array) {
  return {array.dtype, array.rank, array.extents, strides_of(array), array.data, array.bytes};
}

// The array's handle, which others may own as well from now on. Null with a MemoryError.
ExportedElements* exported_elements(Array& array);

PyObject* element(covec_dtype dtype, const char* at);  // as a number of Python's
PyObject* list_of(PyObject* self);                     // tolist()

// --- operators (arithmetic.cpp) ---

// What operators are applied to instead of an array: the number of one of rank 0, an ndarray of the same elements, or
// of bfloat16 one of float32. Any other object is itself.
Ref operand_of(PyObject* object, bool is_writable = false);
PyObject* compare_arrays(PyObject* self, PyObject* other, int how);
Py_hash_t hash_array(PyObject* self);
PyObject* array_to_index(PyObject* self);
PyObject* format_array(PyObject* self, PyObject* format);
PyObject* round_array(PyObject* self, PyObject* arguments);
PyObject* truncate_array(PyObject* self, PyObject*);
// Slots of the type, up to one whose number is 0.
extern const PyType_Slot arithmetic_slots[];

// --- functions of Covec (array_methods.cpp) ---

PyObject* transposed_array(PyObject* self, void*);
PyObject* reshape_array(PyObject* self, PyObject* arguments, PyObject* keywords);
PyObject* sum_of_array(PyObject* self, PyObject* arguments, PyObject* keywords);
PyObject* mean_of_array(PyObject* self, PyObject* arguments, PyObject* keywords);
PyObject* min_of_array(PyObject* self, PyObject* arguments, PyObject* keywords);
PyObject* max_of_array(PyObject* self, PyObject* arguments, PyObject* keywords);
PyObject* cast_array(PyObject* self, PyObject* arguments, PyObject* keywords);

// --- notebooks (displays.cpp) ---

PyObject* html_of_array(PyObject* self, PyObject*);

// --- copies (copies.cpp) ---

PyObject* copy_array(PyObject* self, PyObject*);
PyObject* reduce_array(PyObject* self, PyObject*);
bool add_unpickling(PyObject* module_object);

}  // namespace covec::python
