// Errors as a host sees them: the report as text, and its parts as data.
#include "interpreter/host/calls.hpp"

#include <algorithm>

#include "frontend/source/messages.hpp"
#include "interpreter/eval/report/caught_errors.hpp"

namespace covec::embedding {

std::string visible(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\0')
      out += "\\0";
    else
      out += c;
  }
  return out;
}

namespace {

bool is_found_before_it_runs(std::string_view code) {
  return std::ranges::any_of(messages::message_keys, [&](const auto& row) { return row.key == code; });
}

}  // namespace

std::string_view kind_of(std::string_view code, ErrorKind kind, std::string_view of_program) {
  if (!of_program.empty()) return of_program;
  if (kind == ErrorKind::interrupted) return "interrupted";
  if (kind == ErrorKind::ended) return "exit";
  if (kind == ErrorKind::no_memory || CaughtErrors::is_limit(code)) return "limit";
  return is_found_before_it_runs(code) ? "syntax" : CaughtErrors::kind_of(code);
}

namespace {

covec_status set_last_error(covec_session* session, std::string_view kind, std::string_view message,
                            covec_status status) noexcept {
  try {
    if (session == nullptr) return status;
    session->error.clear();
    session->error.present = true;
    session->error.kind = visible(kind);
    session->error.message = visible(message);
    session->error.text = "error: " + session->error.message + "\n";
  } catch (...) {  // no memory for words: the status says enough
  }
  return status;
}

ErrorPosition place_of(const Session& run, Span span) {
  if (!span.known()) return {};
  const SourceFile& file = run.sources().file(span.file);
  const Position at = file.position(span.begin);
  return {visible(file.name()), at.line, at.column};
}

void store_rendered(covec_session* session, const CovecError& error) {
  const Session& run = *session->session;
  const Diagnostic& first = error.diagnostics.front();
  Error stored;
  stored.present = true;
  stored.text = visible(run.render(error));
  stored.message = visible(first.message);
  stored.kind = visible(kind_of(first.code, first.kind, first.program_kind));
  stored.hint = visible(first.hint);
  if (!first.labels.empty()) stored.place = place_of(run, first.labels.front().span);
  for (const CallFrame& call : first.stack) stored.calls.push_back({visible(call.function), place_of(run, call.site)});
  session->error = std::move(stored);
}

covec_status store(covec_session* session, const CovecError& error) noexcept {
  try {
    store_rendered(session, error);
  } catch (...) {
    set_last_error(session, "limit", "out of memory", COVEC_ERROR);
  }
  if (error.diagnostics.front().kind != ErrorKind::interrupted) return COVEC_ERROR;
  session->session->clear_interrupt();  // it has been answered
  return COVEC_INTERRUPTED;
}

}  // namespace

covec_status misuse(covec_session* session, std::string_view message) noexcept {
  return set_last_error(session, "misuse", message, COVEC_MISUSE);
}

covec_status refused(covec_session* session) noexcept {
  // The error belongs to the thread that runs.
  if (!session->guard.is_here()) return COVEC_MISUSE;
  return misuse(session, "the session is running: a function that it calls cannot do this");
}

covec_status wrong(covec_session* session, std::string_view kind, std::string_view message) noexcept {
  return set_last_error(session, kind, message, COVEC_ERROR);
}

covec_status store_current(covec_session* session) noexcept {
  try {
    throw;
  } catch (const CovecError& error) {
    return store(session, error);
  } catch (const OpError& error) {
    return wrong(session, kind_of(error.code, error.kind, error.program_kind), error.message);
  } catch (const std::bad_alloc&) {
    return wrong(session, "limit", "out of memory");
  } catch (const std::exception& error) {
    return wrong(session, "internal", error.what());
  } catch (...) {
    return wrong(session, "internal", "an exception of unknown type");
  }
}

namespace {

const ErrorCall* call_number(const covec_session* session, size_t index) {
  return session != nullptr && index < session->error.calls.size() ? &session->error.calls[index] : nullptr;
}

const char* text_in(const covec_session* session, std::string Error::*text) {
  return session == nullptr ? "" : (session->error.*text).c_str();
}

}  // namespace

}  // namespace covec::embedding

using namespace covec::embedding;

extern "C" {

const char* covec_error_text(const covec_session* session) { return text_in(session, &Error::text); }
const char* covec_error_message(const covec_session* session) { return text_in(session, &Error::message); }
const char* covec_error_kind(const covec_session* session) { return text_in(session, &Error::kind); }
const char* covec_error_hint(const covec_session* session) { return text_in(session, &Error::hint); }
const char* covec_error_file(const covec_session* session) {
  return session == nullptr ? "" : session->error.place.file.c_str();
}
unsigned covec_error_line(const covec_session* session) { return session == nullptr ? 0 : session->error.place.line; }
unsigned covec_error_column(const covec_session* session) {
  return session == nullptr ? 0 : session->error.place.column;
}

size_t covec_error_calls(const covec_session* session) { return session == nullptr ? 0 : session->error.calls.size(); }
const char* covec_error_call_function(const covec_session* session, size_t index) {
  const ErrorCall* call = call_number(session, index);
  return call == nullptr ? "" : call->function.c_str();
}
const char* covec_error_call_file(const covec_session* session, size_t index) {
  const ErrorCall* call = call_number(session, index);
  return call == nullptr ? "" : call->from.file.c_str();
}
unsigned covec_error_call_line(const covec_session* session, size_t index) {
  const ErrorCall* call = call_number(session, index);
  return call == nullptr ? 0 : call->from.line;
}
unsigned covec_error_call_column(const covec_session* session, size_t index) {
  const ErrorCall* call = call_number(session, index);
  return call == nullptr ? 0 : call->from.column;
}

}  // extern "C"
