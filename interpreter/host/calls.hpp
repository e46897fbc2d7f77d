// How a function of covec.h runs: alone in its session, on this side of the border, and with every failure as a status
// and a stored error. No exception passes. Start at guarded.
#pragma once

#include "interpreter/host/state.hpp"
#include "stdlib/value/error.hpp"

namespace covec::embedding {

// The error that a session holds, and the status that goes with it.
covec_status misuse(covec_session* session, std::string_view message) noexcept;
covec_status wrong(covec_session* session, std::string_view message) noexcept;
covec_status store(covec_session* session, const CovecError& error) noexcept;
// Of the exception that is being handled.
covec_status store_current(covec_session* session) noexcept;

inline constexpr std::string_view busy = "the session is running: this cannot be done from a function that it calls";

template <class Body>
covec_status guarded(covec_session* session, Body&& body) {
  if (session == nullptr) return COVEC_MISUSE;
  Border& border = *session->host->border;
  const Running running(border);
  if (running.nested()) return misuse(session, busy);
  if (!running.alone()) return COVEC_MISUSE;  // the error belongs to the thread that runs
  const Inside inside(border);
  session->error = {};
  try {
    const covec_status status = body(*session->host->session);
    if (status == COVEC_OK) session->error = {};  // of calls that were refused meanwhile
    return status;
  } catch (...) {
    return store_current(session);
  }
}

inline void give(covec_session* session, Value value, covec_value** out) {
  if (out != nullptr) *out = new covec_value{session->host, std::move(value), {}, {0}};
}

inline bool belongs(const covec_session* session, const covec_value* value) {
  return value != nullptr && value->host == session->host;
}

}  // namespace covec::embedding
