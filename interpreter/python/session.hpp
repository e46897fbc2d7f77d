// covec.Session: a session of covec.h as an object of Python.
//
// A session belongs to one use at a time. A use begins before arguments are converted and ends when results are Python
// objects. Meanwhile functions that the program calls (output), and other threads, get an error: garbage collection may
// run any code at any time. For the default session of a thread other threads wait instead, without the GIL. Start at
// Use.
#pragma once

#include <semaphore.h>

#include <atomic>

#include "objects.hpp"

namespace covec::python {

// A thread that waits for a session; it lies on that thread's stack. The GIL guards the queue.
struct Waiter {
  Waiter* next;
  void* thread;
  sem_t calls;  // each end of a use calls the first in the queue
};

// How long a function's calls take: a quick one keeps the GIL. All zeros: nothing is known.
struct Pace {
  bool is_quick;      // its last call took so little that other threads may as well wait for the next
  double quick_work;  // the most that a quick call was given, by its arguments
};
// A builtin that methods of arrays call. No Python object, which would hold the session that holds it.
struct PacedBuiltin {
  covec_value* value;  // null: not asked for yet
  Pace pace;
};
constexpr size_t builtins_of_methods = 20;  // names in array_methods.cpp

struct Session {
  PyObject_HEAD covec_session* handle;  // null: closed
  void* user;                           // the thread that uses the session now, or null
  bool is_interrupted;                  // there has been an interrupt since the use began
  bool is_lost;                         // by a fork: another thread used it, and is not in this process
  PyObject *output, *input, *resolve;   // functions of Python, or null
  PyObject* display;                    // the same; it may be exchanged
  PyObject* ranks;                      // an object of _ranks.py, or null
  PyObject* text;                       // the last that input or resolve gave: it is read after they return
  PyObject *thrown, *thrown_value, *thrown_traceback;  // by one of these functions while the session ran
  bool is_default;                                     // of a thread: others wait for it
  Waiter* waiters;                                     // in the order in which they came
  PacedBuiltin builtins[builtins_of_methods];          // of methods of arrays
  Session *before, *behind;                            // all sessions, in a ring
  PyObject* weak;
};

// The current error of the session as covec.Error; false.
bool raise_error(const covec_session* session);

// Holds the GIL while it runs, or lets other threads of Python run meanwhile.
enum class Gil { hold, release };

class Use {
 public:
  // Check whether it has begun: if not, an exception is set.
  explicit Use(Session& session);
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use();
  explicit operator bool() const { return has_begun_; }

  // Runs `body`, which calls one function of covec.h that runs programs. False with an exception.
  template <class Body>
  bool run(Gil gil, Body body) {
    const Run begun = begin(gil);
    const covec_status status = body();
    return end(begun, status);
  }
  // The same for functions that run nothing.
  bool check(covec_status status) { return status == COVEC_OK || raise_error(session_.handle); }
  covec_session* handle() const { return session_.handle; }
  Session& session() const { return session_; }

 private:
  struct Run {
    PyThreadState* released;       // null: this thread holds the GIL
    bool is_main;                  // the main thread, where Ctrl-C counts
    covec_session* interruptible;  // before
  };
  Run begin(Gil gil);
  bool end(Run run, covec_status status);

  Session& session_;
  void* before_;  // thread_with_gil before this use
  bool has_begun_;
};

// The default session of this thread, made at its first use. Null with an exception.
Ref default_session();
// A covec.Error of this module's own; null.
PyObject* raise_misuse(const char* text);

// Keeps what a function of Python's has raised until the run is over, which it ends.
void keep_exception(Session& session);

// --- what values look like (displays.cpp) ---
// covec_output and covec_show of a session, which `user` is.
void write_out(void* user, covec_stream stream, const char* text, size_t bytes);
void show_value(void* user, covec_session* handle, covec_value* value, const char* text, size_t bytes);
// For _shown.py: _display(dict, form, is_table). A table's columns may have any names.
PyObject* display_dict(PyObject* self, PyObject* arguments);

// --- ranks (ranks.cpp) ---
// Of a communicator, which may be null or None. False with an exception.
bool take_ranks(Session& session, PyObject* communicator, covec_ranks& ranks);
// When the session is closed.
void close_ranks(Session& session);

// A text without zero bytes, which the C interface would take for its end. Null with an exception.
const char* c_text(PyObject* text, const char* what);

// --- signals and forks (signals.cpp) ---
// Ctrl-C ends what the main thread runs. The handler goes before Python's, which it calls.
bool is_main_thread();
void take_interrupts();
// Names what the main thread runs, for the handler; gives what was named before.
covec_session* set_interruptible(covec_session* session);
// Whether the handler has interrupted since the last look.
bool was_interrupted();
bool watch_forks_and_end();
// The interpreter is at its end, where other threads than the main one go: a SystemExit is set.
bool ends_thread();
extern Session all_sessions;  // the ring's first and last, no session itself

// --- memory of Python's that a session has held (releases.cpp) ---
// Gives back `owner`, an object: from any thread, with or without the GIL, now or when the GIL is held next.
void give_back(void* owner);
// With the GIL: lets everything go that was given back.
void drop_given_back();
extern std::atomic<bool> has_given_back;
// The thread that has the GIL and uses a session, if that is known.
extern std::atomic<void*> thread_with_gil;
void forget_given_back_elsewhere();  // in the child of a fork

}  // namespace covec::python
