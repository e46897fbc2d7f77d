// Converts Python objects to values of a session, and back. docs/python.md has the table. Start at to_covec and
// to_python.
#pragma once

#include <atomic>

#include "session.hpp"

namespace covec::python {

// A new handle of what `object` is; false with an exception.
bool to_covec(Use& use, PyObject* object, covec_value** value);
// A record of columns, which a dict has by any names.
bool table_to_covec(Use& use, PyObject* columns, covec_value** value);
// What the value is: numbers, strings and trees are copied, tensors become arrays that share their elements.
PyObject* to_python(Use& use, Handle value);

// Calls a function; the last of the arguments are those that `keywords` names, a tuple or null. Null with an exception.
PyObject* call_value(Use& use, covec_value* function, Pace& pace, PyObject* const* arguments, size_t count,
                     PyObject* keywords);

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
bool is_frame(PyObject* object);   // of pandas
bool is_sparse(PyObject* object);  // of scipy.sparse
// numpy.datetime64 and timedelta64, also of arrays.
bool is_numpy_time(PyObject* object);
// A list of numbers, or of lists of numbers that are equally long: a tensor. 0: it has other items.
int numbers_of_list(Use& use, PyObject* list, covec_value** value);

// Two numbers in a tuple, as DLPack has devices and versions.
bool read_pair(PyObject* tuple, const char* what, int* first, int* second);

// --- whose the memory is that a session reads (owners.cpp) ---

// An owner is what give_back gets: an object of Python, a buffer, or elements of a session's own that a covec.Array has
// given out. The last do not name the session as an object, else one that reads its own array would never end.
struct SharedBuffer {
  Py_buffer buffer;
  size_t count;  // owners of this name, under the GIL
};
struct ExportedElements {
  std::atomic<size_t> count;
  covec_value* value;
};
void* owner_of(PyObject* object);
void* owner_of(SharedBuffer* buffer);
void* owner_of(ExportedElements* elements);
// What give_back was given.
void drop_owner(void* owner);
void drop_elements(ExportedElements* elements);  // on any thread, with or without the GIL
// The covec.Array on whose elements an object is a view: an ndarray of one or two steps, a memoryview. Null: none.
PyObject* array_behind(PyObject* object);
// One more owner of an array's elements: the host that shared them with its session, or else the elements. So x =
// f(x)[::-1], again and again, has one owner, not one for each round. Null with an exception.
void* owner_of_elements(Use& use, PyObject* array);

// --- arrays that go out (array.cpp) ---
// Shares an array's elements as Python's memory where Python may write them; 0: it goes as a handle.
int share_array(Use& use, PyObject* object, covec_value** value);
// Takes an ndarray that has been made of the covec.Array `object` for that array: else each call that gives its
// argument back would put one more object between the elements and who owns them. 0: the ndarray is another part of it.
int share_same(Use& use, PyObject* object, int dtype, int rank, const Py_ssize_t* dims, const Py_ssize_t* strides,
               const void* data, covec_value** value);
// How many elements a covec.Array has.
Py_ssize_t elements_of_array(PyObject* object);
int rank_of_array(PyObject* object);
PyObject* make_array(Use& use, Handle value, const covec_view& view);
PyObject* make_function(Use& use, Handle value);
PyObject* make_value(Use& use, Handle value);

struct DtypeRow {
  const char* name;
  const char* numpy_name;
  const char* format;  // of PEP 3118; null: it has none
  Py_ssize_t bytes;
};
extern const DtypeRow dtypes[12];  // by covec_dtype

}  // namespace covec::python
