// Copies a covec.Array, and pickles one: its dtype, its shape and its elements in row-major order.
#include <cstring>
#include <iterator>

#include "array.hpp"

namespace covec::python {

namespace {

constexpr int max_rank = 16;  // axes; the core's (stdlib/value/dtype.hpp)

PyObject* array_from(Session& session, covec_dtype dtype, int rank, const int64_t* dims, const int64_t* strides,
                     const void* data) {
  Use use(session);
  Handle value;
  covec_view view;
  if (!use) return nullptr;
  const auto axes = static_cast<unsigned>(rank);
  if (!use.check(covec_tensor(use.handle(), dtype, axes, dims, strides, data, value.out())) ||
      !use.check(covec_look(use.handle(), value.get(), &view)))
    return nullptr;
  return make_array(use, std::move(value), view);
}

// The number of elements, or -1 with an exception.
Py_ssize_t read_shape(PyObject* shape, int64_t* dims) {
  Py_ssize_t size = 1;
  if (PyTuple_GET_SIZE(shape) > max_rank) {
    PyErr_SetString(PyExc_ValueError, "an array of more than 16 dimensions");
    return -1;
  }
  for (Py_ssize_t axis = 0; axis < PyTuple_GET_SIZE(shape); ++axis) {
    dims[axis] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, axis));
    if (PyErr_Occurred() != nullptr) return -1;
    if (dims[axis] < 0 || __builtin_mul_overflow(size, dims[axis], &size)) {
      PyErr_SetString(PyExc_ValueError, "not the shape of an array");
      return -1;
    }
  }
  return size;
}

int dtype_named(const char* name) {
  for (int dtype = 0; dtype < static_cast<int>(std::size(dtypes)); ++dtype) {
    if (strcmp(dtypes[dtype].name, name) == 0) return dtype;
  }
  PyErr_Format(PyExc_ValueError, "Covec has no dtype '%s'", name);
  return -1;
}

PyObject* unpickle(PyObject*, PyObject* arguments) {
  const char* name = nullptr;
  PyObject *shape = nullptr, *bytes = nullptr;
  if (PyArg_ParseTuple(arguments, "sO!O!:unpickle", &name, &PyTuple_Type, &shape, &PyBytes_Type, &bytes) == 0)
    return nullptr;
  int64_t dims[max_rank] = {};
  const int dtype = dtype_named(name);
  const Py_ssize_t size = dtype < 0 ? -1 : read_shape(shape, dims);
  if (size < 0) return nullptr;
  if (PyBytes_GET_SIZE(bytes) % dtypes[dtype].bytes != 0 || PyBytes_GET_SIZE(bytes) / dtypes[dtype].bytes != size) {
    PyErr_SetString(PyExc_ValueError, "the number of elements does not match the shape");
    return nullptr;
  }
  const Ref session = default_session();
  if (!session) return nullptr;
  return array_from(*reinterpret_cast<Session*>(session.get()), static_cast<covec_dtype>(dtype),
                    static_cast<int>(PyTuple_GET_SIZE(shape)), dims, nullptr, PyBytes_AS_STRING(bytes));
}

PyMethodDef functions[] = {
    {"unpickle", unpickle, METH_VARARGS, "unpickle(dtype, shape, elements)\n\nAn array that pickle has kept."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

// In the same session, as long as that is open; else in the default one of the thread.
PyObject* copy_array(PyObject* self, PyObject*) {
  Array& array = array_of(self);
  int64_t strides[max_rank] = {};
  for (int axis = 0; axis < array.rank; ++axis) strides[axis] = strides_of(array)[axis] / dtypes[array.dtype].bytes;
  const Session& own = *array.holder.session;
  const bool is_open = own.handle != nullptr && !own.is_lost;
  const Ref session = is_open ? Ref::to(reinterpret_cast<PyObject*>(array.holder.session)) : default_session();
  if (!session) return nullptr;
  return array_from(*reinterpret_cast<Session*>(session.get()), array.dtype, array.rank, array.extents, strides,
                    array.data);
}

PyObject* reduce_array(PyObject* self, PyObject*) {
  Array& array = array_of(self);
  const Ref inner(PyImport_ImportModule("covec._covec"));
  const Ref function(inner ? PyObject_GetAttrString(inner.get(), "unpickle") : nullptr);
  const Ref shape(function ? PyObject_GetAttrString(self, "shape") : nullptr);
  const Ref bytes(shape ? PyBytes_FromStringAndSize(nullptr, array.bytes) : nullptr);
  if (!bytes) return nullptr;
  copy_elements(elements_of(array), PyBytes_AS_STRING(bytes.get()));
  return Py_BuildValue("O(sOO)", function.get(), dtypes[array.dtype].name, shape.get(), bytes.get());
}

bool add_unpickling(PyObject* module_object) { return PyModule_AddFunctions(module_object, functions) == 0; }

}  // namespace covec::python
