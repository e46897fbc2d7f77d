// See numpy.hpp. The numbers of functions and types are those of numpy/core/include/numpy (__multiarray_api.h,
// ndarraytypes.h).
#include "numpy.hpp"

#include <cstdint>
#include <cstring>

#include "convert.hpp"

namespace covec::python {

namespace {

constexpr int max_rank = 16;  // axes; the core's (stdlib/value/dtype.hpp)

struct Descriptor {
  PyObject_HEAD PyTypeObject* type;
  char kind, letter, byte_order, flags;
  int number;
};

struct Ndarray {
  PyObject_HEAD char* data;
  int rank;
  Py_ssize_t* dims;
  Py_ssize_t* strides;
  PyObject* base;
  Descriptor* descriptor;
  int flags;
};

enum TypeNumber {
  np_bool = 0,
  np_byte = 1,
  np_ubyte = 2,
  np_short = 3,
  np_ushort = 4,
  np_int = 5,
  np_uint = 6,
  np_long = 7,
  np_longlong = 9,
  np_float = 11,
  np_double = 12,
  np_half = 23
};
// NPY_ARRAY_… of NumPy's ndarraytypes.h.
constexpr int contiguous_flag = 0x1, aligned_flag = 0x100, writable_flag = 0x400;
constexpr TypeNumber type_numbers[] = {np_bool,   np_int,  np_long,  np_half,   np_half, np_float,
                                       np_double, np_byte, np_ubyte, np_ushort, np_uint, np_short};  // by covec_dtype

// Places in the table of functions.
constexpr int at_version = 0, at_array_type = 2, at_descriptor = 45, at_new = 94, at_set_base = 282;
constexpr unsigned version_1 = 0x1000009, version_2 = 0x2000000;

struct Numpy {
  PyTypeObject* array;
  PyObject* (*descriptor)(int number);
  PyObject* (*make)(PyTypeObject* type, PyObject* descriptor, int rank, const Py_ssize_t* dims,
                    const Py_ssize_t* strides, void* data, int flags, PyObject* object);
  int (*set_base)(PyObject* array, PyObject* base);
};
Numpy numpy = {};
bool has_looked = false;

template <class F>
void take(F& function, void* pointer) {
  static_assert(sizeof function == sizeof pointer);
  memcpy(&function, &pointer, sizeof pointer);
}

void read_table(void** table) {
  unsigned (*version)();
  take(version, table[at_version]);
  if (version() != version_1 && version() != version_2) return;
  numpy.array = static_cast<PyTypeObject*>(table[at_array_type]);
  take(numpy.descriptor, table[at_descriptor]);
  take(numpy.make, table[at_new]);
  take(numpy.set_base, table[at_set_base]);
}

// By the first array that comes: whoever has one has imported NumPy.
void find_numpy() {
  has_looked = true;
  for (const char* const name : {"numpy.core._multiarray_umath", "numpy._core._multiarray_umath"}) {
    PyObject* const modules = PyImport_GetModuleDict();
    PyObject* const inner = PyDict_GetItemString(modules, name);
    const Ref capsule(inner == nullptr ? nullptr : PyObject_GetAttrString(inner, "_ARRAY_API"));
    if (capsule && PyCapsule_CheckExact(capsule.get()) != 0) {
      void* const table = PyCapsule_GetPointer(capsule.get(), PyCapsule_GetName(capsule.get()));
      if (table != nullptr) return read_table(static_cast<void**>(table));
    }
    PyErr_Clear();
  }
}

int dtype_of(const Descriptor& descriptor) {
  if (descriptor.byte_order == '>') return -1;
  switch (descriptor.number) {
    case np_bool: return COVEC_BOOL;
    case np_byte: return COVEC_I8;
    case np_ubyte: return COVEC_U8;
    case np_short: return COVEC_I16;
    case np_ushort: return COVEC_U16;
    case np_uint: return COVEC_U32;
    case np_int: return COVEC_I32;
    case np_long:
    case np_longlong: return COVEC_I64;
    case np_half: return COVEC_F16;
    case np_float: return COVEC_F32;
    case np_double: return COVEC_F64;
    default: return -1;
  }
}

PyObject* make_by_table(covec_dtype dtype, int rank, const Py_ssize_t* dims, const Py_ssize_t* strides,
                        const void* data, bool is_writable, PyObject* owner) {
  PyObject* const descriptor = numpy.descriptor(type_numbers[dtype]);
  if (descriptor == nullptr) return nullptr;
  const int flags = aligned_flag | (is_writable ? writable_flag : 0);
  // The descriptor is the array's from here on, also where there is none.
  Ref array(numpy.make(numpy.array, descriptor, rank, dims, strides, const_cast<void*>(data), flags, nullptr));
  if (!array || numpy.set_base(array.get(), Py_NewRef(owner)) < 0) return nullptr;
  return array.release();
}

}  // namespace

int share_ndarray(Use& use, PyObject* object, covec_value** value) {
  if (Py_TYPE(object) != numpy.array) [[likely]] {
    if (has_looked || strcmp(Py_TYPE(object)->tp_name, "numpy.ndarray") != 0) return 0;
    find_numpy();
    if (Py_TYPE(object) != numpy.array) return 0;
  }
  const auto& array = *reinterpret_cast<Ndarray*>(object);
  const int dtype = dtype_of(*array.descriptor);
  if (dtype < 0 || (array.flags & aligned_flag) == 0 || array.rank > max_rank) return 0;
  if (array.base != nullptr && Py_TYPE(array.base) == module.array) {
    const int same = share_same(use, array.base, dtype, array.rank, array.dims, array.strides, array.data, value);
    if (same != 0) return same;
  }
  const bool is_row_major = (array.flags & contiguous_flag) != 0;
  int64_t strides[max_rank];
  const Py_ssize_t bytes = dtypes[dtype].bytes;
  for (int axis = 0; axis < array.rank && !is_row_major; ++axis) {
    if (array.strides[axis] % bytes != 0) return 0;
    strides[axis] = array.strides[axis] / bytes;
  }
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  PyObject* const own = array.base == nullptr ? nullptr : array_behind(array.base);
  void* const owner = own == nullptr ? owner_of(object) : owner_of_elements(use, own);
  if (owner == nullptr) return -1;
  const covec_status status =
      covec_lend_strided(use.handle(), static_cast<covec_dtype>(dtype), static_cast<unsigned>(array.rank), array.dims,
                         is_row_major ? nullptr : strides, array.data, give_back, owner, value);
  if (status == COVEC_OK) return 1;
  drop_owner(owner);
  return use.check(status) ? 1 : -1;
}

PyObject* base_of_ndarray(PyObject* object) {
  if (numpy.array == nullptr || Py_TYPE(object) != numpy.array) return nullptr;
  return reinterpret_cast<Ndarray*>(object)->base;
}

Py_ssize_t elements_of_ndarray(PyObject* object) {
  if (numpy.array == nullptr || Py_TYPE(object) != numpy.array) return 0;
  const auto& array = *reinterpret_cast<Ndarray*>(object);
  Py_ssize_t count = 1;
  for (int axis = 0; axis < array.rank; ++axis) count *= array.dims[axis];
  return count;
}

namespace {

// A type of a module that has been imported, which `kept` keeps; null: it has not.
PyTypeObject* type_in(PyObject*& kept, const char* module_name, const char* name) {
  if (kept != nullptr) return reinterpret_cast<PyTypeObject*>(kept);
  PyObject* const found = PyDict_GetItemString(PyImport_GetModuleDict(), module_name);
  PyObject* const type = found == nullptr ? nullptr : PyObject_GetAttrString(found, name);
  if (type == nullptr || PyType_Check(type) == 0) {
    PyErr_Clear();
    Py_XDECREF(type);
    return nullptr;
  }
  kept = type;
  return reinterpret_cast<PyTypeObject*>(kept);
}

bool is_a(PyObject* object, PyTypeObject* type) { return type != nullptr && PyObject_TypeCheck(object, type) != 0; }

}  // namespace

bool is_numpy_number(PyObject* object) {
  static PyObject *number = nullptr, *boolean = nullptr;
  return is_a(object, type_in(number, "numpy", "number")) || is_a(object, type_in(boolean, "numpy", "bool_"));
}

bool is_numpy_time(PyObject* object) {
  static PyObject *date = nullptr, *span = nullptr;
  if (is_a(object, type_in(date, "numpy", "datetime64")) || is_a(object, type_in(span, "numpy", "timedelta64")))
    return true;
  static PyObject* array = nullptr;
  if (!is_a(object, type_in(array, "numpy", "ndarray"))) return false;
  const char kind = reinterpret_cast<const Ndarray*>(object)->descriptor->kind;
  return kind == 'M' || kind == 'm';
}

bool is_frame(PyObject* object) {
  static PyObject* frame = nullptr;
  return is_a(object, type_in(frame, "pandas", "DataFrame"));
}

bool is_sparse(PyObject* object) {
  static PyObject *matrix = nullptr, *array = nullptr;
  return is_a(object, type_in(matrix, "scipy.sparse", "spmatrix")) ||
         is_a(object, type_in(array, "scipy.sparse", "sparray"));
}

bool is_masked(PyObject* object) {
  static PyObject* masked = nullptr;
  return is_a(object, type_in(masked, "numpy.ma", "MaskedArray"));
}

PyObject* make_ndarray(covec_dtype dtype, int rank, const Py_ssize_t* dims, const Py_ssize_t* strides, const void* data,
                       bool is_writable, PyObject* owner) {
  if (dtype == COVEC_BF16) {
    PyErr_SetString(PyExc_TypeError, "NumPy has no bfloat16: use __dlpack__, or convert by f32(x)");
    return nullptr;
  }
  if (numpy.array != nullptr) return make_by_table(dtype, rank, dims, strides, data, is_writable, owner);
  const Ref imported(PyImport_ImportModule("numpy"));
  if (!imported) return nullptr;
  if (!has_looked) find_numpy();
  if (numpy.array != nullptr) return make_by_table(dtype, rank, dims, strides, data, is_writable, owner);
  const Ref memory(PyMemoryView_FromObject(owner));
  return memory ? PyObject_CallMethod(imported.get(), "asarray", "O", memory.get()) : nullptr;
}

}  // namespace covec::python
