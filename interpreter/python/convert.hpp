// Objects of Python as values of a session, and back. docs/python.md has the table. Start at to_covec and to_python.
#pragma once

#include "session.hpp"

namespace covec::python {

// A new handle of what `object` is; false with an exception.
bool to_covec(Use& use, PyObject* object, covec_value** value);
// What the value is: numbers, strings and trees are copied, tensors become arrays that share their elements.
PyObject* to_python(Use& use, Handle value);

// --- arrays that come in (buffers.cpp) ---
// Shares the elements of an array of NumPy's, a buffer, or what speaks DLPack; 0: `object` is none of these, -1: an
// exception.
int share_elements(Use& use, PyObject* object, covec_value** value);
// Shares the elements of an ndarray whose dtype Covec has; 0: it must go another way.
int share_ndarray(Use& use, PyObject* object, covec_value** value);
// How many elements an ndarray has; 0: it is none.
Py_ssize_t elements_of_ndarray(PyObject* object);
// Whether it is a number of one of NumPy's dtypes: np.int64(1), np.True_.
bool is_numpy_number(PyObject* object);
// Whether it is an np.ma.MaskedArray: its elements alone would be wrong numbers.
bool is_masked(PyObject* object);
// What give_back was given.
void drop_owner(void* owner);
// A list of numbers, or of lists of numbers that are equally long: a tensor. 0: it has other items.
int numbers_of_list(Use& use, PyObject* list, covec_value** value);

// Two numbers in a tuple, as DLPack has devices and versions.
bool read_pair(PyObject* tuple, const char* what, int* first, int* second);

// --- arrays that go out (array.cpp) ---
// Shares an array's elements as Python's memory where Python may write them; 0: it goes as a handle.
int share_array(Use& use, PyObject* object, covec_value** value);
// Takes an ndarray that has been made of the covec.Array `object` for that array: else each call that gives its
// argument back would put one more object between the elements and who owns them. 0: the ndarray is another part of it.
int share_same(Use& use, PyObject* object, int dtype, int rank, const Py_ssize_t* dims, const Py_ssize_t* strides,
               const void* data, covec_value** value);
// How many elements a covec.Array has.
Py_ssize_t elements_of_array(PyObject* object);
PyObject* make_array(Use& use, Handle value, const covec_view& view);
PyObject* make_function(Use& use, Handle value);
PyObject* make_value(Use& use, Handle value);

struct DtypeRow {
  const char* name;
  const char* numpy_name;
  const char* format;  // of PEP 3118; null: it has none
  Py_ssize_t bytes;
};
extern const DtypeRow dtypes[7];  // by covec_dtype

}  // namespace covec::python
