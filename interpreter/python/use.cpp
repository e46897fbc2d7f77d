// Uses of a session, and its errors as exceptions. See session.hpp.
#include <ctime>

#include "convert.hpp"
#include "session.hpp"

namespace covec::python {

namespace {

void* this_thread() { return __builtin_thread_pointer(); }

const char* why_unusable(const Session& session) {
  if (session.handle == nullptr) return "the session is closed";
  if (session.is_lost)
    return "another thread used the session when the process forked: it cannot be used in this process";
  if (session.user == nullptr) return nullptr;
  return session.user == this_thread() ? "the session is in use: a function that it calls cannot do this"
                                       : "the session is in use on another thread";
}

bool raise_kept(Session& session) {
  PyErr_Restore(std::exchange(session.thrown, nullptr), std::exchange(session.thrown_value, nullptr),
                std::exchange(session.thrown_traceback, nullptr));
  return false;
}

Ref text(const char* utf8) { return Ref(PyUnicode_DecodeUTF8(utf8, static_cast<Py_ssize_t>(strlen(utf8)), "replace")); }

// Where the calls were that led to the error: tuples of function, file, line and column, the innermost first.
Ref calls_of(const covec_session* session) {
  const size_t count = covec_error_calls(session);
  Ref calls(PyList_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; calls && i < count; ++i) {
    PyObject* const call = Py_BuildValue("(NNII)", text(covec_error_call_function(session, i)).release(),
                                         text(covec_error_call_file(session, i)).release(),
                                         covec_error_call_line(session, i), covec_error_call_column(session, i));
    if (call == nullptr) return {};
    PyList_SET_ITEM(calls.get(), static_cast<Py_ssize_t>(i), call);
  }
  return calls;
}

bool add(const Ref& error, const char* name, Ref value) {
  return value && PyObject_SetAttrString(error.get(), name, value.get()) == 0;
}

Ref without_last_newlines(const char* report) {
  size_t size = strlen(report);
  while (size > 0 && report[size - 1] == '\n') --size;
  return Ref(PyUnicode_DecodeUTF8(report, static_cast<Py_ssize_t>(size), "replace"));
}

}  // namespace

bool raise_error(const covec_session* session) {
  const Ref report = without_last_newlines(covec_error_text(session));
  if (!report) return false;
  const Ref error(PyObject_CallOneArg(module.error, report.get()));
  if (error && add(error, "kind", text(covec_error_kind(session))) &&
      add(error, "message", text(covec_error_message(session))) &&
      add(error, "hint", text(covec_error_hint(session))) && add(error, "file", text(covec_error_file(session))) &&
      add(error, "line", Ref(PyLong_FromUnsignedLong(covec_error_line(session)))) &&
      add(error, "column", Ref(PyLong_FromUnsignedLong(covec_error_column(session)))) &&
      add(error, "calls", calls_of(session)))
    PyErr_SetObject(module.error, error.get());
  return false;
}

PyObject* raise_misuse(const char* message) {
  const Ref error(PyObject_CallFunction(module.error, "s", message));
  if (error && add(error, "kind", text("misuse")) && add(error, "message", text(message)))
    PyErr_SetObject(module.error, error.get());
  return nullptr;
}

const char* c_text(PyObject* text, const char* what) {
  Py_ssize_t size = 0;
  if (PyUnicode_Check(text) == 0) {
    PyErr_Format(PyExc_TypeError, "%s must be a str, not %s", what, Py_TYPE(text)->tp_name);
    return nullptr;
  }
  const char* const bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) return nullptr;
  if (strlen(bytes) != static_cast<size_t>(size)) {
    PyErr_Format(PyExc_ValueError, "%s contains a zero byte", what);
    return nullptr;
  }
  return bytes;
}

namespace {

// Without the GIL, until this waiter is called, or a moment has passed.
void wait_a_moment(Waiter& self) {
  constexpr long moment = 50'000'000;  // ns, after which signals are looked for
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += moment;
  until.tv_sec += until.tv_nsec / 1'000'000'000;
  until.tv_nsec %= 1'000'000'000;
  thread_with_gil.store(nullptr, std::memory_order_relaxed);
  PyThreadState* const released = PyEval_SaveThread();
  sem_clockwait(&self.calls, CLOCK_MONOTONIC, &until);
  PyEval_RestoreThread(released);
}

bool must_wait(const Session& session) {
  return session.is_default && session.handle != nullptr && !session.is_lost && session.user != this_thread() &&
         (session.user != nullptr || session.waiters != nullptr);
}

// The first looks again whether it is its turn. Calls are counted: none is lost before it sleeps, and one too many is
// harmless.
void call_first(const Session& session) {
  if (session.waiters != nullptr) [[unlikely]]
    sem_post(&session.waiters->calls);
}

// The last, or in a handler of a signal that the thread got while it waited: it goes on only after the handler.
void enter_queue(Session& session, Waiter& self) {
  sem_init(&self.calls, 0, 0);
  self.thread = this_thread();
  Waiter** place = &session.waiters;
  while (*place != nullptr && (*place)->thread != self.thread) place = &(*place)->next;
  self.next = std::exchange(*place, &self);
}

void leave_queue(Session& session, Waiter& self) {
  Waiter** place = &session.waiters;
  while (*place != nullptr && *place != &self) place = &(*place)->next;
  if (*place == &self) *place = self.next;  // else the process ends, or is the child of a fork
}

// Until no other thread uses the session, and all that came before have had it. False with an exception, of a signal.
bool wait_for(Session& session) {
  Waiter self;
  enter_queue(session, self);
  void* const before = thread_with_gil.load(std::memory_order_relaxed);
  const auto is_next = [&] {
    return session.user == nullptr && (session.waiters == &self || session.waiters == nullptr);
  };
  bool goes_on = true;
  while (goes_on && !is_next() && session.handle != nullptr && !session.is_lost) {
    wait_a_moment(self);
    thread_with_gil.store(before, std::memory_order_relaxed);
    goes_on = !ends_thread() && (!is_main_thread() || PyErr_CheckSignals() == 0);
  }
  leave_queue(session, self);
  if (!goes_on || session.handle == nullptr) call_first(session);  // this turn is the next one's
  return goes_on;
}

}  // namespace

Use::Use(Session& session) : session_(session), before_(nullptr), has_begun_(false) {
  if (must_wait(session)) [[unlikely]] {
    Py_INCREF(&session);
    const bool waited = wait_for(session);
    Py_DECREF(&session);  // the caller's own is left
    if (!waited) return;
  }
  if (const char* const why = why_unusable(session); why != nullptr) [[unlikely]] {
    raise_misuse(why);
    return;
  }
  if (ends_thread()) [[unlikely]]
    return;
  Py_INCREF(&session);
  session.user = this_thread();
  before_ = thread_with_gil.load(std::memory_order_relaxed);
  thread_with_gil.store(this_thread(), std::memory_order_relaxed);
  has_begun_ = true;
}

Use::~Use() {
  if (!has_begun_) return;
  // An interrupt that came too late, or a second one, would end the next run: this one takes it.
  if (session_.is_interrupted && session_.handle != nullptr) [[unlikely]]
    covec_run(session_.handle, nullptr, "none", nullptr);
  session_.is_interrupted = false;
  session_.user = nullptr;
  call_first(session_);
  thread_with_gil.store(before_ == this_thread() ? before_ : nullptr, std::memory_order_relaxed);
  if (has_given_back.load(std::memory_order_relaxed)) drop_given_back();
  Py_DECREF(&session_);
}

Use::Run Use::begin(Gil gil) {
  Run run{nullptr, is_main_thread(), nullptr};
  if (run.is_main) run.interruptible = set_interruptible(session_.handle);
  if (gil == Gil::release) {
    if (run.is_main) take_interrupts();
    thread_with_gil.store(nullptr, std::memory_order_relaxed);
    run.released = PyEval_SaveThread();
  }
  return run;
}

bool Use::end(Run run, covec_status status) {
  if (run.released != nullptr) {
    PyEval_RestoreThread(run.released);
    thread_with_gil.store(this_thread(), std::memory_order_relaxed);
  }
  if (run.is_main) {
    set_interruptible(run.interruptible);
    if (was_interrupted()) [[unlikely]] {
      session_.is_interrupted = true;
      if (PyErr_CheckSignals() < 0) {  // what a function of Python's has raised would end the next run
        Py_CLEAR(session_.thrown);
        Py_CLEAR(session_.thrown_value);
        Py_CLEAR(session_.thrown_traceback);
        return false;
      }
    }
  }
  if (session_.thrown != nullptr) [[unlikely]]
    return raise_kept(session_);
  if (status == COVEC_OK) return true;
  return status == COVEC_INTERRUPTED && ends_thread() ? false : raise_error(session_.handle);
}

}  // namespace covec::python
