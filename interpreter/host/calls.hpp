// Runs a function of covec.h alone in its session, with every failure as a status and a stored error. No exception
// passes. Start at `guarded`, which runs programs. `looking` does not run programs, is quicker, and is open to host
// functions that a program has called. `making` makes values.
#pragma once

#include <algorithm>

#include "interpreter/host/state.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/message.hpp"
#include "stdlib/value/visits.hpp"

namespace covec::embedding {

// As C text, which a zero byte would end.
std::string visible(std::string_view text);
// What covec_error_kind says of an error.
std::string_view kind_of(std::string_view code, ErrorKind kind, std::string_view of_program);

// The error that a session holds, and the status that goes with it.
covec_status misuse(covec_session* session, std::string_view message) noexcept;
covec_status wrong(covec_session* session, std::string_view kind, std::string_view message) noexcept;
// Of the exception that is being handled.
covec_status store_current(covec_session* session) noexcept;
// Of a call that may not enter.
covec_status refused(covec_session* session) noexcept;

// By whoever is inside.
template <class Body>
covec_status answered(covec_session* session, Body&& body) {
  session->error.clear();
  try {
    return body(*session->session);
  } catch (...) {
    return store_current(session);
  }
}

// With nobody else inside. The host's floating-point environment stays.
template <class Body>
covec_status alone(covec_session* session, Body&& body) {
  if (session == nullptr) return COVEC_MISUSE;
  if (!session->guard.enter()) return refused(session);
  const covec_status status = answered(session, body);
  session->leave();
  return status;
}

// The same for what changes nothing but handles: a function of the host's that the program has called may do it too.
template <class Body>
covec_status looking(covec_session* session, Body&& body) {
  if (session == nullptr) return COVEC_MISUSE;
  const bool entered = session->guard.enter();
  if (!entered && !session->is_in_callback()) [[unlikely]]
    return refused(session);
  const covec_status status = answered(session, body);
  if (entered) [[likely]]
    session->leave();
  return status;
}

// In the standard floating-point environment.
template <class Body>
auto computing(covec_session* session, Body&& body) {
  return [session, &body](Session& run) {
    const SessionGuard::Inside inside(session->guard);
    const covec_status status = body(run);
    if (status == COVEC_OK) session->error.clear();  // of calls that were refused meanwhile
    return status;
  };
}

// What runs programs or changes names.
template <class Body>
covec_status guarded(covec_session* session, Body&& body) {
  return alone(session, computing(session, body));
}

// A handle that is there before what it is for has been made: nothing fails afterwards.
class Reserved {
 public:
  explicit Reserved(covec_session& session) : session_(session), handle_(session.handles.take(session, {})) {}
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  ~Reserved() {
    if (handle_ != nullptr) session_.handles.put_back(handle_);
  }
  covec_value* keep(Value value) {
    handle_->value = std::move(value);
    return std::exchange(handle_, nullptr);
  }

 private:
  covec_session& session_;
  covec_value* handle_;
};

inline void give(covec_session* session, Value value, covec_value** out) {
  if (out != nullptr) *out = session->handles.take(*session, std::move(value));
}

inline bool belongs(const covec_session* session, const covec_value* value) {
  return value != nullptr && value->session == session;
}

inline bool all_belong(const covec_session* session, covec_value* const* values, size_t count) {
  return std::all_of(values, values + count, [&](const covec_value* value) { return belongs(session, value); });
}

// Makes a value, which counts as the session's memory.
template <class Body>
covec_status making(covec_session* session, covec_value** value, Body&& body) {
  if (value != nullptr) *value = nullptr;
  return looking(session, [&](Session& run) {
    if (value == nullptr) return misuse(session, "a null argument");
    const Memory::Use use(*run.context().pool);
    const Visits::Use visits(run.context());
    return body();
  });
}

}  // namespace covec::embedding
