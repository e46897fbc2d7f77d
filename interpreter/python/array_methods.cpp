// Methods of covec.Array that compute: Covec's own functions, in the array's session. Start at call_builtin.
#include <cstring>
#include <iterator>

#include "array.hpp"

namespace covec::python {

namespace {

constexpr const char* names[] = {"transpose", "reshape", "sum", "mean", "min", "max", "f64", "f32",  "f16", "bf16",
                                 "i64",       "i32",     "i16", "i8",   "u32", "u16", "u8",  "bool", "c64", "c128"};
static_assert(std::size(names) == builtins_of_methods);

// The session's builtin; null with an exception.
PacedBuiltin* builtin_of(Use& use, const char* name) {
  size_t at = 0;
  while (strcmp(names[at], name) != 0) ++at;
  PacedBuiltin& builtin = use.session().builtins[at];
  const bool is_there = builtin.value != nullptr || use.check(covec_builtin(use.handle(), name, &builtin.value));
  return is_there ? &builtin : nullptr;
}

// The builtin's result of the array and of what the method was given.
PyObject* call_builtin(PyObject* self, const char* name, PyObject* arguments = nullptr, PyObject* keywords = nullptr) {
  const size_t given = arguments == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(arguments));
  const size_t named = keywords == nullptr ? 0 : static_cast<size_t>(PyDict_Size(keywords));
  Room<PyObject*, 8> all(1 + given + named);
  const Ref names_given(named == 0 ? nullptr : PySequence_Tuple(keywords));
  if (all.data() == nullptr || (named > 0 && !names_given)) return nullptr;
  all[0] = self;
  for (size_t i = 0; i < given; ++i) all[1 + i] = PyTuple_GET_ITEM(arguments, static_cast<Py_ssize_t>(i));
  for (size_t i = 0; i < named; ++i)
    all[1 + given + i] = PyDict_GetItem(keywords, PyTuple_GET_ITEM(names_given.get(), static_cast<Py_ssize_t>(i)));
  Use use(*array_of(self).holder.session);
  PacedBuiltin* const builtin = use ? builtin_of(use, name) : nullptr;
  return builtin == nullptr
             ? nullptr
             : call_value(use, builtin->value, builtin->pace, all.data(), 1 + given + named, names_given.get());
}

// The ndarray's own method of the same elements: NumPy calls the methods of what it is given with arguments of its own.
PyObject* call_numpy(PyObject* self, const char* name, PyObject* arguments, PyObject* keywords) {
  const Ref array(array_of(self).rank == 0 ? PyObject_CallMethod(self, "numpy", nullptr) : operand_of(self).release());
  const Ref function(array ? PyObject_GetAttrString(array.get(), name) : nullptr);
  return function ? PyObject_Call(function.get(), arguments, keywords) : nullptr;
}

PyObject* reduce(PyObject* self, const char* name, PyObject* arguments, PyObject* keywords) {
  for (const char* const own : {"out", "dtype", "initial", "where"}) {
    if (keywords != nullptr && PyDict_GetItemString(keywords, own) != nullptr)
      return call_numpy(self, name, arguments, keywords);
  }
  return call_builtin(self, name, arguments, keywords);
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

PyObject* reshape_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  if (keywords != nullptr && PyDict_Size(keywords) > 0) return call_numpy(self, "reshape", arguments, keywords);
  const bool is_shape = PyTuple_GET_SIZE(arguments) == 1 && PySequence_Check(PyTuple_GET_ITEM(arguments, 0)) != 0;
  if (!is_shape) return call_builtin(self, "reshape", arguments);
  const Ref shape(PySequence_Tuple(PyTuple_GET_ITEM(arguments, 0)));
  const Ref given(shape ? PyTuple_Pack(1, shape.get()) : nullptr);
  return given ? call_builtin(self, "reshape", given.get()) : nullptr;
}

PyObject* sum_of_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return reduce(self, "sum", arguments, keywords);
}
PyObject* mean_of_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return reduce(self, "mean", arguments, keywords);
}
PyObject* min_of_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return reduce(self, "min", arguments, keywords);
}
PyObject* max_of_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return reduce(self, "max", arguments, keywords);
}

PyObject* cast_array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  const Py_ssize_t named = keywords == nullptr ? 0 : PyDict_Size(keywords);
  PyObject* dtype = named == 0 ? nullptr : PyDict_GetItemString(keywords, "dtype");
  const Py_ssize_t count = PyTuple_GET_SIZE(arguments) + named;
  if (count != 1) return call_numpy(self, "astype", arguments, keywords);
  if (named == 0) dtype = PyTuple_GET_ITEM(arguments, 0);
  if (dtype == nullptr) return call_numpy(self, "astype", arguments, keywords);
  const char* const name = name_of_dtype(dtype);
  return name == nullptr ? nullptr : call_builtin(self, name);
}

}  // namespace covec::python
