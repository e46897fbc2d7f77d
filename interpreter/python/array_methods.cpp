// Methods of covec.Array that compute: Covec's own functions, in the array's session. Start at call_builtin.
#include <cstring>

#include "array.hpp"

namespace covec::python {

namespace {

// The builtin's result of the array and of what the method was given.
PyObject* call_builtin(PyObject* self, const char* name, PyObject* arguments, PyObject* keywords = nullptr) {
  PyObject* const session = reinterpret_cast<PyObject*>(array_of(self).holder.session);
  const Ref function(PyObject_CallMethod(session, "builtin", "s", name));
  const Ref alone(function ? PyTuple_Pack(1, self) : nullptr);
  const Ref all(alone ? PySequence_Concat(alone.get(), arguments) : nullptr);
  return all ? PyObject_Call(function.get(), all.get(), keywords) : nullptr;
}

PyObject* call_builtin(PyObject* self, const char* name) {
  const Ref none(PyTuple_New(0));
  return none ? call_builtin(self, name, none.get()) : nullptr;
}

// A dtype's name as Covec or NumPy writes it, one of NumPy's types or dtypes, or float, int, bool, complex.
const char* name_of_dtype(PyObject* dtype) {
  constexpr const char* of_python[][2] = {{"float", "f64"},     {"int", "i64"},         {"complex", "c128"},
                                          {"complex64", "c64"}, {"complex128", "c128"}, {"c64", "c64"},
                                          {"c128", "c128"},     {"bool_", "bool"}};
  Ref name = Ref::to(dtype);
  if (PyUnicode_Check(dtype) == 0)
    name = Ref(PyObject_GetAttrString(dtype, PyType_Check(dtype) != 0 ? "__name__" : "name"));
  const char* const text = name && PyUnicode_Check(name.get()) != 0 ? PyUnicode_AsUTF8(name.get()) : nullptr;
  PyErr_Clear();
  for (const DtypeRow& row : dtypes) {
    if (text != nullptr && (strcmp(text, row.name) == 0 || strcmp(text, row.numpy_name) == 0)) return row.name;
  }
  for (const auto& [theirs, ours] : of_python) {
    if (text != nullptr && strcmp(text, theirs) == 0) return ours;
  }
  PyErr_Format(PyExc_TypeError, "Covec has no dtype %R: name one such as 'f64', 'float64' or 'c128'", dtype);
  return nullptr;
}

}  // namespace

PyObject* transposed_array(PyObject* self, void*) { return call_builtin(self, "transpose"); }

PyObject* reshape_array(PyObject* self, PyObject* arguments) {
  const bool is_shape = PyTuple_GET_SIZE(arguments) == 1 && PySequence_Check(PyTuple_GET_ITEM(arguments, 0)) != 0;
  const Ref sizes(is_shape ? PySequence_Tuple(PyTuple_GET_ITEM(arguments, 0)) : Py_NewRef(arguments));
  return sizes ? call_builtin(self, "reshape", sizes.get()) : nullptr;
}

PyObject* sum_of_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return call_builtin(self, "sum", arguments, keywords);
}
PyObject* mean_of_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return call_builtin(self, "mean", arguments, keywords);
}
PyObject* min_of_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return call_builtin(self, "min", arguments, keywords);
}
PyObject* max_of_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return call_builtin(self, "max", arguments, keywords);
}

PyObject* cast_array(PyObject* self, PyObject* dtype) {
  const char* const name = name_of_dtype(dtype);
  return name == nullptr ? nullptr : call_builtin(self, name);
}

}  // namespace covec::python
