// Converts Python lists of numbers to tensors, as brackets of the language do: [1, 2.5] and [[1, 2], [3, 4]]. Numbers
// of NumPy count too. Start at numbers_of_list.
#include <cstdint>
#include <cstring>

#include "convert.hpp"

namespace covec::python {

namespace {

constexpr unsigned max_rank = 16;  // axes; the core's (stdlib/value/dtype.hpp)

struct Numbers {
  unsigned rank = 0;
  int64_t dims[max_rank] = {};
  bool is_equal = true;  // lists at one depth are equally long
  bool has_complex = false, has_floats = false, has_integers = false, has_bools = false;
  bool has_numpy = false;  // numbers of NumPy's dtypes, but for np.float64, which is a float

  // Of complex numbers that of their parts.
  covec_dtype dtype() const {
    if (has_complex || has_floats || (!has_integers && !has_bools)) return COVEC_F64;
    return has_integers ? COVEC_I64 : COVEC_BOOL;
  }
};

bool note_number(Numbers& numbers, PyObject* object) {
  if (PyFloat_Check(object) != 0) return numbers.has_floats = true;
  if (PyBool_Check(object) != 0) return numbers.has_bools = true;
  if (PyLong_Check(object) != 0) return numbers.has_integers = true;
  if (PyComplex_Check(object) != 0) return numbers.has_complex = true;
  return is_numpy_number(object) && (numbers.has_numpy = true);
}

// False where there is something else than numbers and lists of them.
bool note_list(Numbers& numbers, PyObject* list, unsigned depth) {
  const Py_ssize_t count = PyList_GET_SIZE(list);
  if (numbers.dims[depth] != count) numbers.is_equal = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const item = PyList_GET_ITEM(list, i);
    const bool is_list = PyList_Check(item) != 0;
    if (is_list != (depth + 1 < numbers.rank)) return false;
    if (!(is_list ? note_list(numbers, item, depth + 1) : note_number(numbers, item))) return false;
  }
  return true;
}

bool measure(Numbers& numbers, PyObject* list) {
  PyObject* inner = list;
  while (inner != nullptr && PyList_Check(inner) != 0) {
    if (numbers.rank == max_rank) return false;
    const Py_ssize_t count = PyList_GET_SIZE(inner);
    numbers.dims[numbers.rank++] = count;
    inner = count == 0 ? nullptr : PyList_GET_ITEM(inner, 0);
  }
  return note_list(numbers, list, 0);
}

template <class T>
bool store(T number, char*& to) {
  memcpy(to, &number, sizeof number);
  to += sizeof number;
  return true;
}

// Runs no code of Python's, which could change the lists: a subclass is read as the number it is, not by its __float__.
bool store_number(PyObject* number, covec_dtype dtype, char*& to) {
  if (dtype == COVEC_BOOL) return store(static_cast<uint8_t>(number == Py_True), to);
  if (dtype == COVEC_F64) {
    if (PyFloat_Check(number) != 0) return store(PyFloat_AS_DOUBLE(number), to);
    const double real = PyLong_AsDouble(number);
    return (real != -1 || PyErr_Occurred() == nullptr) && store(real, to);
  }
  const long long whole = PyLong_AsLongLong(number);
  return (whole != -1 || PyErr_Occurred() == nullptr) && store(static_cast<int64_t>(whole), to);
}

bool store_complex(PyObject* number, char*& to) {
  if (PyComplex_Check(number) == 0) return store_number(number, COVEC_F64, to) && store(0.0, to);
  return store(reinterpret_cast<PyComplexObject*>(number)->cval, to);
}

bool store_list(const Numbers& numbers, PyObject* list, char*& to) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* const item = PyList_GET_ITEM(list, i);
    const bool is_stored = PyList_Check(item) != 0 ? store_list(numbers, item, to)
                           : numbers.has_complex   ? store_complex(item, to)
                                                   : store_number(item, numbers.dtype(), to);
    if (!is_stored) return false;
  }
  return true;
}

// The dtype of numbers that have dtypes is for NumPy to say.
int numbers_by_numpy(Use& use, PyObject* list, covec_value** value) {
  const Ref imported(PyImport_ImportModule("numpy"));
  const Ref array(imported ? PyObject_CallMethod(imported.get(), "array", "O", list) : nullptr);
  return array ? share_elements(use, array.get(), value) : -1;
}

}  // namespace

int numbers_of_list(Use& use, PyObject* list, covec_value** value) {
  Numbers numbers;
  if (!measure(numbers, list)) return 0;
  if (!numbers.is_equal) {
    PyErr_SetString(PyExc_ValueError, "lists of numbers of different lengths cannot become a tensor");
    return -1;
  }
  if (numbers.has_numpy) return numbers_by_numpy(use, list, value);
  size_t count = 1;
  for (unsigned axis = 0; axis < numbers.rank; ++axis) count *= static_cast<size_t>(numbers.dims[axis]);
  Room<double, 32> elements(numbers.has_complex ? 2 * count : count);
  char* to = reinterpret_cast<char*>(elements.data());
  if (to == nullptr || !store_list(numbers, list, to)) return -1;
  const covec_status status =
      numbers.has_complex
          ? covec_complex(use.handle(), COVEC_F64, numbers.rank, numbers.dims, elements.data(), value)
          : covec_tensor(use.handle(), numbers.dtype(), numbers.rank, numbers.dims, nullptr, elements.data(), value);
  return use.check(status) ? 1 : -1;
}

}  // namespace covec::python
