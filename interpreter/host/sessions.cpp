// covec.h: sessions, texts, names, calls, memory. A value holds its session's state alive, so that it may be released
// after covec_close.
#include <covec/covec.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>

#include "interpreter/compiler.hpp"
#include "interpreter/host/calls.hpp"
#include "interpreter/host/output.hpp"
#include "interpreter/host/permissions.hpp"
#include "stdlib/tensor/pool.hpp"

namespace covec::embedding {

Host::Host() = default;
Host::~Host() = default;

namespace {

std::shared_ptr<Host> make_host(const covec_options* options, bool is_trusted) {
  auto host = std::make_shared<Host>();
  const Inside inside(*host->border);
  SessionOptions chosen;
  chosen.use_environment = false;
  chosen.make_compiler = make_compiler;
  if (options != nullptr) {
    chosen.memory_limit = options->memory_limit;
    chosen.threads = options->threads;
    chosen.use_environment = options->use_environment != 0;
    if (options->output != nullptr)
      host->output = std::make_unique<HostOutput>(*host->border, options->output, options->user);
    chosen.output = host->output.get();
    limit(*options, *host, chosen);
  }
  if (!is_trusted) chosen.gate = gate_for(options);
  host->session = std::make_unique<Session>(std::move(chosen));
  return host;
}

}  // namespace

}  // namespace covec::embedding

using namespace covec::embedding;
using covec::Value;

extern "C" {

const char* covec_version(void) { return COVEC_VERSION; }

covec_session* covec_open(const covec_options* options) {
  try {
    return new covec_session{make_host(options, true), {}};
  } catch (...) {
    return nullptr;
  }
}

covec_session* covec_open_untrusted_sized(const covec_options* options, size_t bytes) {
  try {
    covec_options known{};
    if (options != nullptr) std::memcpy(&known, options, std::min(bytes, sizeof known));
    return new covec_session{make_host(&known, false), {}};
  } catch (const std::system_error& error) {
    errno = error.code().value();
    return nullptr;
  } catch (...) {
    return nullptr;
  }
}

covec_status covec_close(covec_session* session) {
  if (session == nullptr) return COVEC_OK;
  const std::shared_ptr<Border> border = session->host->border;
  const Running running(*border);
  if (running.nested()) return misuse(session, busy);
  if (!running.alone()) return COVEC_MISUSE;
  const Inside inside(*border);
  delete session;
  return COVEC_OK;
}

covec_status covec_run(covec_session* session, const char* name, const char* text, covec_value** result) {
  if (result != nullptr) *result = nullptr;
  return guarded(session, [&](covec::Session& run) {
    if (text == nullptr) return misuse(session, "the text is null");
    std::optional<Value> value = run.run_text(name == nullptr ? "host" : name, text);
    if (value) give(session, std::move(*value), result);
    return COVEC_OK;
  });
}

covec_status covec_run_file(covec_session* session, const char* path) {
  return guarded(session, [&](covec::Session& run) {
    if (path == nullptr) return misuse(session, "the path is null");
    run.run_file(path);
    return COVEC_OK;
  });
}

covec_status covec_get(covec_session* session, const char* name, covec_value** value) {
  if (value != nullptr) *value = nullptr;
  return guarded(session, [&](covec::Session& run) {
    if (name == nullptr || value == nullptr) return misuse(session, "a null argument");
    const Value* found = run.find_global(name);
    if (found == nullptr) return wrong(session, std::string("unknown name '") + name + "'");
    give(session, *found, value);
    return COVEC_OK;
  });
}

covec_status covec_set(covec_session* session, const char* name, covec_value* value) {
  return guarded(session, [&](covec::Session& run) {
    if (name == nullptr || !covec::is_variable_name(name)) return misuse(session, "this is no name of a variable");
    if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
    run.set_global(name, value->value);
    return COVEC_OK;
  });
}

covec_status covec_call(covec_session* session, covec_value* function, covec_value* const* arguments, size_t count,
                        covec_value** result) {
  if (result != nullptr) *result = nullptr;
  return guarded(session, [&](covec::Session& run) {
    if (!belongs(session, function)) return misuse(session, "the function is null or of another session");
    if (arguments == nullptr && count > 0) return misuse(session, "the arguments are null");
    std::vector<Value> args;
    for (size_t i = 0; i < count; ++i) {
      if (!belongs(session, arguments[i])) return misuse(session, "an argument is null or of another session");
      args.push_back(arguments[i]->value);
    }
    give(session, run.call(function->value, std::move(args)), result);
    return COVEC_OK;
  });
}

const char* covec_error_text(const covec_session* session) {
  return session == nullptr ? "" : session->error.text.c_str();
}
const char* covec_error_message(const covec_session* session) {
  return session == nullptr ? "" : session->error.message.c_str();
}
unsigned covec_error_line(const covec_session* session) { return session == nullptr ? 0 : session->error.line; }

covec_status covec_memory(covec_session* session, covec_account* account) {
  return guarded(session, [&](covec::Session& inner) {
    if (account == nullptr) return misuse(session, "the account is null");
    const covec::MemoryAccount& now = inner.context().pool->account();
    *account = {now.used, now.peak, now.limit, now.allocations};
    return COVEC_OK;
  });
}

covec_status covec_reset_peak(covec_session* session) {
  return guarded(session, [&](covec::Session& inner) {
    inner.context().pool->reset_peak();
    return COVEC_OK;
  });
}

void covec_interrupt(covec_session* session) {
  if (session != nullptr) session->host->session->interrupt();
}

void covec_interrupt_next(covec_session* session) {
  if (session != nullptr) session->host->session->interrupt_next();
}

}  // extern "C"
