// Errors as a host sees them.
#include "interpreter/host/calls.hpp"

namespace covec::embedding {

namespace {

// As C text, which a zero byte would end.
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

covec_status remember(covec_session* session, std::string_view message, covec_status status) noexcept {
  try {
    if (session != nullptr) session->error = {visible("error: " + std::string(message) + "\n"), visible(message), 0};
  } catch (...) {  // no memory for words: the status says enough
  }
  return status;
}

void store_rendered(covec_session* session, const CovecError& error) {
  const Session& run = *session->host->session;
  const Diagnostic& first = error.diagnostics.front();
  session->error = {visible(run.render(error)), visible(first.message), 0};
  if (!first.labels.empty() && first.labels.front().span.known()) {
    session->error.line = run.sources().position(first.labels.front().span).line;
  }
}

}  // namespace

covec_status misuse(covec_session* session, std::string_view message) noexcept {
  return remember(session, message, COVEC_MISUSE);
}

covec_status wrong(covec_session* session, std::string_view message) noexcept {
  return remember(session, message, COVEC_ERROR);
}

covec_status store(covec_session* session, const CovecError& error) noexcept {
  try {
    store_rendered(session, error);
  } catch (...) {
    remember(session, "out of memory", COVEC_ERROR);
  }
  if (error.diagnostics.front().kind != ErrorKind::interrupted) return COVEC_ERROR;
  session->host->session->clear_interrupt();  // it has been answered
  return COVEC_INTERRUPTED;
}

covec_status store_current(covec_session* session) noexcept {
  try {
    throw;
  } catch (const CovecError& error) {
    return store(session, error);
  } catch (const OpError& error) {
    return wrong(session, error.message);
  } catch (const std::bad_alloc&) {
    return wrong(session, "out of memory");
  } catch (const std::exception& error) {
    return wrong(session, error.what());
  } catch (...) {
    return wrong(session, "an exception of unknown type");
  }
}

}  // namespace covec::embedding
