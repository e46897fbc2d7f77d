// covec.Session: opening, running, names, interrupts. See session.hpp.

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "convert.hpp"
#include "session.hpp"

#include <structmember.h>

namespace covec::python {

Session all_sessions = {};

void keep_exception(Session& session) {
  if (session.thrown == nullptr)
    PyErr_Fetch(&session.thrown, &session.thrown_value, &session.thrown_traceback);
  else
    PyErr_Clear();
  covec_interrupt(session.handle);
}

namespace {

Session& session_of(PyObject* self) { return *reinterpret_cast<Session*>(self); }

// --- functions of Python that a session calls ---

// Text from a program: what is not UTF-8 is shown as it can be.
PyObject* decode(const char* text, size_t bytes) {
  return PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(bytes), "replace");
}

}  // namespace

void write_out(void* user, covec_stream stream, const char* text, size_t bytes) {
  if (_Py_IsFinalizing()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Session& session = *static_cast<Session*>(user);
  if (session.thrown == nullptr) {
    const Ref written(decode(text, bytes));
    const char* const name = stream == COVEC_STDERR ? "stderr" : "stdout";
    Ref done;
    if (written && session.output != nullptr) {
      done = Ref(PyObject_CallFunction(session.output, "Os", written.get(), name));
    } else if (written) {
      PyObject* const file = PySys_GetObject(name);
      done = file == nullptr || file == Py_None ? Ref::to(Py_None)
                                                : Ref(PyObject_CallMethod(file, "write", "O", written.get()));
    }
    if (!done) keep_exception(session);
  }
  PyGILState_Release(state);
}

namespace {

// What a function of Python's gives for `name` (none: no argument): a text that stays until the next one. 0: nothing.
int answer(Session& session, PyObject* function, const char* name, const char** text, size_t* bytes) {
  if (_Py_IsFinalizing()) return 0;
  const PyGILState_STATE state = PyGILState_Ensure();
  const Ref kept = Ref::to(function == nullptr ? Py_None : function);
  Ref given(function == nullptr ? Py_NewRef(Py_None)
            : name == nullptr   ? PyObject_CallNoArgs(function)
                                : PyObject_CallFunction(function, "s", name));
  Py_ssize_t size = 0;
  bool is_text = false;
  if (given && given.get() != Py_None && PyUnicode_Check(given.get()) == 0) {
    PyErr_Format(PyExc_TypeError, "%s must give a str or None, not %s", name == nullptr ? "input" : "resolve",
                 Py_TYPE(given.get())->tp_name);
  } else if (given && given.get() != Py_None) {
    *text = PyUnicode_AsUTF8AndSize(given.get(), &size);
    *bytes = static_cast<size_t>(size);
    is_text = *text != nullptr;
  }
  if (PyErr_Occurred() != nullptr) keep_exception(session);
  Py_XSETREF(session.text, given.release());
  PyGILState_Release(state);
  return is_text ? 1 : 0;
}

int answer_input(void* user, const char** line, size_t* bytes) {
  Session& session = *static_cast<Session*>(user);
  return answer(session, session.input, nullptr, line, bytes);
}

int answer_resolve(void* user, const char* name, const char** text, size_t* bytes) {
  Session& session = *static_cast<Session*>(user);
  return answer(session, session.resolve, name, text, bytes);
}

// --- opening ---

// One path, or several, as a list that ends in a null. A path alone is no sequence: its letters are no folders.
class Folders {
 public:
  ~Folders() { PyMem_Free(paths_); }
  bool read(const char* option, PyObject* given) {
    if (given == nullptr || given == Py_None) return true;
    const bool is_one = PyUnicode_Check(given) != 0 || PyBytes_Check(given) != 0 || has_path(given);
    if (!is_one && PySequence_Check(given) == 0) return refuse(option, given);
    kept_ = Ref(is_one ? PyTuple_Pack(1, given) : PySequence_Tuple(given));
    const Py_ssize_t count = kept_ ? PyTuple_GET_SIZE(kept_.get()) : 0;
    const Ref given_paths = std::move(kept_);
    if (!given_paths) return false;
    kept_ = Ref(PyList_New(0));
    paths_ = static_cast<const char**>(PyMem_Calloc(static_cast<size_t>(count) + 1, sizeof(char*)));
    if (!kept_ || paths_ == nullptr) return PyErr_NoMemory() != nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* const item = PyTuple_GET_ITEM(given_paths.get(), i);
      if (PyUnicode_Check(item) == 0 && PyBytes_Check(item) == 0 && !has_path(item)) return refuse(option, item);
      PyObject* path = nullptr;
      if (PyUnicode_FSConverter(item, &path) == 0) return false;
      const Ref kept(path);
      if (PyList_Append(kept_.get(), path) < 0) return false;
      paths_[i] = PyBytes_AS_STRING(path);
    }
    return true;
  }
  const char* const* paths() const { return paths_; }

 private:
  static bool has_path(PyObject* object) {
    static PyObject* const name = PyUnicode_InternFromString("__fspath__");
    return _PyType_Lookup(Py_TYPE(object), name) != nullptr;
  }
  static bool refuse(const char* option, PyObject* object) {
    PyErr_Format(PyExc_TypeError, "%s must be a path (str or os.PathLike) or a list of paths, not %s", option,
                 Py_TYPE(object)->tp_name);
    return false;
  }

  Ref kept_;
  const char** paths_ = nullptr;
};

bool take_function(PyObject* given, const char* name, PyObject** kept) {
  if (given == nullptr || given == Py_None) return true;
  if (PyCallable_Check(given) == 0) {
    PyErr_Format(PyExc_TypeError, "%s must be a function, not %s", name, Py_TYPE(given)->tp_name);
    return false;
  }
  Py_XSETREF(*kept, Py_NewRef(given));
  return true;
}

void register_session(Session& session) {
  if (all_sessions.behind == nullptr) all_sessions.behind = all_sessions.before = &all_sessions;
  session.behind = &all_sessions;
  session.before = all_sessions.before;
  session.before->behind = session.behind->before = &session;
}

void forget(Session& session) {
  if (session.behind == nullptr) return;
  session.before->behind = session.behind;
  session.behind->before = session.before;
  session.before = session.behind = nullptr;
}

// An option that is a count: from 0 to `most`.
struct Count {
  const char* name;
  unsigned long long most, number;
};

int read_count(PyObject* given, void* to) {
  Count& count = *static_cast<Count*>(to);
  if (PyIndex_Check(given) == 0) {
    PyErr_Format(PyExc_TypeError, "%s must be an integer, not %s", count.name, Py_TYPE(given)->tp_name);
    return 0;
  }
  const Ref whole(PyNumber_Index(given));
  if (!whole) return 0;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(whole.get(), &overflow);
  if (overflow < 0 || (overflow == 0 && number < 0)) {
    PyErr_Format(PyExc_ValueError, "%s must not be negative", count.name);
    return 0;
  }
  count.number = overflow == 0 ? static_cast<unsigned long long>(number) : PyLong_AsUnsignedLongLong(whole.get());
  const bool is_too_large = PyErr_Occurred() != nullptr || count.number > count.most;
  if (is_too_large) PyErr_Format(PyExc_OverflowError, "%s must be at most %llu", count.name, count.most);
  return is_too_large ? 0 : 1;
}

struct Permission {
  int is_given;
  unsigned bit;
};

bool open_session(Session& session, covec_options& options, bool is_trusted) {
  options.output = write_out;
  options.show = show_value;
  options.user = &session;
  if (session.input != nullptr) options.input = answer_input;
  if (session.resolve != nullptr) options.resolve = answer_resolve;
  errno = 0;
  session.handle = is_trusted ? covec_open(&options) : covec_open_untrusted(&options);
  if (session.handle == nullptr && errno != 0)
    PyErr_SetFromErrno(PyExc_OSError);
  else if (session.handle == nullptr)
    PyErr_NoMemory();
  return session.handle != nullptr;
}

int init(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static const char* const names[] = {"memory_limit",
                                      "threads",
                                      "trusted",
                                      "read_folders",
                                      "write_folders",
                                      "may_read_clock",
                                      "may_sleep",
                                      "may_use_devices",
                                      "may_load_libraries",
                                      "may_import",
                                      "output",
                                      "input",
                                      "resolve",
                                      "use_environment",
                                      "text_nesting",
                                      "text_bytes",
                                      "run_seconds",
                                      "run_printed_bytes",
                                      "run_calls",
                                      "may_communicate",
                                      "ranks",
                                      "display",
                                      nullptr};
  Session& session = session_of(self);
  covec_options options = {};
  Count memory_limit{"memory_limit", SIZE_MAX, 0}, threads{"threads", UINT_MAX, 0},
      text_nesting{"text_nesting", UINT_MAX, 0}, text_bytes{"text_bytes", SIZE_MAX, 0},
      run_printed_bytes{"run_printed_bytes", UINT64_MAX, 0}, run_calls{"run_calls", UINT_MAX, 0};
  int is_trusted = 1;
  PyObject *read_folders = nullptr, *write_folders = nullptr, *output = nullptr, *input = nullptr, *resolve = nullptr,
           *communicator = nullptr, *display = nullptr;
  covec_ranks ranks = {};
  Permission may[] = {{0, COVEC_MAY_READ_CLOCK},     {0, COVEC_MAY_SLEEP},  {0, COVEC_MAY_USE_DEVICES},
                      {0, COVEC_MAY_LOAD_LIBRARIES}, {0, COVEC_MAY_IMPORT}, {0, COVEC_MAY_COMMUNICATE}};
  double run_seconds = 0;
  if (PyArg_ParseTupleAndKeywords(
          arguments, keywords, "|$O&O&pOOpppppOOOpO&O&dO&O&pOO:Session", const_cast<char**>(names), read_count,
          &memory_limit, read_count, &threads, &is_trusted, &read_folders, &write_folders, &may[0].is_given,
          &may[1].is_given, &may[2].is_given, &may[3].is_given, &may[4].is_given, &output, &input, &resolve,
          &options.use_environment, read_count, &text_nesting, read_count, &text_bytes, &run_seconds, read_count,
          &run_printed_bytes, read_count, &run_calls, &may[5].is_given, &communicator, &display) == 0)
    return -1;
  if (session.handle != nullptr) {
    PyErr_SetString(PyExc_ValueError, "the session is open already");
    return -1;
  }
  options.memory_limit = memory_limit.number;
  options.threads = static_cast<unsigned>(threads.number);
  options.text_nesting = static_cast<unsigned>(text_nesting.number);
  options.text_bytes = text_bytes.number;
  options.run_printed_bytes = run_printed_bytes.number;
  options.run_calls = static_cast<unsigned>(run_calls.number);
  if (!(run_seconds >= 0 && run_seconds < 1e12)) {
    PyErr_SetString(PyExc_ValueError, "run_seconds must be a number of seconds");
    return -1;
  }
  options.run_microseconds = static_cast<uint64_t>(run_seconds * 1e6);
  if (run_seconds > 0 && options.run_microseconds == 0) options.run_microseconds = 1;
  for (const Permission& permission : may) options.permissions |= permission.is_given != 0 ? permission.bit : 0;
  Folders reads, writes;
  if (!reads.read("read_folders", read_folders) || !writes.read("write_folders", write_folders)) return -1;
  options.read_folders = reads.paths();
  options.write_folders = writes.paths();
  if (is_trusted != 0 && (options.permissions != 0 || reads.paths() != nullptr || writes.paths() != nullptr)) {
    PyErr_SetString(
        PyExc_ValueError,
        "the folders and may_… are permissions of a session with trusted=False; this session has all permissions");
    return -1;
  }
  if (!take_function(output, "output", &session.output) || !take_function(input, "input", &session.input) ||
      !take_function(resolve, "resolve", &session.resolve) || !take_function(display, "display", &session.display) ||
      !take_ranks(session, communicator, ranks))
    return -1;
  if (session.ranks != nullptr) options.ranks = &ranks;
  if (!open_session(session, options, is_trusted != 0)) return -1;
  register_session(session);
  return 0;
}

// --- the end ---

int traverse(PyObject* self, visitproc visit, void* arg) {
  const Session& session = session_of(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(session.output);
  Py_VISIT(session.input);
  Py_VISIT(session.resolve);
  Py_VISIT(session.display);
  Py_VISIT(session.ranks);
  Py_VISIT(session.thrown);
  Py_VISIT(session.thrown_value);
  Py_VISIT(session.thrown_traceback);
  return 0;
}

int clear(PyObject* self) {
  Session& session = session_of(self);
  Py_CLEAR(session.text);
  Py_CLEAR(session.thrown);
  Py_CLEAR(session.thrown_value);
  Py_CLEAR(session.thrown_traceback);
  Py_CLEAR(session.output);
  Py_CLEAR(session.input);
  Py_CLEAR(session.resolve);
  Py_CLEAR(session.display);
  Py_CLEAR(session.ranks);
  return 0;
}

void drop_builtins(Session& session) {
  for (PacedBuiltin& builtin : session.builtins) covec_release(std::exchange(builtin.value, nullptr));
}

void deallocate(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Session& session = session_of(self);
  if (session.weak != nullptr) PyObject_ClearWeakRefs(self);
  forget(session);
  drop_builtins(session);
  if (session.handle != nullptr && !session.is_lost) covec_close(session.handle);
  if (!session.is_lost) close_ranks(session);
  drop_given_back();
  clear(self);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* close(PyObject* self, PyObject*) {
  Session& session = session_of(self);
  if (session.handle == nullptr) Py_RETURN_NONE;
  const Use use(session);
  if (!use) return nullptr;
  forget(session);
  drop_builtins(session);
  covec_close(std::exchange(session.handle, nullptr));
  close_ranks(session);
  Py_RETURN_NONE;
}

PyObject* leave(PyObject* self, PyObject*) { return close(self, nullptr); }

PyObject* enter(PyObject* self, PyObject*) { return Py_NewRef(self); }

// --- running ---

PyObject* run(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static const char* const names[] = {"text", "name", nullptr};
  PyObject* text = nullptr;
  const char* name = "host";
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "O|s:run", const_cast<char**>(names), &text, &name) == 0)
    return nullptr;
  const char* const program = c_text(text, "a program");
  if (program == nullptr) return nullptr;
  Use use(session_of(self));
  if (!use) return nullptr;
  Handle result;
  if (!use.run(Gil::release, [&] { return covec_run(use.handle(), name, program, result.out()); })) return nullptr;
  return to_python(use, std::move(result));
}

PyObject* compile(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static const char* const names[] = {"text", "name", nullptr};
  PyObject* text = nullptr;
  const char* name = "host";
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "O|s:compile", const_cast<char**>(names), &text, &name) == 0)
    return nullptr;
  const char* const program = c_text(text, "a program");
  if (program == nullptr) return nullptr;
  Use use(session_of(self));
  if (!use) return nullptr;
  Handle function, compiled;
  if (!use.run(Gil::release, [&] { return covec_define(use.handle(), name, program, function.out()); }) ||
      !use.check(covec_compile(use.handle(), function.get(), compiled.out())))
    return nullptr;
  return to_python(use, std::move(compiled));
}

PyObject* load(PyObject* self, PyObject* given) {
  PyObject* path = nullptr;
  if (PyUnicode_FSConverter(given, &path) == 0) return nullptr;
  const Ref kept(path);
  Use use(session_of(self));
  if (!use || !use.run(Gil::release, [&] { return covec_run_file(use.handle(), PyBytes_AS_STRING(path)); }))
    return nullptr;
  return Py_NewRef(self);
}

// --- profiles, for _profile.py ---

PyObject* begin_profile(PyObject* self, PyObject*) {
  Use use(session_of(self));
  if (!use || !use.check(covec_profile_begin(use.handle()))) return nullptr;
  Py_RETURN_NONE;
}

PyObject* end_profile(PyObject* self, PyObject* given) {
  const char* const name = c_text(given, "a name");
  if (name == nullptr) return nullptr;
  Use use(session_of(self));
  Handle profile;
  if (!use || !use.check(covec_profile_end(use.handle(), name, profile.out()))) return nullptr;
  return to_python(use, std::move(profile));
}

// --- displays ---

PyObject* get_display(PyObject* self, void*) {
  PyObject* const display = session_of(self).display;
  return Py_NewRef(display == nullptr ? Py_None : display);
}

int set_display(PyObject* self, PyObject* given, void*) {
  if (given == nullptr || given == Py_None) {
    Py_CLEAR(session_of(self).display);
    return 0;
  }
  return take_function(given, "display", &session_of(self).display) ? 0 : -1;
}

PyGetSetDef attributes[] = {{"display", get_display, set_display,
                             "What shows the figures and tables of plot.show and table.show: display(forms) gets a "
                             "dict of texts by MIME type. None: their text is written.",
                             nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

// --- names ---

PyObject* get(PyObject* self, PyObject* key) {
  const char* const name = c_text(key, "a name");
  if (name == nullptr) return nullptr;
  Use use(session_of(self));
  Handle value;
  if (!use) return nullptr;
  const covec_status status = covec_get(use.handle(), name, value.out());
  if (status == COVEC_ERROR && strcmp(covec_error_kind(use.handle()), "key") == 0) {
    PyErr_SetObject(PyExc_KeyError, key);
    return nullptr;
  }
  return use.check(status) ? to_python(use, std::move(value)) : nullptr;
}

int set(PyObject* self, PyObject* key, PyObject* object) {
  const char* const name = c_text(key, "a name");
  if (name == nullptr) return -1;
  if (object == nullptr) {
    PyErr_SetString(PyExc_TypeError, "a name of a session cannot be deleted");
    return -1;
  }
  Use use(session_of(self));
  Handle value;
  if (!use || !to_covec(use, object, value.out())) return -1;
  return use.check(covec_set(use.handle(), name, value.get())) ? 0 : -1;
}

PyObject* list_names(PyObject* self, PyObject*) {
  Use use(session_of(self));
  Handle value;
  if (!use || !use.check(covec_names(use.handle(), value.out()))) return nullptr;
  return to_python(use, std::move(value));
}

int contains(PyObject* self, PyObject* key) {
  const Ref names(list_names(self, nullptr));
  return names ? PySequence_Contains(names.get(), key) : -1;
}

PyObject* builtin(PyObject* self, PyObject* key) {
  const char* const name = c_text(key, "a name");
  if (name == nullptr) return nullptr;
  Use use(session_of(self));
  Handle value;
  if (!use || !use.check(covec_builtin(use.handle(), name, value.out()))) return nullptr;
  return to_python(use, std::move(value));
}

// --- the rest ---

PyObject* interrupt(PyObject* self, PyObject*) {
  Session& session = session_of(self);
  if (session.handle != nullptr && session.user != nullptr && !session.is_lost) {
    session.is_interrupted = true;
    covec_interrupt_next(session.handle);  // the run of this use may not have begun
  }
  Py_RETURN_NONE;
}

PyObject* memory(PyObject* self, PyObject*) {
  Use use(session_of(self));
  covec_account account;
  if (!use || !use.check(covec_memory(use.handle(), &account))) return nullptr;
  return Py_BuildValue("{s:K,s:K,s:K,s:K}", "used", static_cast<unsigned long long>(account.used), "peak",
                       static_cast<unsigned long long>(account.peak), "limit",
                       static_cast<unsigned long long>(account.limit), "allocations",
                       static_cast<unsigned long long>(account.allocations));
}

PyObject* describe(PyObject* self) {
  const Session& session = session_of(self);
  return PyUnicode_FromFormat("<covec.Session at %p%s>", self, session.handle == nullptr ? ", closed" : "");
}

PyMethodDef methods[] = {
    {"run", method(run), METH_VARARGS | METH_KEYWORDS,
     "run(text, name='host')\n\nRuns a program; names that it assigns stay. Gives the value of a last expression, or "
     "None. "
     "`name` is what errors call the text."},
    {"compile", method(compile), METH_VARARGS | METH_KEYWORDS,
     "compile(text, name='host')\n\nThe last function that a text defines by `fn name` outside of all blocks, "
     "compiled. "
     "The names of the text are its own; it can read those of the session."},
    {"load", load, METH_O, "load(path)\n\nRuns a file, and gives the session: load('model.covec')['f']."},
    {"names", list_names, METH_NOARGS, "names()\n\nThe names that have values, as a list."},
    {"builtin", builtin, METH_O, "builtin(name)\n\nA builtin of the language: builtin('sin')."},
    {"interrupt", interrupt, METH_NOARGS,
     "interrupt()\n\nEnds what the session runs with a covec.Error; from any thread."},
    {"memory", memory, METH_NOARGS,
     "memory()\n\nWhat the session's programs hold, in bytes: used, peak, limit, allocations."},
    {"_display", display_dict, METH_VARARGS, nullptr},        // for _shown.py
    {"_profile_begin", begin_profile, METH_NOARGS, nullptr},  // covec.profile() has the words
    {"_profile_end", end_profile, METH_O, nullptr},
    {"close", close, METH_NOARGS, "close()\n\nEnds the session. Arrays that it has given stay."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", leave, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

const char documentation[] =
    "Session(*, memory_limit=0, threads=0, trusted=True, output=None, input=None, ...)\n\n"
    "A running Covec: its names, memory and random numbers. session['f'] is a name of its programs.\n\n"
    "memory_limit: bytes; threads: for large operations, 0 is all cores; output: output(text, 'stdout' or 'stderr') "
    "instead "
    "of sys.stdout and sys.stderr; input: gives the next line of input(), or None; resolve: resolve(name) gives the "
    "text of a "
    "module, or None; display: display(forms) shows what plot.show and table.show show, by MIME type; use_environment: "
    "COVEC_THREADS and its like count; ranks: a communicator of mpi4py, whose ranks "
    "run "
    "the same programs together.\n\n"
    "With trusted=False programs reach nothing outside but what read_folders, write_folders, may_read_clock, "
    "may_sleep, "
    "may_use_devices, may_load_libraries, may_import and may_communicate permit. Limits of one run: run_seconds, "
    "run_printed_bytes, "
    "run_calls; "
    "of a text: text_bytes, text_nesting.";

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(Session, weak), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(documentation)},
                       {Py_tp_new, slot(PyType_GenericNew)},
                       {Py_tp_init, slot(init)},
                       {Py_tp_dealloc, slot(deallocate)},
                       {Py_tp_traverse, slot(traverse)},
                       {Py_tp_clear, slot(clear)},
                       {Py_tp_repr, slot(describe)},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {Py_tp_getset, attributes},
                       {Py_mp_subscript, slot(get)},
                       {Py_mp_ass_subscript, slot(set)},
                       {Py_sq_contains, slot(contains)},
                       {0, nullptr}};
PyType_Spec spec = {"covec.Session", sizeof(Session), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

Ref default_session() {
  PyObject* const of_thread = PyThreadState_GetDict();
  if (of_thread == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "this thread has no state of Python");
    return {};
  }
  static PyObject* const key = PyUnicode_InternFromString("covec.default_session");
  PyObject* const found = PyDict_GetItemWithError(of_thread, key);
  if (found != nullptr && session_of(found).handle != nullptr && !session_of(found).is_lost) return Ref::to(found);
  if (PyErr_Occurred() != nullptr) return {};
  Ref made(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(module.session)));
  if (!made || PyDict_SetItem(of_thread, key, made.get()) < 0) return {};
  session_of(made.get()).is_default = true;
  return made;
}

bool add_session_type(PyObject* module_object) {
  if (module.session == nullptr) module.session = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return module.session != nullptr && PyModule_AddType(module_object, module.session) == 0;
}

}  // namespace covec::python
