// The module `covec._covec`: its types, its errors, and the functions that use the thread's default session.
#include "convert.hpp"
#include "session.hpp"

namespace covec::python {

Module module = {};

void drop_holder(PyObject* object) {
  auto* const holder = reinterpret_cast<Holder*>(object);
  PyTypeObject* const type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  covec_release(holder->value);
  PyObject* const session = reinterpret_cast<PyObject*>(holder->session);
  type->tp_free(object);
  Py_DECREF(type);
  if (has_given_back.load(std::memory_order_relaxed)) drop_given_back();
  Py_DECREF(session);
}

int visit_holder(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<Holder*>(object)->session);
  return 0;
}

PyObject* text_of(PyObject* object) {
  const auto* const holder = reinterpret_cast<Holder*>(object);
  const Use use(*holder->session);
  if (!use) {
    PyErr_Clear();
    return PyUnicode_FromString("…");
  }
  Handle now;  // a handle's text is made once, and Python may write an array's elements
  if (covec_copy(use.handle(), holder->value, now.out()) != COVEC_OK) return PyUnicode_FromString("?");
  return PyUnicode_DecodeUTF8(covec_text(now.get()), static_cast<Py_ssize_t>(covec_text_bytes(now.get())), "replace");
}

namespace {

// --- values that Python has no kind for: modules, ranges ---

PyObject* get_attribute(PyObject* self, PyObject* name) {
  auto* const holder = reinterpret_cast<Holder*>(self);
  PyObject* const own = PyObject_GenericGetAttr(self, name);
  if (own != nullptr || covec_kind_of(holder->value) != COVEC_MODULE ||
      PyErr_ExceptionMatches(PyExc_AttributeError) == 0)
    return own;
  PyErr_Clear();
  const char* const text = c_text(name, "a name");
  if (text == nullptr) {  // no name of the language is such
    PyErr_Format(PyExc_AttributeError, "the module has no name %A", name);
    return nullptr;
  }
  Use use(*holder->session);
  Handle value;
  if (!use) return nullptr;
  if (covec_field(use.handle(), holder->value, text, value.out()) != COVEC_OK) {
    PyErr_SetString(PyExc_AttributeError, covec_error_message(use.handle()));
    return nullptr;
  }
  return to_python(use, std::move(value));
}

PyObject* describe(PyObject* self) {
  const Ref text(text_of(self));
  return text ? PyUnicode_FromFormat("covec.Value(%U)", text.get()) : nullptr;
}

const char documentation[] = "A value that Python has no kind for: a module, whose names are attributes, or a range.";
PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(documentation)}, {Py_tp_dealloc, slot(drop_holder)},
                       {Py_tp_traverse, slot(visit_holder)},          {Py_tp_repr, slot(describe)},
                       {Py_tp_getattro, slot(get_attribute)},         {0, nullptr}};
PyType_Spec spec = {"covec.Value", sizeof(Holder), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

// --- the module ---

PyObject* session(PyObject*, PyObject*) { return default_session().release(); }

PyMethodDef functions[] = {{"session", session, METH_NOARGS, "session()\n\nThe default session of this thread."},
                           {nullptr, nullptr, 0, nullptr}};

int execute(PyObject* module_object) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError, "covec cannot be imported in a subinterpreter");
    return -1;
  }
  const bool is_again = module.error != nullptr;  // sys.modules has forgotten it: the types stay what they are
  const bool done = add_error_type(module_object) && add_session_type(module_object) && add_array_type(module_object) &&
                    add_function_type(module_object) && add_value_type(module_object) &&
                    (is_again || watch_forks_and_end()) &&
                    PyModule_AddStringConstant(module_object, "__version__", covec_version()) == 0;
  return done ? 0 : -1;
}

PyModuleDef_Slot module_slots[] = {{Py_mod_exec, slot(execute)}, {0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_covec",
                          "Covec inside Python; import covec instead.",
                          0,
                          functions,
                          module_slots,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyObject* make_value(Use& use, Handle value) {
  auto* const made = PyObject_GC_NewVar(Holder, module.value, 0);
  if (made == nullptr) return nullptr;
  made->session = reinterpret_cast<Session*>(Py_NewRef(&use.session()));
  made->value = value.release();
  PyObject_GC_Track(made);
  return reinterpret_cast<PyObject*>(made);
}

bool add_value_type(PyObject* module_object) {
  if (module.value == nullptr) module.value = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return module.value != nullptr && PyModule_AddType(module_object, module.value) == 0;
}

bool add_error_type(PyObject* module_object) {
  if (module.error != nullptr) return PyModule_AddObjectRef(module_object, "Error", module.error) == 0;
  const Ref attributes(Py_BuildValue("{s:s,s:s,s:s,s:s,s:i,s:i,s:()}", "kind", "", "message", "", "hint", "", "file",
                                     "", "line", 0, "column", 0, "calls"));
  if (!attributes) return false;
  module.error = PyErr_NewExceptionWithDoc(
      "covec.Error",
      "An error of a program, or of the use of a session. str() is the whole report, with its place.\n\n"
      "kind: 'type', 'shape', 'index', 'key', 'value', 'file', 'assertion', 'user', 'syntax', 'limit', 'interrupted', "
      "'exit', "
      "'misuse', 'internal'; message, hint, file, line, column; calls: tuples (function, file, line, column), the "
      "innermost first.",
      nullptr, attributes.get());
  return module.error != nullptr && PyModule_AddObjectRef(module_object, "Error", module.error) == 0;
}

}  // namespace covec::python

PyMODINIT_FUNC PyInit__covec() { return PyModuleDef_Init(&covec::python::definition); }
