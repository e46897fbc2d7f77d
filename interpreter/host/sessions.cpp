// covec.h: sessions, texts, names, memory.
#include <covec/covec.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "interpreter/compiler.hpp"
#include "interpreter/host/calls.hpp"
#include "interpreter/host/known_fields.hpp"
#include "interpreter/host/output.hpp"
#include "interpreter/host/permissions.hpp"
#include "interpreter/host/ranks.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::embedding {

namespace {

// Those that hosts of version 0.4 know.
constexpr size_t first_options = offsetof(covec_options, use_environment) + sizeof(covec_options::use_environment);

std::unique_ptr<covec_session> make_session(const covec_options& options, bool is_trusted) {
  auto made = std::make_unique<covec_session>();
  const SessionGuard::Inside inside(made->guard);
  SessionOptions chosen;
  chosen.make_compiler = make_compiler;
  chosen.memory_limit = options.memory_limit;
  chosen.threads = options.threads;
  chosen.use_environment = options.use_environment != 0;
  if (options.output != nullptr || options.show != nullptr)
    made->output = std::make_unique<HostOutput>(*made, options.output, options.show, options.user);
  chosen.output = made->output.get();
  limit(options, *made, chosen);
  made->ranks = ranks_of(options, made->guard, made->output.get());
  if (made->ranks) made->ranks->version = COVEC_VERSION;
  join(made->ranks.get(), chosen);
  if (!is_trusted) chosen.gate = gate_for(options);
  made->session = std::make_unique<Session>(std::move(chosen));
  return made;
}

covec_session* open_session(const covec_options* options, size_t bytes, bool is_trusted) {
  try {
    const std::optional<covec_options> known = known_fields(options, bytes);
    return known ? make_session(*known, is_trusted).release() : nullptr;
  } catch (const std::system_error& error) {
    errno = error.code().value();
    return nullptr;
  } catch (...) {
    return nullptr;
  }
}

}  // namespace

}  // namespace covec::embedding

using namespace covec::embedding;
using covec::Value;

extern "C" {

const char* covec_version(void) { return COVEC_VERSION; }

covec_session* covec_open_sized(const covec_options* options, size_t bytes) {
  return open_session(options, bytes, true);
}

covec_session* covec_open_untrusted_sized(const covec_options* options, size_t bytes) {
  return open_session(options, bytes, false);
}

covec_session*(covec_open)(const covec_options* options) { return covec_open_sized(options, first_options); }

covec_status covec_close(covec_session* session) {
  if (session == nullptr) return COVEC_OK;
  if (!session->guard.enter()) return refused(session);
  session->is_closed.store(true);
  {  // what a name holds may hold the session: memory that is shared with it
    const covec::embedding::SessionGuard::Inside inside(session->guard);
    session->session->reset();
  }
  session->leave();
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

covec_status covec_define(covec_session* session, const char* name, const char* text, covec_value** function) {
  if (function != nullptr) *function = nullptr;
  return guarded(session, [&](covec::Session& run) {
    if (text == nullptr || function == nullptr) return misuse(session, "a null argument");
    give(session, run.run_enclosed(name == nullptr ? "host" : name, text), function);
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
    if (found == nullptr) return wrong(session, "key", std::string("unknown name '") + name + "'");
    give(session, *found, value);
    return COVEC_OK;
  });
}

covec_status covec_set(covec_session* session, const char* name, covec_value* value) {
  return guarded(session, [&](covec::Session& run) {
    if (name == nullptr || !covec::is_variable_name(name)) return misuse(session, "this is not the name of a variable");
    if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
    run.set_global(name, value->value);
    return COVEC_OK;
  });
}

covec_status covec_names(covec_session* session, covec_value** names) {
  if (names != nullptr) *names = nullptr;
  return guarded(session, [&](covec::Session& run) {
    if (names == nullptr) return misuse(session, "a null argument");
    const covec::Memory::Use use(*run.context().pool);
    std::vector<Value> list;
    for (const std::string_view name : run.global_names()) list.push_back(covec::make_string(std::string(name)));
    give(session, covec::make_list(std::move(list)), names);
    return COVEC_OK;
  });
}

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
  if (session != nullptr) session->session->interrupt();
}

void covec_interrupt_next(covec_session* session) {
  if (session != nullptr) session->session->interrupt_next();
}

}  // extern "C"
