// Operators of covec.Array. They treat an array of rank 0 as a Python number, so f(x) + 1 needs no NumPy. For other
// arrays NumPy computes on their elements, as a program expects that has them as ndarrays. Start at operand_of.
#include "array.hpp"
#include "numpy.hpp"

namespace covec::python {

namespace {

Ref number_of(Array& array) { return Ref(element(array.dtype, static_cast<const char*>(array.data))); }

// NumPy has no bfloat16: float32 has each of its values.
Ref widened(PyObject* self) {
  const Ref numpy(PyImport_ImportModule("numpy"));
  const Ref list(numpy ? list_of(self) : nullptr);
  const Ref flat(list ? PyObject_CallMethod(numpy.get(), "array", "Os", list.get(), "float32") : nullptr);
  const Ref shape(flat ? PyObject_GetAttrString(self, "shape") : nullptr);
  return Ref(shape ? PyObject_CallMethod(flat.get(), "reshape", "O", shape.get()) : nullptr);
}

template <PyObject* (*operation)(PyObject*)>
PyObject* unary(PyObject* self) {
  const Ref operand = operand_of(self);
  return operand ? operation(operand.get()) : nullptr;
}

template <PyObject* (*operation)(PyObject*, PyObject*)>
PyObject* binary(PyObject* left, PyObject* right) {
  const Ref first = operand_of(left);
  const Ref second = first ? operand_of(right) : Ref();
  return second ? operation(first.get(), second.get()) : nullptr;
}

PyObject* power(PyObject* base, PyObject* exponent, PyObject* modulus) {
  const Ref first = operand_of(base);
  const Ref second = first ? operand_of(exponent) : Ref();
  const Ref third = second ? operand_of(modulus) : Ref();
  return third ? PyNumber_Power(first.get(), second.get(), third.get()) : nullptr;
}

}  // namespace

const PyType_Slot arithmetic_slots[] = {{Py_tp_richcompare, slot(compare_arrays)},
                                        {Py_tp_hash, slot(hash_array)},
                                        {Py_nb_index, slot(array_to_index)},
                                        {Py_nb_add, slot(binary<PyNumber_Add>)},
                                        {Py_nb_subtract, slot(binary<PyNumber_Subtract>)},
                                        {Py_nb_multiply, slot(binary<PyNumber_Multiply>)},
                                        {Py_nb_matrix_multiply, slot(binary<PyNumber_MatrixMultiply>)},
                                        {Py_nb_true_divide, slot(binary<PyNumber_TrueDivide>)},
                                        {Py_nb_floor_divide, slot(binary<PyNumber_FloorDivide>)},
                                        {Py_nb_remainder, slot(binary<PyNumber_Remainder>)},
                                        {Py_nb_divmod, slot(binary<PyNumber_Divmod>)},
                                        {Py_nb_lshift, slot(binary<PyNumber_Lshift>)},
                                        {Py_nb_rshift, slot(binary<PyNumber_Rshift>)},
                                        {Py_nb_and, slot(binary<PyNumber_And>)},
                                        {Py_nb_xor, slot(binary<PyNumber_Xor>)},
                                        {Py_nb_or, slot(binary<PyNumber_Or>)},
                                        {Py_nb_power, slot(power)},
                                        {Py_nb_negative, slot(unary<PyNumber_Negative>)},
                                        {Py_nb_positive, slot(unary<PyNumber_Positive>)},
                                        {Py_nb_absolute, slot(unary<PyNumber_Absolute>)},
                                        {Py_nb_invert, slot(unary<PyNumber_Invert>)},
                                        {0, nullptr}};

Ref operand_of(PyObject* object, bool is_writable) {
  if (Py_TYPE(object) != module.array) return Ref::to(object);
  Array& array = array_of(object);
  if (array.rank == 0) return number_of(array);
  Ref operand = array.dtype == COVEC_BF16 ? widened(object)
                                          : Ref(make_ndarray(array.dtype, array.rank, array.extents, strides_of(array),
                                                             array.data, is_writable, object));
  if (!operand && PyErr_ExceptionMatches(PyExc_ImportError) != 0)
    PyErr_SetString(PyExc_TypeError,
                    "operators and indexing of arrays need NumPy, which is not installed: use a.tolist()");
  return operand;
}

PyObject* compare_arrays(PyObject* self, PyObject* other, int how) {
  const Ref first = operand_of(self);
  const Ref second = first ? operand_of(other) : Ref();
  return second ? PyObject_RichCompare(first.get(), second.get(), how) : nullptr;
}

// Of a number: it equals that of Python's. Elements of others may change.
Py_hash_t hash_array(PyObject* self) {
  Array& array = array_of(self);
  if (array.rank > 0) return PyObject_HashNotImplemented(self);
  const Ref number = number_of(array);
  return number ? PyObject_Hash(number.get()) : -1;
}

PyObject* array_to_index(PyObject* self) {
  Array& array = array_of(self);
  if (const Ref number = array.rank == 0 ? number_of(array) : Ref(); number && PyLong_CheckExact(number.get()) != 0)
    return Py_NewRef(number.get());
  if (PyErr_Occurred() != nullptr) return nullptr;
  PyErr_SetString(PyExc_TypeError, "only an integer array of rank 0 is an index");
  return nullptr;
}

// As the language writes it, or, a number, by a format.
PyObject* format_array(PyObject* self, PyObject* format) {
  if (PyUnicode_Check(format) != 0 && PyUnicode_GET_LENGTH(format) == 0) return PyObject_Str(self);
  Array& array = array_of(self);
  if (array.rank > 0) {
    PyErr_SetString(PyExc_TypeError,
                    "only an array of rank 0 has a format: use a.item() for one element, or a.tolist()");
    return nullptr;
  }
  const Ref number = number_of(array);
  return number ? PyObject_Format(number.get(), format) : nullptr;
}

PyObject* round_array(PyObject* self, PyObject* arguments) {
  const Ref operand = operand_of(self);
  const Ref rounding(operand ? PyObject_GetAttrString(operand.get(), array_of(self).rank == 0 ? "__round__" : "round")
                             : nullptr);
  return rounding ? PyObject_CallObject(rounding.get(), arguments) : nullptr;
}

PyObject* truncate_array(PyObject* self, PyObject*) { return PyNumber_Long(self); }

}  // namespace covec::python
