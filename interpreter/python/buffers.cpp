// Incoming arrays: elements are shared, not copied, and read in place. An ndarray is read through NumPy's own ABI
// (numpy.hpp), which is quicker than a buffer. Anything else is a buffer, supports DLPack, or becomes an ndarray by its
// __array__. Start at share_elements.
#include <cstdint>
#include <cstring>
#include <utility>

#include "convert.hpp"
#include "dlpack.hpp"

namespace covec::python {

const DtypeRow dtypes[12] = {{"bool", "bool", "?", 1},   {"i32", "int32", "i", 4},         {"i64", "int64", "l", 8},
                             {"f16", "float16", "e", 2}, {"bf16", "bfloat16", nullptr, 2}, {"f32", "float32", "f", 4},
                             {"f64", "float64", "d", 8}, {"i8", "int8", "b", 1},           {"u8", "uint8", "B", 1},
                             {"u16", "uint16", "H", 2},  {"u32", "uint32", "I", 4},        {"i16", "int16", "h", 2}};

namespace {

constexpr unsigned max_rank = 16;  // axes; the core's (stdlib/value/dtype.hpp)

// --- dtypes ---

bool is_little(char mark) { return mark == '@' || mark == '=' || mark == '<'; }

// The dtype of a format of PEP 3118, or -1.
int dtype_of(const char* format, Py_ssize_t bytes) {
  if (format == nullptr) return -1;
  if (is_little(*format)) ++format;
  if (format[0] == '\0' || format[1] != '\0') return -1;
  switch (format[0]) {
    case '?': return bytes == 1 ? COVEC_BOOL : -1;
    case 'b': return bytes == 1 ? COVEC_I8 : -1;
    case 'B': return bytes == 1 ? COVEC_U8 : -1;
    case 'h': return bytes == 2 ? COVEC_I16 : -1;
    case 'H': return bytes == 2 ? COVEC_U16 : -1;
    case 'I':
    case 'L': return bytes == 4 ? COVEC_U32 : -1;
    case 'i':
    case 'l':
    case 'q': return bytes == 4 ? COVEC_I32 : bytes == 8 ? COVEC_I64 : -1;
    case 'e': return bytes == 2 ? COVEC_F16 : -1;
    case 'f': return bytes == 4 ? COVEC_F32 : -1;
    case 'd': return bytes == 8 ? COVEC_F64 : -1;
    default: return -1;
  }
}

// `object` has a dtype, as NumPy's and PyTorch's do, or else elements of a format.
int raise_dtype(PyObject* object, const char* format) {
  const Ref named(object == nullptr ? nullptr : PyObject_GetAttrString(object, "dtype"));
  PyErr_Clear();
  const Ref dtype(named ? PyObject_Str(named.get())
                        : PyUnicode_FromFormat("of the format '%s'", format == nullptr ? "B" : format));
  if (!dtype) return -1;
  PyErr_Format(PyExc_TypeError,
               "Covec has no dtype %U: it has bool, integers of 8 to 64 bits except uint64, float16, float32, float64, "
               "complex64 and complex128 in the machine's byte order (convert first: x.astype('float64'))",
               dtype.get());
  return -1;
}

// Whether it is the format of complex numbers of two such parts.
bool is_complex(const char* format, Py_ssize_t bytes, covec_dtype* part) {
  if (format == nullptr) return false;
  if (is_little(*format)) ++format;
  *part = bytes == 8 ? COVEC_F32 : COVEC_F64;
  return format[0] == 'Z' && format[1] == (bytes == 8 ? 'f' : 'd') && format[2] == '\0';
}

// --- buffers ---

// Strides in elements; false where the elements do not lie so, or not aligned. Exporters leave strides out where the
// elements lie in order, ctypes also when it is asked for them.
bool strides_of(const Py_buffer& buffer, const int64_t* dims, int64_t* strides) {
  if (reinterpret_cast<uintptr_t>(buffer.buf) % static_cast<uintptr_t>(buffer.itemsize) != 0) return false;
  int64_t inside = 1;
  for (int axis = buffer.ndim; axis-- > 0; inside *= dims[axis]) strides[axis] = inside;
  for (int axis = 0; axis < buffer.ndim && buffer.strides != nullptr; ++axis) {
    if (buffer.strides[axis] % buffer.itemsize != 0) return false;
    strides[axis] = buffer.strides[axis] / buffer.itemsize;
  }
  return true;
}

// Elements in the order of rows.
using Elements = Room<double, 64>;
bool copy_elements(const Py_buffer& buffer, Elements& elements) {
  return elements.data() != nullptr && PyBuffer_ToContiguous(elements.data(), &buffer, buffer.len, 'C') == 0;
}

int copy_complex(Use& use, const Py_buffer& buffer, covec_dtype part, const int64_t* dims, covec_value** value) {
  Elements elements(static_cast<size_t>(buffer.len) / sizeof(double) + 1);
  if (!copy_elements(buffer, elements)) return -1;
  const auto rank = static_cast<unsigned>(buffer.ndim);
  return use.check(covec_complex(use.handle(), part, rank, dims, elements.data(), value)) ? 1 : -1;
}

// Elements that lie as no tensor's do.
int copy_buffer(Use& use, const Py_buffer& buffer, covec_dtype dtype, const int64_t* dims, covec_value** value) {
  Elements elements(static_cast<size_t>(buffer.len) / sizeof(double) + 1);
  if (!copy_elements(buffer, elements)) return -1;
  const auto rank = static_cast<unsigned>(buffer.ndim);
  return use.check(covec_tensor(use.handle(), dtype, rank, dims, nullptr, elements.data(), value)) ? 1 : -1;
}

// 2: the session has the buffer now; 1: it needs it no more; 0: it is a number of another way.
int share_buffer(Use& use, SharedBuffer* shared, covec_value** value) {
  const Py_buffer& buffer = shared->buffer;
  const int dtype = dtype_of(buffer.format, buffer.itemsize);
  covec_dtype part;
  const bool of_parts = is_complex(buffer.format, buffer.itemsize, &part);
  if (dtype < 0 && !of_parts)
    return buffer.ndim == 0 && PyIndex_Check(buffer.obj) != 0 ? 0 : raise_dtype(buffer.obj, buffer.format);
  int64_t dims[max_rank] = {}, strides[max_rank] = {};
  if (buffer.ndim > static_cast<int>(max_rank)) {
    PyErr_Format(PyExc_ValueError, "the array has %d dimensions, but Covec supports at most 16", buffer.ndim);
    return -1;
  }
  for (int axis = 0; axis < buffer.ndim; ++axis)
    dims[axis] = buffer.shape == nullptr ? buffer.len / buffer.itemsize : buffer.shape[axis];
  if (of_parts) return copy_complex(use, buffer, part, dims, value);
  if (!strides_of(buffer, dims, strides)) return copy_buffer(use, buffer, static_cast<covec_dtype>(dtype), dims, value);
  const auto rank = static_cast<unsigned>(buffer.ndim);
  PyObject* const own = array_behind(buffer.obj);
  void* const owner = own == nullptr ? owner_of(shared) : owner_of_elements(use, own);
  if (owner == nullptr) return -1;
  if (use.check(covec_lend_strided(use.handle(), static_cast<covec_dtype>(dtype), rank, dims, strides, buffer.buf,
                                   give_back, owner, value)))
    return own == nullptr ? 2 : 1;
  if (own != nullptr) drop_owner(owner);
  return -1;
}

int share_as_buffer(Use& use, PyObject* object, covec_value** value) {
  if (is_numpy_time(object)) return raise_dtype(object, nullptr);  // numbers of time are buffers of bytes
  auto* const shared = static_cast<SharedBuffer*>(PyMem_Malloc(sizeof(SharedBuffer)));
  if (shared == nullptr) {
    PyErr_NoMemory();
    return -1;
  }
  shared->count = 1;
  if (PyObject_GetBuffer(object, &shared->buffer, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) {
    PyMem_Free(shared);
    return -1;
  }
  const int made = share_buffer(use, shared, value);
  if (made != 2) drop_owner(owner_of(shared));
  return made == 2 ? 1 : made;
}

// --- DLPack ---

int mark_used(PyObject* capsule, const char* name) {
  return PyCapsule_SetName(capsule, name) < 0 || PyCapsule_SetDestructor(capsule, nullptr) < 0 ? -1 : 1;
}

int take_capsule(Use& use, PyObject* capsule, covec_value** value) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned") != 0) {
    auto* managed = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    return use.check(covec_from_dlpack_versioned(use.handle(), &managed, value))
               ? mark_used(capsule, "used_dltensor_versioned")
               : -1;
  }
  if (PyCapsule_IsValid(capsule, "dltensor") == 0) {
    PyErr_SetString(PyExc_TypeError,
                    "__dlpack__ gave no capsule named 'dltensor' or 'dltensor_versioned' (one that has been used has "
                    "another name)");
    return -1;
  }
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  return use.check(covec_from_dlpack(use.handle(), &managed, value)) ? mark_used(capsule, "used_dltensor") : -1;
}

// Version 1, which tells what is read-only; those that do not know the argument give the form before it.
Ref capsule_of(PyObject* object, PyObject* name) {
  const Ref bound(PyObject_GetAttr(object, name));
  const Ref none(bound ? PyTuple_New(0) : nullptr);
  const Ref keywords(none ? Py_BuildValue("{s:(ii)}", "max_version", 1, 0) : nullptr);
  if (!keywords) return {};
  Ref capsule(PyObject_Call(bound.get(), none.get(), keywords.get()));
  if (capsule || PyErr_ExceptionMatches(PyExc_TypeError) == 0) return capsule;
  PyErr_Clear();
  return Ref(PyObject_CallNoArgs(bound.get()));
}

// PyTorch's views that are to be conjugated or negated when they are read, as they are read; other objects as they are.
Ref resolved(PyObject* object) {
  static PyObject* const names[] = {PyUnicode_InternFromString("resolve_conj"),
                                    PyUnicode_InternFromString("resolve_neg")};
  Ref given = Ref::to(object);
  for (PyObject* const name : names) {
    if (_PyType_Lookup(Py_TYPE(object), name) == nullptr) continue;
    given = Ref(PyObject_CallMethodNoArgs(given.get(), name));
    if (!given) break;
  }
  return given;
}

// PyTorch's tensors of bool: versions before 2.2 do not export them. Their bytes, and true.
bool is_bool_of_torch(PyObject* object, Ref& bytes) {
  PyObject* const torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
  static PyObject* const resolve = PyUnicode_InternFromString("resolve_conj");
  if (torch == nullptr || _PyType_Lookup(Py_TYPE(object), resolve) == nullptr) return false;
  const Ref boolean(PyObject_GetAttrString(torch, "bool")), byte(PyObject_GetAttrString(torch, "uint8"));
  const Ref dtype(boolean && byte ? PyObject_GetAttrString(object, "dtype") : nullptr);
  if (dtype && dtype.get() == boolean.get()) bytes = Ref(PyObject_CallMethod(object, "view", "O", byte.get()));
  return dtype && dtype.get() == boolean.get();
}

// The bytes of a capsule are taken for bools.
void make_bool(PyObject* capsule) {
  constexpr dlpack::ElementType boolean = {dlpack::TypeCode::boolean, 8};
  if (PyCapsule_IsValid(capsule, "dltensor_versioned") != 0)
    static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"))->tensor.type = boolean;
  else if (PyCapsule_IsValid(capsule, "dltensor") != 0)
    static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"))->tensor.type = boolean;
}

// 0: `object` does not speak DLPack.
int share_by_dlpack(Use& use, PyObject* given, covec_value** value) {
  static PyObject* const name = PyUnicode_InternFromString("__dlpack__");
  if (PyType_Check(given) != 0 || _PyType_Lookup(Py_TYPE(given), name) == nullptr) return 0;
  Ref plain = resolved(given);
  if (!plain) return -1;
  Ref bytes;
  const bool is_bool = is_bool_of_torch(plain.get(), bytes);
  if (PyErr_Occurred() != nullptr) return -1;
  if (is_bool) plain = std::move(bytes);
  PyObject* const object = plain.get();
  const Ref device(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  if (!device) return -1;
  int kind = 0, number = 0;
  if (!read_pair(device.get(), "__dlpack_device__", &kind, &number)) return -1;
  if (kind != 1) {
    PyErr_SetString(PyExc_BufferError, "the tensor is on a device: copy it to the processor first");
    return -1;
  }
  const Ref capsule = capsule_of(object, name);
  if (capsule && is_bool) make_bool(capsule.get());
  return capsule ? take_capsule(use, capsule.get(), value) : -1;
}

// --- anything else that is an array ---

int share_by_array(Use& use, PyObject* object, covec_value** value) {
  static PyObject* const name = PyUnicode_InternFromString("__array__");
  if (PyType_Check(object) != 0 || _PyType_Lookup(Py_TYPE(object), name) == nullptr) return 0;
  const Ref array(PyObject_CallMethodNoArgs(object, name));
  if (!array) return -1;
  if (PyObject_CheckBuffer(array.get()) != 0) return share_as_buffer(use, array.get(), value);
  PyErr_SetString(PyExc_TypeError, "__array__ gave no array");
  return -1;
}

}  // namespace

bool read_pair(PyObject* tuple, const char* what, int* first, int* second) {
  if (PyTuple_Check(tuple) != 0) return PyArg_ParseTuple(tuple, "ii", first, second) != 0;
  PyErr_Format(PyExc_TypeError, "%s must be a tuple of two integers", what);
  return false;
}

int share_elements(Use& use, PyObject* object, covec_value** value) {
  if (PyCapsule_CheckExact(object) != 0) return take_capsule(use, object, value);
  if (PyBytes_Check(object) != 0 || PyByteArray_Check(object) != 0) {
    PyErr_SetString(PyExc_TypeError,
                    "bytes are neither an array nor a text: pass memoryview(x), a tensor of u8, or x.decode()");
    return -1;
  }
  if (PyObject_CheckBuffer(object) != 0) {
    if (is_masked(object)) {
      PyErr_SetString(PyExc_TypeError, "the mask of a masked array would be lost: pass x.filled(…) and x.mask");
      return -1;
    }
    return share_as_buffer(use, object, value);
  }
  const int shared = share_by_dlpack(use, object, value);
  return shared != 0 ? shared : share_by_array(use, object, value);
}

}  // namespace covec::python
