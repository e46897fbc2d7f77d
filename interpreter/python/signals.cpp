// Handles Ctrl-C, forks, and the end of the interpreter.
//
// Python's SIGINT handler only sets a flag for when the interpreter runs again. So our handler comes before it: it
// interrupts what the main thread runs, if anything, and calls Python's. It is installed when the module is imported,
// and again before long runs, since signal.signal reinstalls Python's. Handlers of others, or none, stay as they are.
#include <pthread.h>
#include <unistd.h>

#include <csignal>

#include <atomic>

#include "session.hpp"

namespace covec::python {

namespace {

struct Interrupts {
  std::atomic<covec_session*> interruptible{nullptr};
  std::atomic<bool> happened{false};
  pthread_t main_thread = {};    // known once the handler is in place
  struct sigaction before = {};  // ours
  bool calls_before = false;
};
Interrupts interrupts;
bool is_at_end = false;

enum class Thread : unsigned char { unknown, main, other };
[[gnu::tls_model("initial-exec")]] thread_local Thread this_thread = Thread::unknown;

void on_interrupt(int number) {
  if (!is_main_thread()) {  // there what runs cannot end meanwhile
    pthread_kill(interrupts.main_thread, number);
    return;
  }
  if (covec_session* const session = interrupts.interruptible.load()) {
    interrupts.happened = true;
    covec_interrupt_next(session);
  }
  if (!std::exchange(interrupts.calls_before, true)) {  // a handler in between might call ours
    interrupts.before.sa_handler(number);
    interrupts.calls_before = false;
  }
}

}  // namespace

bool is_main_thread() {
  if (this_thread == Thread::unknown) this_thread = gettid() == getpid() ? Thread::main : Thread::other;
  return this_thread == Thread::main;
}

bool ends_thread() {
  if (!is_at_end || is_main_thread()) return false;
  PyErr_SetNone(PyExc_SystemExit);
  return true;
}

void take_interrupts() {
  struct sigaction now;
  if (sigaction(SIGINT, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0) return;
  if (now.sa_handler == on_interrupt || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
  interrupts.before = now;
  interrupts.main_thread = pthread_self();
  now.sa_handler = on_interrupt;
  sigaction(SIGINT, &now, nullptr);
}

covec_session* set_interruptible(covec_session* session) {
  covec_session* const before = interrupts.interruptible.load(std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  interrupts.interruptible.store(session, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return before;
}

bool was_interrupted() {
  return interrupts.happened.load(std::memory_order_relaxed) && interrupts.happened.exchange(false);
}

namespace {

// In the child of a fork only the thread that forked goes on. What others used stays as they left it.
PyObject* after_fork(PyObject*, PyObject*) {
  forget_given_back_elsewhere();
  this_thread = Thread::main;
  interrupts.main_thread = pthread_self();
  for (Session* session = all_sessions.behind; session != nullptr && session != &all_sessions;
       session = session->behind) {
    if (session->user != nullptr && session->user != __builtin_thread_pointer()) session->is_lost = true;
    session->waiters = nullptr;
  }
  Py_RETURN_NONE;
}

// Threads that still run, daemons, would run while the process takes itself apart.
PyObject* at_end(PyObject*, PyObject*) {
  is_at_end = true;
  for (Session* session = all_sessions.behind; session != nullptr && session != &all_sessions;
       session = session->behind) {
    session->is_default = false;  // nobody waits any more: daemons end without leaving the queue
    session->waiters = nullptr;
  }
  constexpr int tries = 1000;  // milliseconds, one each
  for (int i = 0; i < tries; ++i) {
    bool is_running = false;
    for (Session* session = all_sessions.behind; session != nullptr && session != &all_sessions;
         session = session->behind) {
      if (session->user == nullptr || session->is_lost || session->handle == nullptr) continue;
      if (session->user == __builtin_thread_pointer()) continue;
      covec_interrupt(session->handle);
      is_running = true;
    }
    if (!is_running) break;
    Py_BEGIN_ALLOW_THREADS;
    const timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, nullptr);
    Py_END_ALLOW_THREADS;
  }
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {{"after_fork", after_fork, METH_NOARGS, nullptr}, {"at_end", at_end, METH_NOARGS, nullptr}};

}  // namespace

bool watch_forks_and_end() {
  if (is_main_thread()) take_interrupts();
  const Ref system(PyImport_ImportModule("os"));
  const Ref child(PyCFunction_New(&functions[0], nullptr));
  const Ref keywords(child ? Py_BuildValue("{s:O}", "after_in_child", child.get()) : nullptr);
  const Ref none(PyTuple_New(0));
  const Ref fork(system ? PyObject_GetAttrString(system.get(), "register_at_fork") : nullptr);
  if (!keywords || !none || !fork) return false;
  const Ref registered(PyObject_Call(fork.get(), none.get(), keywords.get()));
  const Ref exits(registered ? PyImport_ImportModule("atexit") : nullptr);
  const Ref end(PyCFunction_New(&functions[1], nullptr));
  return exits && end && Ref(PyObject_CallMethod(exits.get(), "register", "O", end.get()));
}

}  // namespace covec::python
