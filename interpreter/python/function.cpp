// covec.Function: a function of a session, called as a function of Python. Start at call.
#include <x86intrin.h>

#include <cmath>
#include <cstddef>
#include <cstring>

#include "convert.hpp"

#include <structmember.h>

namespace covec::python {

namespace {

enum Derived { compiled = 0, gradient = 1, value_and_gradient = 2, jacobian = 3, mapped = 4 };
constexpr size_t derived_count = 5;  // enumerators of Derived

struct Function {
  Holder holder;
  vectorcallfunc call;
  Pace pace;
  PyObject* derived[derived_count];  // functions made of it, once asked for
  PyObject* weak;
};

Function& function_of(PyObject* self) { return *reinterpret_cast<Function*>(self); }

// About 20 µs, in ticks of the processor's clock: a change of threads costs less than a tenth of it.
constexpr unsigned long long slow_ticks = 50000;
constexpr size_t inline_count = 8;

bool arguments_to_covec(Use& use, PyObject* const* arguments, size_t count, Handles<inline_count>& handles) {
  for (size_t i = 0; i < count; ++i) {
    if (!to_covec(use, arguments[i], &handles[i])) return false;
  }
  return true;
}

bool names_of(PyObject* keywords, size_t count, Room<const char*, inline_count>& names) {
  for (size_t i = 0; i < count; ++i) {
    names[i] = c_text(PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(i)), "the name of an argument");
    if (names[i] == nullptr) return false;
  }
  return true;
}

// What a call may take by its arguments, roughly: elements, and numbers, which may be how often a loop runs.
double work_of(PyObject* argument) {
  if (PyFloat_Check(argument) != 0) return std::abs(PyFloat_AS_DOUBLE(argument));
  if (PyLong_Check(argument) != 0) {
    int overflow = 0;
    return std::abs(static_cast<double>(PyLong_AsLongLongAndOverflow(argument, &overflow)));
  }
  if (PyList_Check(argument) != 0 || PyTuple_Check(argument) != 0) return static_cast<double>(Py_SIZE(argument));
  return static_cast<double>(Py_TYPE(argument) == module.array ? elements_of_array(argument)
                                                               : elements_of_ndarray(argument));
}

double work_of(PyObject* const* arguments, size_t count) {
  double work = 0;
  for (size_t i = 0; i < count; ++i) work += work_of(arguments[i]);
  return work;
}

// Runs what `call` calls. A function that was quick the last time keeps the GIL, unless it is given far more now.
template <class Call>
bool run_timed(Use& use, Pace& pace, double work, Call call) {
  const bool keeps = pace.is_quick && !(work > 2 * pace.quick_work);
  const unsigned long long start = __rdtsc();
  const bool done = use.run(keeps ? Gil::hold : Gil::release, call);
  pace.is_quick = __rdtsc() - start <= slow_ticks;
  if (pace.is_quick && work > pace.quick_work) pace.quick_work = work;
  return done;
}

}  // namespace

PyObject* call_value(Use& use, covec_value* function, Pace& pace, PyObject* const* arguments, size_t count,
                     PyObject* keywords) {
  const size_t named = keywords == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(keywords));
  Handle result;
  {
    Handles<inline_count> handles(count);
    Room<const char*, inline_count> names(named);
    if (!handles.is_there() || names.data() == nullptr) return nullptr;
    if (!arguments_to_covec(use, arguments, count, handles) || !names_of(keywords, named, names)) return nullptr;
    const auto crossing = [&] {
      return named == 0
                 ? covec_call(use.handle(), function, handles.data(), count, result.out())
                 : covec_call_named(use.handle(), function, handles.data(), count, names.data(), named, result.out());
    };
    if (!run_timed(use, pace, work_of(arguments, count), crossing)) return nullptr;
  }
  return to_python(use, std::move(result));
}

namespace {

PyObject* call(PyObject* self, PyObject* const* arguments, size_t flagged, PyObject* keywords) {
  Function& function = function_of(self);
  Use use(*function.holder.session);
  if (!use) return nullptr;
  const size_t named = keywords == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(keywords));
  const size_t count = static_cast<size_t>(PyVectorcall_NARGS(flagged)) + named;
  return call_value(use, function.holder.value, function.pace, arguments, count, keywords);
}

// --- functions made of functions ---

covec_status derive(covec_session* session, Derived how, covec_value* function, covec_value* option,
                    covec_value** made) {
  switch (how) {
    case compiled: return covec_compile(session, function, made);
    case gradient: return covec_grad(session, function, option, made);
    case value_and_gradient: return covec_value_and_grad(session, function, option, made);
    case jacobian: return covec_jacobian(session, function, option, made);
    default: return covec_vmap(session, function, option, made);
  }
}

PyObject* make_derived(Function& function, Derived how, PyObject* option) {
  Use use(*function.holder.session);
  Handle value, given;
  if (!use || (option != nullptr && option != Py_None && !to_covec(use, option, given.out()))) return nullptr;
  if (!use.check(derive(use.handle(), how, function.holder.value, given.get(), value.out()))) return nullptr;
  return to_python(use, std::move(value));
}

PyObject* get_derived(PyObject* self, void* closure) {
  Function& function = function_of(self);
  const auto how = static_cast<Derived>(reinterpret_cast<uintptr_t>(closure));
  if (function.derived[how] == nullptr) function.derived[how] = make_derived(function, how, nullptr);
  return Py_XNewRef(function.derived[how]);
}

// grad(f, wrt=None) and its kind, as functions of the module.
PyObject* derive_with(Derived how, const char* option_name, PyObject* arguments, PyObject* keywords) {
  const char* const names[] = {"function", option_name, nullptr};
  PyObject *function = nullptr, *option = Py_None;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O", const_cast<char**>(names), &function, &option) == 0)
    return nullptr;
  if (Py_TYPE(function) != module.function) {
    PyErr_Format(PyExc_TypeError, "expected a covec.Function, not %s", Py_TYPE(function)->tp_name);
    return nullptr;
  }
  return option == Py_None ? get_derived(function, reinterpret_cast<void*>(uintptr_t{how}))
                           : make_derived(function_of(function), how, option);
}

PyObject* make_gradient(PyObject*, PyObject* arguments, PyObject* keywords) {
  return derive_with(gradient, "wrt", arguments, keywords);
}
PyObject* make_value_and_gradient(PyObject*, PyObject* arguments, PyObject* keywords) {
  return derive_with(value_and_gradient, "wrt", arguments, keywords);
}
PyObject* make_jacobian(PyObject*, PyObject* arguments, PyObject* keywords) {
  return derive_with(jacobian, "wrt", arguments, keywords);
}
PyObject* make_mapped(PyObject*, PyObject* arguments, PyObject* keywords) {
  return derive_with(mapped, "in_axes", arguments, keywords);
}

PyMethodDef module_functions[] = {
    {"grad", method(make_gradient), METH_VARARGS | METH_KEYWORDS,
     "grad(f, wrt=None)\n\nThe gradient of f by the parameters that `wrt` names: a number, a name or a tuple of these; "
     "None: the first."},
    {"value_and_grad", method(make_value_and_gradient), METH_VARARGS | METH_KEYWORDS,
     "value_and_grad(f, wrt=None)\n\nA function that gives f's value and its gradient."},
    {"jacobian", method(make_jacobian), METH_VARARGS | METH_KEYWORDS, "jacobian(f, wrt=None)\n\nThe Jacobian of f."},
    {"vmap", method(make_mapped), METH_VARARGS | METH_KEYWORDS,
     "vmap(f, in_axes=None)\n\nf for each part of its arguments along an axis; None: the first."},
    {nullptr, nullptr, 0, nullptr}};

// --- attributes ---

PyObject* get_parameters(PyObject* self, void*) {
  const Function& function = function_of(self);
  Use use(*function.holder.session);
  Handle names;
  if (!use || !use.check(covec_parameters(use.handle(), function.holder.value, names.out()))) return nullptr;
  return to_python(use, std::move(names));
}

// A text that the definition tells: "name", "signature" or "doc".
Ref about(PyObject* self, const char* what) {
  const Function& function = function_of(self);
  Use use(*function.holder.session);
  Handle record, text;
  if (!use || !use.check(covec_about(use.handle(), function.holder.value, record.out())) ||
      !use.check(covec_field(use.handle(), record.get(), what, text.out())))
    return {};
  return Ref(to_python(use, std::move(text)));
}

PyObject* get_name(PyObject* self, void*) { return about(self, "name").release(); }

// As builtin functions of Python's have it: how it is called, and then what its definition says of it.
PyObject* get_doc(PyObject* self, void*) {
  Ref written = about(self, "signature");
  const Ref doc = written ? about(self, "doc") : Ref();
  if (!doc || PyUnicode_GET_LENGTH(doc.get()) == 0) return doc ? written.release() : nullptr;
  return PyUnicode_FromFormat("%U\n\n%U", written.get(), doc.get());
}

// For inspect.
PyObject* get_signature(PyObject* self, void*) {
  const Ref names(get_parameters(self, nullptr));
  const Ref written = names ? about(self, "signature") : Ref();
  const Ref reader(written ? PyImport_ImportModule("covec._signature") : nullptr);
  return reader ? PyObject_CallMethod(reader.get(), "signature_of", "OO", names.get(), written.get()) : nullptr;
}

PyObject* get_session(PyObject* self, void*) { return Py_NewRef(function_of(self).holder.session); }

void* derived_as(Derived how) { return reinterpret_cast<void*>(uintptr_t{how}); }

PyObject* copy(PyObject* self, PyObject*) { return Py_NewRef(self); }  // it does not change

PyMethodDef methods[] = {
    {"__copy__", copy, METH_NOARGS, nullptr}, {"__deepcopy__", copy, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};

PyGetSetDef attributes[] = {
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_name, nullptr, nullptr, nullptr},
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"__signature__", get_signature, nullptr, nullptr, nullptr},
    {"compiled", get_derived, nullptr, "The function with @compile.", derived_as(compiled)},
    {"grad", get_derived, nullptr, "Its gradient by the first parameter; covec.grad(f, wrt) for others.",
     derived_as(gradient)},
    {"value_and_grad", get_derived, nullptr, "Its value and gradient.", derived_as(value_and_gradient)},
    {"jacobian", get_derived, nullptr, "Its Jacobian by the first parameter.", derived_as(jacobian)},
    {"vmap", get_derived, nullptr, "The function for each part of its arguments along their first axes.",
     derived_as(mapped)},
    {"parameters", get_parameters, nullptr, "The names of its parameters.", nullptr},
    {"session", get_session, nullptr, "The session that it belongs to.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, call), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(Function, weak), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

int traverse(PyObject* self, visitproc visit, void* arg) {
  for (PyObject* const derived : function_of(self).derived) Py_VISIT(derived);
  return visit_holder(self, visit, arg);
}

int clear(PyObject* self) {
  for (PyObject*& derived : function_of(self).derived) Py_CLEAR(derived);
  return 0;
}

void deallocate(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (function_of(self).weak != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  drop_holder(self);
}

PyObject* describe(PyObject* self) {
  const Ref text(text_of(self));
  return text ? PyUnicode_FromFormat("covec.Function(%U)", text.get()) : nullptr;
}

PyType_Slot slots[] = {{Py_tp_dealloc, slot(deallocate)},
                       {Py_tp_traverse, slot(traverse)},
                       {Py_tp_clear, slot(clear)},
                       {Py_tp_call, slot(PyVectorcall_Call)},
                       {Py_tp_repr, slot(describe)},
                       {Py_tp_members, members},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, attributes},
                       {0, nullptr}};
PyType_Spec spec = {
    "covec.Function", sizeof(Function), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

PyObject* make_function(Use& use, Handle value) {
  auto* const made = PyObject_GC_NewVar(Function, module.function, 0);
  if (made == nullptr) return nullptr;
  made->holder.session = reinterpret_cast<Session*>(Py_NewRef(&use.session()));
  made->holder.value = value.release();
  made->call = call;
  made->pace = {};
  made->weak = nullptr;
  for (PyObject*& derived : made->derived) derived = nullptr;
  PyObject_GC_Track(made);
  return reinterpret_cast<PyObject*>(made);
}

bool add_function_type(PyObject* module_object) {
  if (module.function == nullptr) module.function = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return module.function != nullptr && PyModule_AddType(module_object, module.function) == 0 &&
         PyModule_AddFunctions(module_object, module_functions) == 0;
}

}  // namespace covec::python
