// covec.Array: a tensor that a session has given. Its elements stay in place: as a buffer, by DLPack and as an ndarray.
// If nobody else holds them they may be written, and the session treats the array as Python's memory from then on.
// Otherwise they are read-only, and an interface without a read-only flag gets a copy.
#include <cstddef>
#include <cstring>
#include <new>

#include "array.hpp"
#include "numpy.hpp"

#include <structmember.h>

namespace covec::python {

namespace {

// Whether nobody else has the elements. Where the session is in use that cannot be said. A number stays what it is.
bool is_made_writable(Array& array) {
  const Session& session = *array.holder.session;
  int exclusive = 0;
  if (!array.is_writable && array.rank > 0 && session.handle != nullptr && session.user == nullptr && !session.is_lost)
    array.is_writable =
        covec_is_exclusive(session.handle, array.holder.value, &exclusive) == COVEC_OK && exclusive == 1;
  return array.is_writable;
}

bool is_contiguous(Array& array, char order) {
  Py_ssize_t expected = dtypes[array.dtype].bytes;
  for (int i = 0; i < array.rank; ++i) {
    const int axis = order == 'C' ? array.rank - 1 - i : i;
    if (array.extents[axis] != 1 && strides_of(array)[axis] != expected && array.bytes != 0) return false;
    expected *= array.extents[axis];
  }
  return true;
}

// --- buffers ---

int refuse_buffer(Py_buffer* buffer, const char* why) {
  buffer->obj = nullptr;
  PyErr_SetString(PyExc_BufferError, why);
  return -1;
}

int get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
  Array& array = array_of(self);
  if (dtypes[array.dtype].format == nullptr)
    return refuse_buffer(buffer, "buffers have no format for bfloat16: use __dlpack__, or convert by f32(x)");
  // Bytes without a format are numbers to some readers, of a dtype of their own: torch.asarray takes them for float32.
  if ((flags & PyBUF_FORMAT) == 0)
    return refuse_buffer(
        buffer, "the consumer asks for no dtype and would misread the elements: pass memoryview(a) or a.numpy()");
  const bool is_writable = is_made_writable(array);
  if (!is_writable && (flags & PyBUF_WRITABLE) != 0)
    return refuse_buffer(buffer, "this covec.Array shares its elements: it is read-only");
  const bool is_rows = is_contiguous(array, 'C'), is_columns = is_contiguous(array, 'F');
  const bool wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  if (((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !is_rows) ||
      ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !is_columns) ||
      ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !is_rows && !is_columns) ||
      (!wants_strides && !is_rows))
    return refuse_buffer(buffer, "the elements of the covec.Array are in another order: copy it");
  buffer->buf = const_cast<void*>(array.data);
  buffer->obj = Py_NewRef(self);
  buffer->len = array.bytes;
  buffer->itemsize = dtypes[array.dtype].bytes;
  buffer->readonly = is_writable ? 0 : 1;
  buffer->ndim = array.rank;
  buffer->format = const_cast<char*>(dtypes[array.dtype].format);
  buffer->shape = (flags & PyBUF_ND) != 0 ? array.extents : nullptr;
  buffer->strides = wants_strides ? strides_of(array) : nullptr;
  buffer->suboffsets = nullptr;
  buffer->internal = nullptr;
  return 0;
}

// --- DLPack ---

PyObject* to_dlpack(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static const char* const names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OOOO:__dlpack__", const_cast<char**>(names), &stream,
                                  &version, &device, &copy) == 0)
    return nullptr;
  int major = 0, minor = 0, kind = 1, number = 0;
  if (version != Py_None && !read_pair(version, "max_version", &major, &minor)) return nullptr;
  if (device != Py_None && !read_pair(device, "dl_device", &kind, &number)) return nullptr;
  if (stream != Py_None || kind != 1 || number != 0) {
    PyErr_SetString(PyExc_BufferError, "a covec.Array is on the processor: it has no stream and no other device");
    return nullptr;
  }
  Array& array = array_of(self);
  ExportedElements* const exported = exported_elements(array);
  if (exported == nullptr) return nullptr;
  const bool versioned = major >= 1;
  const bool is_writable = copy != Py_True && is_made_writable(array);
  const bool copies = copy == Py_True || (!is_writable && !versioned);
  if (copies && copy == Py_False) {
    PyErr_SetString(PyExc_BufferError,
                    "the elements are shared, and this version of DLPack has no read-only tensors: a copy is needed");
    return nullptr;
  }
  return make_capsule(elements_of(array), exported, versioned ? Dlpack::versioned : Dlpack::plain,
                      copies        ? dlpack::is_copied
                      : is_writable ? 0
                                    : dlpack::read_only);
}

PyObject* dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", 1, 0); }

// --- NumPy and plain Python ---

PyObject* to_ndarray(PyObject* self, PyObject*) {
  Array& array = array_of(self);
  return make_ndarray(array.dtype, array.rank, array.extents, strides_of(array), array.data, is_made_writable(array),
                      self);
}

PyObject* as_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static const char* const names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "|OO:__array__", const_cast<char**>(names), &dtype, &copy) == 0)
    return nullptr;
  Ref array(to_ndarray(self, nullptr));
  if (!array || (dtype == Py_None && copy != Py_True)) return array.release();
  if (copy == Py_False) {
    const Ref before(PyObject_GetAttrString(array.get(), "dtype"));
    const int is_same = before ? PyObject_RichCompareBool(before.get(), dtype, Py_EQ) : -1;
    if (is_same == 0) PyErr_SetString(PyExc_ValueError, "another dtype needs a copy");
    return is_same == 1 ? array.release() : nullptr;
  }
  const Ref change(PyObject_GetAttrString(array.get(), "astype"));
  const Ref given(dtype == Py_None ? PyObject_GetAttrString(array.get(), "dtype") : Py_NewRef(dtype));
  return change && given ? PyObject_CallFunction(change.get(), "O", given.get()) : nullptr;
}

// f16 and bf16 as the f32 that has their value.
double half_value(uint16_t bits) { return PyFloat_Unpack2(reinterpret_cast<const char*>(&bits), 1); }

double brain_value(uint16_t bits) {
  const uint32_t wide = uint32_t{bits} << 16;
  float number;
  memcpy(&number, &wide, sizeof number);
  return static_cast<double>(number);
}

template <class T>
T read_as(const char* at) {
  T number;
  memcpy(&number, at, sizeof number);
  return number;
}

}  // namespace

PyObject* element(covec_dtype dtype, const char* at) {
  switch (dtype) {
    case COVEC_BOOL: return PyBool_FromLong(*at);
    case COVEC_I32: return PyLong_FromLong(read_as<int32_t>(at));
    case COVEC_I64: return PyLong_FromLongLong(read_as<int64_t>(at));
    case COVEC_I8: return PyLong_FromLong(read_as<int8_t>(at));
    case COVEC_U8: return PyLong_FromLong(read_as<uint8_t>(at));
    case COVEC_I16: return PyLong_FromLong(read_as<int16_t>(at));
    case COVEC_U16: return PyLong_FromLong(read_as<uint16_t>(at));
    case COVEC_U32: return PyLong_FromUnsignedLong(read_as<uint32_t>(at));
    case COVEC_F16: return PyFloat_FromDouble(half_value(read_as<uint16_t>(at)));
    case COVEC_BF16: return PyFloat_FromDouble(brain_value(read_as<uint16_t>(at)));
    case COVEC_F32: return PyFloat_FromDouble(static_cast<double>(read_as<float>(at)));
    default: return PyFloat_FromDouble(read_as<double>(at));
  }
}

namespace {

PyObject* list_from(Array& array, int axis, const char* at) {
  if (axis == array.rank) return element(array.dtype, at);
  Ref list(PyList_New(array.extents[axis]));
  for (Py_ssize_t i = 0; list && i < array.extents[axis]; ++i) {
    PyObject* const item = list_from(array, axis + 1, at + i * strides_of(array)[axis]);
    if (item == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), i, item);
  }
  return list.release();
}

}  // namespace

PyObject* list_of(PyObject* self) {
  Array& array = array_of(self);
  return list_from(array, 0, static_cast<const char*>(array.data));
}

namespace {

PyObject* to_list(PyObject* self, PyObject*) { return list_of(self); }

// Of one element.
Ref only_element(PyObject* self) {
  const Array& array = array_of(self);
  if (size_of(array) == 1) return Ref(element(array.dtype, static_cast<const char*>(array.data)));
  PyErr_SetString(PyExc_TypeError, "only an array of one element is a number");
  return {};
}

PyObject* to_item(PyObject* self, PyObject*) { return only_element(self).release(); }

PyObject* to_float(PyObject* self) {
  const Ref number = only_element(self);
  return number ? PyNumber_Float(number.get()) : nullptr;
}

PyObject* to_int(PyObject* self) {
  const Ref number = only_element(self);
  return number ? PyNumber_Long(number.get()) : nullptr;
}

int to_bool(PyObject* self) {
  const Ref number = only_element(self);
  return number ? PyObject_IsTrue(number.get()) : -1;
}

Py_ssize_t length(PyObject* self) {
  const Array& array = array_of(self);
  if (array.rank > 0) return array.extents[0];
  PyErr_SetString(PyExc_TypeError, "an array of rank 0 has no len()");
  return -1;
}

// What parts are taken of: an ndarray, which NumPy reads and writes.
Ref parts_of(PyObject* self) {
  Array& array = array_of(self);
  if (array.rank == 0) {
    PyErr_SetString(PyExc_TypeError, "an array of rank 0 has no parts");
    return {};
  }
  return operand_of(self, is_made_writable(array));
}

// As NumPy reads it: a number of one element, a view of several.
PyObject* subscript(PyObject* self, PyObject* key) {
  const Ref array = parts_of(self);
  return array ? PyObject_GetItem(array.get(), key) : nullptr;
}

PyObject* item(PyObject* self, Py_ssize_t index) {
  const Ref array = parts_of(self);
  return array ? PySequence_GetItem(array.get(), index) : nullptr;
}

PyObject* iterate(PyObject* self) {
  const Ref array = parts_of(self);
  return array ? PyObject_GetIter(array.get()) : nullptr;
}

void deallocate(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Array& array = array_of(self);
  if (array.weak != nullptr) PyObject_ClearWeakRefs(self);
  if (array.exported != nullptr) {
    array.holder.value = nullptr;
    drop_elements(array.exported);
  }
  drop_holder(self);
}

PyObject* tuple_of(const Py_ssize_t* numbers, int count) {
  Ref tuple(PyTuple_New(count));
  for (int i = 0; tuple && i < count; ++i) {
    PyObject* const number = PyLong_FromSsize_t(numbers[i]);
    if (number == nullptr) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, number);
  }
  return tuple.release();
}

// Rows stand below each other. The extents are told where elements are left out.
PyObject* describe(PyObject* self) {
  const Ref text(text_of(self));
  const Ref line_end(text ? PyUnicode_FromString("\n") : nullptr);
  const Ref indented(line_end ? PyUnicode_FromString("\n            ") : nullptr);  // as far as "covec.Array(" is long
  const Ref aligned(indented ? PyUnicode_Replace(text.get(), line_end.get(), indented.get(), -1) : nullptr);
  if (!aligned) return nullptr;
  const Array& array = array_of(self);
  const char* const dtype = dtypes[array.dtype].name;
  const Ref gap(PyUnicode_FromString("..."));
  const int has_gap = gap ? PyUnicode_Contains(text.get(), gap.get()) : -1;
  if (has_gap < 0) return nullptr;
  if (has_gap == 0) return PyUnicode_FromFormat("covec.Array(%U, %s)", aligned.get(), dtype);
  const Ref extents(tuple_of(array.extents, array.rank));
  const Ref list(extents ? PySequence_List(extents.get()) : nullptr);
  return list ? PyUnicode_FromFormat("covec.Array(%U, %s%R)", aligned.get(), dtype, list.get()) : nullptr;
}

// --- attributes ---

// Methods of ndarrays are looked for here first.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* const found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0 || PyUnicode_Check(name) == 0 ||
      PyUnicode_GET_LENGTH(name) == 0 || PyUnicode_READ_CHAR(name, 0) == '_')
    return found;
  PyErr_Format(PyExc_AttributeError,
               "'covec.Array' object has no attribute '%U': a.numpy() is an ndarray of the same elements", name);
  return nullptr;
}

PyObject* get_shape(PyObject* self, void*) { return tuple_of(array_of(self).extents, array_of(self).rank); }
PyObject* get_strides(PyObject* self, void*) { return tuple_of(strides_of(array_of(self)), array_of(self).rank); }
PyObject* get_dtype(PyObject* self, void*) { return PyUnicode_FromString(dtypes[array_of(self).dtype].name); }
PyObject* get_rank(PyObject* self, void*) { return PyLong_FromLong(array_of(self).rank); }
PyObject* get_size(PyObject* self, void*) { return PyLong_FromSsize_t(size_of(array_of(self))); }
PyObject* get_bytes(PyObject* self, void*) { return PyLong_FromSsize_t(array_of(self).bytes); }

PyGetSetDef attributes[] = {
    {"shape", get_shape, nullptr, "The extents, as a tuple.", nullptr},
    {"strides", get_strides, nullptr, "From one element to the next along each axis, in bytes.", nullptr},
    {"dtype", get_dtype, nullptr, "'f64', 'f32', 'f16', 'bf16', 'i64', 'i32' or 'bool'.", nullptr},
    {"ndim", get_rank, nullptr, "The number of axes.", nullptr},
    {"size", get_size, nullptr, "The number of elements.", nullptr},
    {"nbytes", get_bytes, nullptr, "What the elements take.", nullptr},
    {"T", transposed_array, nullptr, "Covec's x.T: the axes in reverse order.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"numpy", to_ndarray, METH_NOARGS,
     "numpy()\n\nAn ndarray of the same elements, without a copy; read-only where others have them."},
    {"tolist", to_list, METH_NOARGS, "tolist()\n\nThe elements as numbers of Python, in lists."},
    {"item", to_item, METH_NOARGS, "item()\n\nThe one element as a number of Python."},
    {"reshape", method(reshape_array), METH_VARARGS | METH_KEYWORDS,
     "reshape(*shape)\n\nThe elements in another shape, in row-major order; one size may be -1."},
    {"sum", method(sum_of_array), METH_VARARGS | METH_KEYWORDS,
     "sum(axis=None, keepdims=False)\n\nCovec's sum: along an axis, a tuple of axes, or of all elements."},
    {"mean", method(mean_of_array), METH_VARARGS | METH_KEYWORDS,
     "mean(axis=None, keepdims=False)\n\nCovec's mean: along an axis, a tuple of axes, or of all elements."},
    {"min", method(min_of_array), METH_VARARGS | METH_KEYWORDS,
     "min(axis=None, keepdims=False)\n\nCovec's min: along an axis, a tuple of axes, or of all elements."},
    {"max", method(max_of_array), METH_VARARGS | METH_KEYWORDS,
     "max(axis=None, keepdims=False)\n\nCovec's max: along an axis, a tuple of axes, or of all elements."},
    {"astype", method(cast_array), METH_VARARGS | METH_KEYWORDS,
     "astype(dtype)\n\nCast to 'f32', 'float32', numpy.float32, float …; its own dtype may share the elements."},
    {"__array__", method(as_array), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack__", method(to_dlpack), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, nullptr},
    {"__format__", format_array, METH_O, nullptr},
    {"_repr_html_", html_of_array, METH_NOARGS, nullptr},
    {"__round__", round_array, METH_VARARGS, nullptr},
    {"__trunc__", truncate_array, METH_NOARGS, nullptr},
    {"__copy__", copy_array, METH_NOARGS, nullptr},
    {"__deepcopy__", copy_array, METH_O, nullptr},
    {"__reduce__", reduce_array, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

const char documentation[] =
    "A tensor that Covec has computed. numpy(), buffers and DLPack share its elements; float(), int() and item() give "
    "the number of an array of one. An array of rank 0 is a number to operators, others are ndarrays to them.";

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(Array, weak), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(documentation)},
                       {Py_tp_dealloc, slot(deallocate)},
                       {Py_tp_traverse, slot(visit_holder)},
                       {Py_tp_members, members},
                       {Py_tp_repr, slot(describe)},
                       {Py_tp_str, slot(text_of)},
                       {Py_tp_iter, slot(iterate)},
                       {Py_tp_getattro, slot(get_attribute)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, attributes},
                       {Py_bf_getbuffer, slot(get_buffer)},
                       {Py_nb_float, slot(to_float)},
                       {Py_nb_int, slot(to_int)},
                       {Py_nb_bool, slot(to_bool)},
                       {Py_mp_length, slot(length)},
                       {Py_sq_length, slot(length)},
                       {Py_sq_item, slot(item)},
                       {Py_mp_subscript, slot(subscript)},
                       {0, nullptr}};
constexpr size_t max_slots = 64;  // room for all slots of the type

}  // namespace

PyObject* make_array(Use& use, Handle value, const covec_view& view) {
  const auto rank = static_cast<int>(view.rank);
  auto* const made = PyObject_GC_NewVar(Array, module.array, 2 * rank);
  if (made == nullptr) return nullptr;
  made->holder.session = reinterpret_cast<Session*>(Py_NewRef(&use.session()));
  made->holder.value = value.release();
  made->is_writable = false;
  made->weak = nullptr;
  made->exported = nullptr;
  made->dtype = view.dtype;
  made->rank = rank;
  made->data = view.data;
  made->bytes = dtypes[view.dtype].bytes;
  const Py_ssize_t bytes = made->bytes;
  for (int axis = 0; axis < rank; ++axis) {
    made->extents[axis] = view.dims[axis];
    made->extents[rank + axis] = view.strides[axis] * bytes;
    made->bytes *= view.dims[axis];
  }
  PyObject_GC_Track(made);
  return reinterpret_cast<PyObject*>(made);
}

ExportedElements* exported_elements(Array& array) {
  if (array.exported != nullptr) return array.exported;
  auto* const room = PyMem_RawMalloc(sizeof(ExportedElements));
  if (room == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  return array.exported = new (room) ExportedElements{1, array.holder.value};
}

int share_array(Use& use, PyObject* object, covec_value** value) {
  Array& array = array_of(object);
  if (Py_TYPE(object) != module.array || !array.is_writable) return 0;
  int64_t strides[16] = {};
  for (int axis = 0; axis < array.rank; ++axis) strides[axis] = strides_of(array)[axis] / dtypes[array.dtype].bytes;
  void* const owner = owner_of_elements(use, object);
  if (owner == nullptr) return -1;
  const covec_status status = covec_lend_strided(use.handle(), array.dtype, static_cast<unsigned>(array.rank),
                                                 array.extents, strides, array.data, give_back, owner, value);
  if (status == COVEC_OK) return 1;
  drop_owner(owner);
  return use.check(status) ? 1 : -1;
}

Py_ssize_t elements_of_array(PyObject* object) { return size_of(array_of(object)); }
int rank_of_array(PyObject* object) { return array_of(object).rank; }

int share_same(Use& use, PyObject* object, int dtype, int rank, const Py_ssize_t* dims, const Py_ssize_t* strides,
               const void* data, covec_value** value) {
  Array& array = array_of(object);
  if (array.holder.session != &use.session() || dtype != array.dtype || rank != array.rank || data != array.data)
    return 0;
  const size_t bytes = sizeof(Py_ssize_t) * static_cast<size_t>(rank);
  if (memcmp(dims, array.extents, bytes) != 0 || memcmp(strides, strides_of(array), bytes) != 0) return 0;
  if (const int shared = share_array(use, object, value); shared != 0) return shared;
  return use.check(covec_copy(use.handle(), array.holder.value, value)) ? 1 : -1;
}

bool add_array_type(PyObject* module_object) {
  if (module.array != nullptr)
    return PyModule_AddType(module_object, module.array) == 0 && add_unpickling(module_object);
  PyType_Slot all[max_slots] = {};
  size_t count = 0;
  for (const PyType_Slot* given : {static_cast<const PyType_Slot*>(slots), arithmetic_slots}) {
    for (; given->slot != 0; ++given) all[count++] = *given;
  }
  PyType_Spec spec = {"covec.Array", sizeof(Array), sizeof(Py_ssize_t),
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, all};
  module.array = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return module.array != nullptr && PyModule_AddType(module_object, module.array) == 0 && add_unpickling(module_object);
}

}  // namespace covec::python
