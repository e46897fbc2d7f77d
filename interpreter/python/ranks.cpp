// The ranks of a session: an object of _ranks.py, which moves bytes by mpi4py. Errors of its methods end what runs.

#include "session.hpp"

namespace covec::python {

namespace {

// Runs `body` with the GIL. False ends what runs: the exception is kept for the caller of the session.
template <class Body>
int with_gil(void* user, Body body) {
  if (_Py_IsFinalizing()) return 1;
  const PyGILState_STATE state = PyGILState_Ensure();
  Session& session = *static_cast<Session*>(user);
  const bool is_done = session.thrown == nullptr && body(session);
  if (!is_done && PyErr_Occurred() != nullptr) keep_exception(session);
  PyGILState_Release(state);
  return is_done ? 0 : 1;
}

// The session's memory as an object. Where there is none, it lies nowhere.
PyObject* memory_at(const void* bytes, Py_ssize_t count, int flags) {
  static char nowhere;
  return PyMemoryView_FromMemory(count == 0 ? &nowhere : static_cast<char*>(const_cast<void*>(bytes)), count, flags);
}

int number_of(PyObject* object, const char* name) {
  const Ref number(PyObject_GetAttrString(object, name));
  return number ? static_cast<int>(PyLong_AsLong(number.get())) : -1;
}

// The bytes of each rank, and all of them together. A list: mpi4py takes a tuple for counts and displacements. Null
// with an exception.
Ref list_of(const Session& session, const int* sizes, Py_ssize_t* total) {
  const int count = number_of(session.ranks, "size");
  Ref list(count < 0 ? nullptr : PyList_New(count));
  *total = 0;
  for (int i = 0; list && i < count; ++i) {
    PyObject* const size = PyLong_FromLong(sizes[i]);
    if (size == nullptr) return {};
    PyList_SET_ITEM(list.get(), i, size);
    *total += sizes[i];
  }
  return list;
}

bool gather(const Session& session, const void* mine, const int* sizes, void* all) {
  const int rank = number_of(session.ranks, "rank");
  Py_ssize_t total = 0;
  const Ref taken(list_of(session, sizes, &total));
  if (!taken || rank < 0) return false;
  const Ref from(memory_at(mine, sizes[rank], PyBUF_READ)), to(memory_at(all, total, PyBUF_WRITE));
  return from && to && Ref(PyObject_CallMethod(session.ranks, "all_gather", "OOO", from.get(), taken.get(), to.get()));
}

bool scatter(const Session& session, const void* mine, const int* given_sizes, void* all, const int* taken_sizes) {
  Py_ssize_t given_total = 0, taken_total = 0;
  const Ref given(list_of(session, given_sizes, &given_total)), taken(list_of(session, taken_sizes, &taken_total));
  if (!given || !taken) return false;
  const Ref from(memory_at(mine, given_total, PyBUF_READ)), to(memory_at(all, taken_total, PyBUF_WRITE));
  return from && to &&
         Ref(PyObject_CallMethod(session.ranks, "all_to_all", "OOOO", from.get(), given.get(), to.get(), taken.get()));
}

bool exchange(const Session& session, const void* mine, int bytes, int to, void* received, int received_bytes,
              int from) {
  const Ref sent(memory_at(mine, bytes, PyBUF_READ)), taken(memory_at(received, received_bytes, PyBUF_WRITE));
  return sent && taken &&
         Ref(PyObject_CallMethod(session.ranks, "exchange", "OiOi", sent.get(), to, taken.get(), from));
}

int start_all_gather(void* user, const void* mine, const int* sizes, void* all) {
  return with_gil(user, [&](Session& session) { return gather(session, mine, sizes, all); });
}

int start_all_to_all(void* user, const void* mine, const int* given, void* all, const int* taken) {
  return with_gil(user, [&](Session& session) { return scatter(session, mine, given, all, taken); });
}

int start_exchange(void* user, const void* mine, int bytes, int to, void* received, int received_bytes, int from) {
  return with_gil(user,
                  [&](Session& session) { return exchange(session, mine, bytes, to, received, received_bytes, from); });
}

int ask_complete(void* user, int* complete) {
  return with_gil(user, [&](Session& session) {
    const Ref answer(PyObject_CallMethod(session.ranks, "is_complete", nullptr));
    const int truth = answer ? PyObject_IsTrue(answer.get()) : -1;
    *complete = truth > 0 ? 1 : 0;
    return truth >= 0;
  });
}

}  // namespace

bool take_ranks(Session& session, PyObject* communicator, covec_ranks& ranks) {
  if (communicator == nullptr || communicator == Py_None) return true;
  const Ref helper(PyImport_ImportModule("covec._ranks"));
  Ref made(helper ? PyObject_CallMethod(helper.get(), "Ranks", "O", communicator) : nullptr);
  if (!made) return false;
  ranks.bytes = sizeof ranks;
  ranks.rank = number_of(made.get(), "rank");
  ranks.size = number_of(made.get(), "size");
  ranks.user = &session;
  ranks.all_gather = start_all_gather;
  ranks.all_to_all = start_all_to_all;
  ranks.exchange = start_exchange;
  ranks.is_complete = ask_complete;
  Py_XSETREF(session.ranks, made.release());
  return true;
}

void close_ranks(Session& session) {
  if (session.ranks == nullptr) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;  // of what may be raised already
  PyErr_Fetch(&type, &value, &traceback);
  const Ref ranks(std::exchange(session.ranks, nullptr));
  const Ref closed(PyObject_CallMethod(ranks.get(), "close", nullptr));
  if (!closed) PyErr_WriteUnraisable(ranks.get());
  PyErr_Restore(type, value, traceback);
}

}  // namespace covec::python
