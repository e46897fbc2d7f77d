// Numbers, texts and trees. See convert.hpp; arrays are in buffers.cpp.
#include "convert.hpp"

#include <cstdint>
#include <cstring>

namespace covec::python {

namespace {

constexpr size_t inline_count = 8;  // items that need no memory of their own

// --- to Covec ---

bool integer_to_covec(Use& use, PyObject* number, covec_value** value) {
  int overflow = 0;
  const long long whole = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (whole == -1 && PyErr_Occurred() != nullptr) return false;
  if (overflow != 0) {
    PyErr_SetString(PyExc_OverflowError, "the integer does not fit into an i64");
    return false;
  }
  return use.check(covec_integer(use.handle(), whole, value));
}

bool text_to_covec(Use& use, PyObject* text, covec_value** value) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text, &size);
  return bytes != nullptr && use.check(covec_string(use.handle(), bytes, static_cast<size_t>(size), value));
}

bool complex_to_covec(Use& use, PyObject* number, covec_value** value) {
  const Py_complex parts = PyComplex_AsCComplex(number);
  if (parts.real == -1 && PyErr_Occurred() != nullptr) return false;
  return use.check(covec_complex(use.handle(), COVEC_F64, 0, nullptr, &parts, value));
}

// Trees deeper than Python's own recursion goes are an exception, not a crash.
class Deeper {
 public:
  Deeper() : is_allowed_(Py_EnterRecursiveCall(" while a tree is converted to Covec") == 0) {}
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  ~Deeper() {
    if (is_allowed_) Py_LeaveRecursiveCall();
  }
  explicit operator bool() const { return is_allowed_; }

 private:
  bool is_allowed_;
};

// The items of a tuple or list, which may change meanwhile.
bool items_to_covec(Use& use, PyObject* sequence, Handles<inline_count>& handles, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence)) != count) {
      PyErr_SetString(PyExc_RuntimeError, "the size of the list changed while Covec converted it");
      return false;
    }
    const Ref item = Ref::to(PySequence_Fast_GET_ITEM(sequence, static_cast<Py_ssize_t>(i)));
    if (!to_covec(use, item.get(), &handles[i])) return false;
  }
  return true;
}

bool sequence_to_covec(Use& use, PyObject* sequence, covec_value** value) {
  const auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence));
  Handles<inline_count> items(count);
  if (!items.is_there() || !items_to_covec(use, sequence, items, count)) return false;
  return use.check(PyTuple_Check(sequence) != 0 ? covec_tuple(use.handle(), items.data(), count, value)
                                                : covec_list(use.handle(), items.data(), count, value));
}

bool list_to_covec(Use& use, PyObject* list, covec_value** value) {
  const int is_numbers = numbers_of_list(use, list, value);
  return is_numbers != 0 ? is_numbers > 0 : sequence_to_covec(use, list, value);
}

bool is_name(PyObject* key) { return PyUnicode_Check(key) != 0 && PyUnicode_IsIdentifier(key) == 1; }

// A dict whose keys are all names is a record, any other one a map. `pairs` is a list of tuples.
bool pairs_to_covec(Use& use, PyObject* pairs, covec_value** value) {
  const auto count = static_cast<size_t>(PyList_GET_SIZE(pairs));
  Handles<inline_count> keys(count), items(count);
  Room<const char*, inline_count> names(count);
  if (!keys.is_there() || !items.is_there() || names.data() == nullptr) return false;
  bool is_record = true;
  for (size_t i = 0; i < count; ++i) {
    PyObject* const pair = PyList_GET_ITEM(pairs, static_cast<Py_ssize_t>(i));
    if (!to_covec(use, PyTuple_GET_ITEM(pair, 1), &items[i])) return false;
    is_record = is_record && is_name(PyTuple_GET_ITEM(pair, 0));
    names[i] = is_record ? PyUnicode_AsUTF8(PyTuple_GET_ITEM(pair, 0)) : nullptr;
    if (is_record && names[i] == nullptr) return false;
  }
  if (is_record) return use.check(covec_record(use.handle(), names.data(), items.data(), count, value));
  for (size_t i = 0; i < count; ++i) {
    if (!to_covec(use, PyTuple_GET_ITEM(PyList_GET_ITEM(pairs, static_cast<Py_ssize_t>(i)), 0), &keys[i])) return false;
  }
  return use.check(covec_map(use.handle(), keys.data(), items.data(), count, value));
}

bool dict_to_covec(Use& use, PyObject* dict, covec_value** value) {
  const Ref pairs(PyDict_Items(dict));
  return pairs && pairs_to_covec(use, pairs.get(), value);
}

// 0: `object` is no instance of a dataclass.
int dataclass_to_covec(Use& use, PyObject* object, covec_value** value) {
  static PyObject* const name = PyUnicode_InternFromString("__dataclass_fields__");
  if (PyType_Check(object) != 0) return 0;
  PyObject* const fields = _PyType_Lookup(Py_TYPE(object), name);
  if (fields == nullptr || PyDict_Check(fields) == 0) return 0;
  // Beside fields, the dict has variables of the class (ClassVar) and arguments of its __init__ (InitVar).
  const Ref dataclasses(PyImport_ImportModule("dataclasses"));
  const Ref own(dataclasses ? PyObject_CallMethod(dataclasses.get(), "fields", "O", object) : nullptr);
  const Ref list(own ? PySequence_Tuple(own.get()) : nullptr);
  const Ref pairs(list ? PyList_New(0) : nullptr);
  if (!pairs) return -1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list.get()); ++i) {
    const Ref key(PyObject_GetAttrString(PyTuple_GET_ITEM(list.get(), i), "name"));
    const Ref item(key ? PyObject_GetAttr(object, key.get()) : nullptr);
    const Ref pair(item ? PyTuple_Pack(2, key.get(), item.get()) : nullptr);
    if (!pair || PyList_Append(pairs.get(), pair.get()) < 0) return -1;
  }
  return pairs_to_covec(use, pairs.get(), value) ? 1 : -1;
}

// 0: `tuple` has no names (collections.namedtuple, typing.NamedTuple).
int named_tuple_to_covec(Use& use, PyObject* tuple, covec_value** value) {
  static PyObject* const name = PyUnicode_InternFromString("_fields");
  if (PyTuple_CheckExact(tuple) != 0) return 0;
  PyObject* const fields = _PyType_Lookup(Py_TYPE(tuple), name);
  const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  if (fields == nullptr || PyTuple_Check(fields) == 0 || PyTuple_GET_SIZE(fields) != count || count == 0) return 0;
  const Ref pairs(PyList_New(count));
  for (Py_ssize_t i = 0; pairs && i < count; ++i) {
    PyObject* const pair = PyTuple_Pack(2, PyTuple_GET_ITEM(fields, i), PyTuple_GET_ITEM(tuple, i));
    if (pair == nullptr) return -1;
    PyList_SET_ITEM(pairs.get(), i, pair);
  }
  return pairs && pairs_to_covec(use, pairs.get(), value) ? 1 : -1;
}

bool tuple_to_covec(Use& use, PyObject* tuple, covec_value** value) {
  const int is_named = named_tuple_to_covec(use, tuple, value);
  return is_named != 0 ? is_named > 0 : sequence_to_covec(use, tuple, value);
}

bool holder_to_covec(Use& use, PyObject* object, const Holder& holder, covec_value** value) {
  if (holder.session != &use.session()) {
    raise_misuse("the value belongs to another session");
    return false;
  }
  if (const int shared = share_array(use, object, value); shared != 0) return shared > 0;
  return use.check(covec_copy(use.handle(), holder.value, value));
}

// A record of these columns. covec_record refuses names that no program can write; tables may have them.
bool record_of_columns(Use& use, PyObject* names, Handles<inline_count>& columns, size_t count, covec_value** value) {
  Handle function;
  Handles<2> arguments(2);
  if (!use.check(covec_builtin(use.handle(), "table_record", function.out())) ||
      !sequence_to_covec(use, names, &arguments[0]) ||
      !use.check(covec_list(use.handle(), columns.data(), count, &arguments[1])))
    return false;
  return use.run(Gil::hold, [&] { return covec_call(use.handle(), function.get(), arguments.data(), 2, value); });
}

// A DataFrame that has a column that is no number, as _frames.py takes it apart: a table, which is a record of columns.
// 0: `object` is none.
int frame_to_covec(Use& use, PyObject* object, covec_value** value) {
  if (!is_frame(object)) return 0;
  const Ref helper(PyImport_ImportModule("covec._frames"));
  const Ref columns(helper ? PyObject_CallMethod(helper.get(), "columns_of", "O", object) : nullptr);
  if (!columns) return -1;
  if (columns.get() == Py_None) return 0;
  return table_to_covec(use, columns.get(), value) ? 1 : -1;
}

// A matrix of SciPy's, as _sparse.py takes it apart: a record. 0: `object` is none.
int sparse_to_covec(Use& use, PyObject* object, covec_value** value) {
  if (!is_sparse(object)) return 0;
  const Ref helper(PyImport_ImportModule("covec._sparse"));
  const Ref parts(helper ? PyObject_CallMethod(helper.get(), "parts_of", "O", object) : nullptr);
  return parts && dict_to_covec(use, parts.get(), value) ? 1 : -1;
}

bool other_to_covec(Use& use, PyObject* object, covec_value** value) {
  if (const int made = frame_to_covec(use, object, value); made != 0) return made > 0;
  if (const int made = sparse_to_covec(use, object, value); made != 0) return made > 0;
  if (const int shared = share_elements(use, object, value); shared != 0) return shared > 0;
  if (PyIndex_Check(object) != 0) {
    const Ref whole(PyNumber_Index(object));
    return whole && integer_to_covec(use, whole.get(), value);
  }
  if (const int made = dataclass_to_covec(use, object, value); made != 0) return made > 0;
  PyErr_Format(PyExc_TypeError, "cannot convert a value of the type '%s' to Covec", Py_TYPE(object)->tp_name);
  return false;
}

bool tree_to_covec(Use& use, PyObject* object, covec_value** value) {
  const Deeper deeper;
  if (!deeper) return false;
  if (PyTuple_Check(object) != 0) return tuple_to_covec(use, object, value);
  if (PyList_Check(object) != 0) return list_to_covec(use, object, value);
  const bool is_dict =
      PyDict_CheckExact(object) != 0 || (PyDict_Check(object) != 0 && !is_sparse(object));  // dok_array is one
  if (is_dict) return dict_to_covec(use, object, value);
  return other_to_covec(use, object, value);
}

}  // namespace

bool to_covec(Use& use, PyObject* object, covec_value** value) {
  if (PyFloat_Check(object) != 0) return use.check(covec_number(use.handle(), PyFloat_AS_DOUBLE(object), value));
  if (const int shared = share_ndarray(use, object, value); shared != 0) return shared > 0;
  if (const Holder* const holder = holder_of(object)) return holder_to_covec(use, object, *holder, value);
  if (PyBool_Check(object) != 0) return use.check(covec_boolean(use.handle(), object == Py_True ? 1 : 0, value));
  if (PyLong_Check(object) != 0) return integer_to_covec(use, object, value);
  if (object == Py_None) return use.check(covec_none(use.handle(), value));
  if (PyUnicode_Check(object) != 0) return text_to_covec(use, object, value);
  if (PyComplex_Check(object) != 0) return complex_to_covec(use, object, value);
  return tree_to_covec(use, object, value);
}

// Lists are columns of texts, whatever they hold.
bool table_to_covec(Use& use, PyObject* columns, covec_value** value) {
  const Ref names(PyDict_Keys(columns));
  const auto count = static_cast<size_t>(PyDict_Size(columns));
  Handles<inline_count> items(count);
  if (!names || !items.is_there()) return false;
  PyObject *name = nullptr, *column = nullptr;
  Py_ssize_t at = 0;
  for (size_t i = 0; PyDict_Next(columns, &at, &name, &column) != 0; ++i) {
    const bool is_made =
        PyList_Check(column) != 0 ? sequence_to_covec(use, column, &items[i]) : to_covec(use, column, &items[i]);
    if (!is_made) return false;
  }
  return record_of_columns(use, names.get(), items, count, value);
}

// --- to Python ---

namespace {

template <class T>
T read_as(const void* data) {
  T number;
  memcpy(&number, data, sizeof number);
  return number;
}

PyObject* tensor_to_python(Use& use, Handle value) {
  covec_view view;
  if (!use.check(covec_look(use.handle(), value.get(), &view))) return nullptr;
  if (view.rank == 0) {
    if (view.dtype == COVEC_F64) return PyFloat_FromDouble(read_as<double>(view.data));
    if (view.dtype == COVEC_I64) return PyLong_FromLongLong(read_as<int64_t>(view.data));
    if (view.dtype == COVEC_BOOL) return PyBool_FromLong(read_as<uint8_t>(view.data));
  }
  return make_array(use, std::move(value), view);
}

// Elements of a shape, as an ndarray of its own.
PyObject* complex_ndarray(PyObject* bytes, const covec_view& part) {
  const Ref numpy(PyImport_ImportModule("numpy"));
  const char* const dtype = part.dtype == COVEC_F32 ? "complex64" : "complex128";
  const Ref flat(numpy ? PyObject_CallMethod(numpy.get(), "frombuffer", "Os", bytes, dtype) : nullptr);
  const Ref shape(flat ? PyTuple_New(static_cast<Py_ssize_t>(part.rank)) : nullptr);
  for (unsigned axis = 0; shape && axis < part.rank; ++axis) {
    PyObject* const extent = PyLong_FromLongLong(part.dims[axis]);
    if (extent == nullptr) return nullptr;
    PyTuple_SET_ITEM(shape.get(), axis, extent);
  }
  return shape ? PyObject_CallMethod(flat.get(), "reshape", "O", shape.get()) : nullptr;
}

// A number of Python's, or an ndarray.
PyObject* complex_to_python(Use& use, const Handle& value) {
  Handle re;
  covec_view part;
  if (!use.check(covec_item(use.handle(), value.get(), 0, re.out())) ||
      !use.check(covec_look(use.handle(), re.get(), &part)))
    return nullptr;
  Py_ssize_t bytes = 2 * dtypes[part.dtype].bytes;
  for (unsigned axis = 0; axis < part.rank; ++axis) bytes *= part.dims[axis];
  const Ref elements(PyByteArray_FromStringAndSize(nullptr, bytes));
  if (!elements) return nullptr;
  char* const data = PyByteArray_AS_STRING(elements.get());
  if (!use.check(covec_read_complex(use.handle(), value.get(), part.dtype, data, static_cast<size_t>(bytes))))
    return nullptr;
  if (part.rank > 0) return complex_ndarray(elements.get(), part);
  if (part.dtype == COVEC_F32) return PyComplex_FromDoubles(read_as<float>(data), read_as<float>(data + 4));
  return PyComplex_FromDoubles(read_as<double>(data), read_as<double>(data + 8));
}

PyObject* text_to_python(Use& use, const Handle& value) {
  const char* text = nullptr;
  size_t bytes = 0;
  if (!use.check(covec_get_string(use.handle(), value.get(), &text, &bytes))) return nullptr;
  return PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(bytes), "surrogateescape");
}

Ref item_to_python(Use& use, const Handle& value, size_t index) {
  Handle item;
  if (!use.check(covec_item(use.handle(), value.get(), index, item.out()))) return {};
  return Ref(to_python(use, std::move(item)));
}

Ref key_to_python(Use& use, const Handle& value, size_t index, bool is_record) {
  if (is_record) {
    const char* name = nullptr;
    if (!use.check(covec_field_name(use.handle(), value.get(), index, &name))) return {};
    return Ref(PyUnicode_DecodeUTF8(name, static_cast<Py_ssize_t>(strlen(name)), "surrogateescape"));
  }
  Handle key;
  if (!use.check(covec_key(use.handle(), value.get(), index, key.out()))) return {};
  return Ref(to_python(use, std::move(key)));
}

// A figure of the module `plot`, which notebooks show as a picture: a dict of a class of its own. What only looks like
// one is a dict to all others, too.
bool is_figure(PyObject* dict) {
  PyObject* const kind = PyDict_GetItemString(dict, "figure");
  return kind != nullptr && PyUnicode_Check(kind) != 0 &&
         (PyUnicode_CompareWithASCIIString(kind, "axes") == 0 || PyUnicode_CompareWithASCIIString(kind, "grid") == 0);
}

// Rows of a column of a table; -1: it is none. `has_words`: it holds texts or dates.
Py_ssize_t rows_of_column(PyObject* column, bool& has_words) {
  if (Py_TYPE(column) == module.array) return rank_of_array(column) == 1 ? elements_of_array(column) : -1;
  has_words = true;
  if (PyDict_Check(column) != 0) {
    PyObject* const seconds = PyDict_GET_SIZE(column) == 1 ? PyDict_GetItemString(column, "seconds") : nullptr;
    bool is_text = false;
    const Py_ssize_t rows = seconds == nullptr ? -1 : rows_of_column(seconds, is_text);
    return is_text ? -1 : rows;
  }
  if (PyList_Check(column) == 0) return -1;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(column); ++i) {
    PyObject* const item = PyList_GET_ITEM(column, i);
    if (item != Py_None && PyUnicode_Check(item) == 0) return -1;
  }
  return PyList_GET_SIZE(column);
}

// A record of columns, with texts or dates among them: the prompt shows it as a table.
bool is_table(PyObject* dict) {
  Py_ssize_t at = 0, rows = -1;
  PyObject *name = nullptr, *column = nullptr;
  bool has_words = false;
  while (PyDict_Next(dict, &at, &name, &column) != 0) {
    const Py_ssize_t own = rows_of_column(column, has_words);
    if (own < 0 || (rows >= 0 && own != rows)) return false;
    rows = own;
  }
  return has_words;
}

PyObject* make_shown(const Use& use, const char* type, PyObject* dict) {
  const Ref helper(PyImport_ImportModule("covec._shown"));
  return helper ? PyObject_CallMethod(helper.get(), type, "OO", dict, reinterpret_cast<PyObject*>(&use.session()))
                : nullptr;
}

// A sparse matrix of the module `sparse`: a dict of a class of its own, which makes SciPy's matrices.
bool is_sparse_record(PyObject* dict) {
  if (PyDict_GET_SIZE(dict) != 4) return false;
  for (const char* const name : {"data", "indices", "indptr"}) {
    PyObject* const part = PyDict_GetItemString(dict, name);
    if (part == nullptr || PyObject_HasAttrString(part, "ndim") == 0) return false;
  }
  PyObject* const shape = PyDict_GetItemString(dict, "shape");
  return shape != nullptr && PyTuple_Check(shape) != 0 && PyTuple_GET_SIZE(shape) == 2;
}

PyObject* make_sparse(PyObject* dict) {
  const Ref helper(PyImport_ImportModule("covec._sparse"));
  return helper ? PyObject_CallMethod(helper.get(), "SparseMatrix", "O", dict) : nullptr;
}

PyObject* dict_to_python(Use& use, const Handle& value, bool is_record) {
  size_t count = 0;
  Ref dict(PyDict_New());
  if (!dict || !use.check(covec_length(use.handle(), value.get(), &count))) return nullptr;
  for (size_t i = 0; i < count; ++i) {
    const Ref key = key_to_python(use, value, i, is_record);
    const Ref item = key ? item_to_python(use, value, i) : Ref();
    if (!item || PyDict_SetItem(dict.get(), key.get(), item.get()) < 0) return nullptr;
    if (PyDict_GET_SIZE(dict.get()) != static_cast<Py_ssize_t>(i) + 1) {
      PyErr_Format(PyExc_ValueError,
                   "Python treats another key of the map as equal to %R: the map cannot become a dict", key.get());
      return nullptr;
    }
  }
  if (is_record && is_figure(dict.get())) return make_shown(use, "Figure", dict.get());
  if (is_record && is_sparse_record(dict.get())) return make_sparse(dict.get());
  return is_record && is_table(dict.get()) ? make_shown(use, "Table", dict.get()) : dict.release();
}

PyObject* sequence_to_python(Use& use, const Handle& value, bool is_tuple) {
  size_t count = 0;
  if (!use.check(covec_length(use.handle(), value.get(), &count))) return nullptr;
  const auto size = static_cast<Py_ssize_t>(count);
  Ref sequence(is_tuple ? PyTuple_New(size) : PyList_New(size));
  for (Py_ssize_t i = 0; sequence && i < size; ++i) {
    PyObject* const item = item_to_python(use, value, static_cast<size_t>(i)).release();
    if (item == nullptr) return nullptr;
    if (is_tuple)
      PyTuple_SET_ITEM(sequence.get(), i, item);
    else
      PyList_SET_ITEM(sequence.get(), i, item);
  }
  return sequence.release();
}

PyObject* tree_to_python(Use& use, Handle value, covec_kind kind) {
  if (Py_EnterRecursiveCall(" while a tree is converted from Covec") != 0) return nullptr;
  PyObject* const made = kind == COVEC_TUPLE || kind == COVEC_LIST ? sequence_to_python(use, value, kind == COVEC_TUPLE)
                                                                   : dict_to_python(use, value, kind == COVEC_RECORD);
  Py_LeaveRecursiveCall();
  return made;
}

}  // namespace

PyObject* to_python(Use& use, Handle value) {
  const covec_kind kind = covec_kind_of(value.get());
  switch (kind) {
    case COVEC_NUMBER:
    case COVEC_TENSOR: return tensor_to_python(use, std::move(value));
    case COVEC_NONE: Py_RETURN_NONE;
    case COVEC_STRING: return text_to_python(use, value);
    case COVEC_FUNCTION: return make_function(use, std::move(value));
    case COVEC_COMPLEX: return complex_to_python(use, value);
    case COVEC_TUPLE:
    case COVEC_LIST:
    case COVEC_RECORD:
    case COVEC_MAP: return tree_to_python(use, std::move(value), kind);
    default: return make_value(use, std::move(value));
  }
}

}  // namespace covec::python
