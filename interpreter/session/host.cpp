// covec.h over Session. No exception passes a function of the C interface; every failure becomes a status and a stored
// error. A value holds its session's state alive, so that it may be released after covec_close.
#include <covec/covec.h>

#include <memory>
#include <string>

#include "interpreter/compiler.hpp"
#include "interpreter/session/session.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"

namespace {

using covec::Value;

class HostOutput : public covec::ops::Output {
 public:
  HostOutput(covec_output function, void* user) : function_(function), user_(user) {}
  void write(std::string_view text) override { function_(user_, COVEC_STDOUT, text.data(), text.size()); }
  void warn(std::string_view text) override { function_(user_, COVEC_STDERR, text.data(), text.size()); }

 private:
  covec_output function_;
  void* user_;
};

struct Error {
  std::string text;
  std::string message;
  unsigned line = 0;
};

struct Host {
  std::unique_ptr<HostOutput> output;
  std::unique_ptr<covec::Session> session;
};

}  // namespace

struct covec_session {
  std::shared_ptr<Host> host;
  Error error;
};

struct covec_value {
  std::shared_ptr<Host> host;  // declared before `value`: the value goes first
  Value value;
  std::string text;
  int64_t no_dims[1] = {0};
};

namespace {

covec_status misuse(covec_session* session, const char* message) {
  if (session != nullptr) session->error = {std::string("error: ") + message + "\n", message, 0};
  return COVEC_MISUSE;
}

covec_status store(covec_session* session, const covec::CovecError& error) {
  const covec::Diagnostic& first = error.diagnostics.front();
  session->error = {session->host->session->render(error), first.message, 0};
  if (!first.labels.empty() && first.labels.front().span.known()) {
    session->error.line = session->host->session->sources().position(first.labels.front().span).line;
  }
  return first.kind == covec::ErrorKind::interrupted ? COVEC_INTERRUPTED : COVEC_ERROR;
}

// Runs one call of the host's: clears the last error, and turns whatever is thrown into a status.
template <class Body>
covec_status guarded(covec_session* session, Body&& body) {
  if (session == nullptr) return COVEC_MISUSE;
  session->error = {};
  try {
    return body(*session->host->session);
  } catch (const covec::CovecError& error) {
    return store(session, error);
  } catch (const covec::OpError& error) {
    session->error = {"error: " + error.message + "\n", error.message, 0};
  } catch (const std::exception& error) {
    session->error = {std::string("error: ") + error.what() + "\n", error.what(), 0};
  }
  return COVEC_ERROR;
}

void give(covec_session* session, Value value, covec_value** out) {
  if (out != nullptr) *out = new covec_value{session->host, std::move(value), {}, {0}};
}

bool belongs(const covec_session* session, const covec_value* value) {
  return value != nullptr && value->host == session->host;
}

bool known(covec_dtype dtype) {
  return dtype == COVEC_BOOL || dtype == COVEC_I32 || dtype == COVEC_I64 || dtype == COVEC_F32 || dtype == COVEC_F64;
}

}  // namespace

extern "C" {

const char* covec_version(void) { return COVEC_VERSION; }

covec_session* covec_open(const covec_options* options) {
  try {
    auto host = std::make_shared<Host>();
    covec::SessionOptions chosen;
    chosen.use_environment = false;
    chosen.make_compiler = covec::make_compiler;
    if (options != nullptr) {
      chosen.memory_limit = options->memory_limit;
      chosen.threads = options->threads;
      if (options->output != nullptr) host->output = std::make_unique<HostOutput>(options->output, options->user);
      chosen.output = host->output.get();
    }
    host->session = std::make_unique<covec::Session>(std::move(chosen));
    return new covec_session{std::move(host), {}};
  } catch (...) {
    return nullptr;
  }
}

void covec_close(covec_session* session) { delete session; }

covec_status covec_run(covec_session* session, const char* name, const char* text, covec_value** result) {
  if (result != nullptr) *result = nullptr;
  if (text == nullptr) return misuse(session, "the text is null");
  return guarded(session, [&](covec::Session& run) {
    std::optional<Value> value = run.run_text(name == nullptr ? "host" : name, text);
    if (value) give(session, std::move(*value), result);
    return COVEC_OK;
  });
}

covec_status covec_run_file(covec_session* session, const char* path) {
  if (path == nullptr) return misuse(session, "the path is null");
  return guarded(session, [&](covec::Session& run) {
    run.run_file(path);
    return COVEC_OK;
  });
}

covec_status covec_get(covec_session* session, const char* name, covec_value** value) {
  if (name == nullptr || value == nullptr) return misuse(session, "a null argument");
  *value = nullptr;
  return guarded(session, [&](covec::Session& run) {
    const Value* found = run.find_global(name);
    if (found == nullptr) {
      const std::string message = std::string("unknown name '") + name + "'";
      session->error = {"error: " + message + "\n", message, 0};
      return COVEC_ERROR;
    }
    give(session, *found, value);
    return COVEC_OK;
  });
}

covec_status covec_set(covec_session* session, const char* name, covec_value* value) {
  if (session == nullptr || name == nullptr || !covec::is_identifier(name)) return misuse(session, "this is no name");
  if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
  return guarded(session, [&](covec::Session& run) {
    run.set_global(name, value->value);
    return COVEC_OK;
  });
}

covec_status covec_call(covec_session* session, covec_value* function, covec_value* const* arguments, size_t count,
                        covec_value** result) {
  if (result != nullptr) *result = nullptr;
  if (session == nullptr) return COVEC_MISUSE;
  if (!belongs(session, function)) return misuse(session, "the function is null or of another session");
  std::vector<Value> args;
  for (size_t i = 0; i < count; ++i) {
    if (!belongs(session, arguments[i])) return misuse(session, "an argument is null or of another session");
    args.push_back(arguments[i]->value);
  }
  return guarded(session, [&](covec::Session& run) {
    give(session, run.call(function->value, std::move(args)), result);
    return COVEC_OK;
  });
}

covec_status covec_lend(covec_session* session, covec_dtype dtype, unsigned rank, const int64_t* dims, const void* data,
                        void (*release)(void* owner), void* owner, covec_value** value) {
  if (session == nullptr || value == nullptr) return misuse(session, "a null argument");
  *value = nullptr;
  if (!known(dtype)) return misuse(session, "there is no such dtype");
  if (rank > 0 && dims == nullptr) return misuse(session, "the dimensions are null");
  return guarded(session, [&](covec::Session& run) {
    if (rank == 0) {
      if (data == nullptr) return misuse(session, "the data is null");
      give(session, Value::scalar(static_cast<covec::Dtype>(dtype), data), value);
      if (release != nullptr) release(owner);
      return COVEC_OK;
    }
    for (unsigned axis = 0; axis < rank; ++axis) {
      if (dims[axis] < 0) return misuse(session, "a dimension is negative");
    }
    const covec::Shape shape(dims, rank);
    if (data == nullptr && shape.elements() > 0) return misuse(session, "the data is null");
    covec::Pool& pool = *run.context().pool;
    give(session,
         covec::Tensor::lend(pool, static_cast<covec::Dtype>(dtype), shape, const_cast<void*>(data), true, release,
                             owner),
         value);
    return COVEC_OK;
  });
}

covec_status covec_look(covec_session* session, covec_value* value, covec_view* view) {
  if (view == nullptr || session == nullptr) return misuse(session, "a null argument");
  if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
  return guarded(session, [&](covec::Session&) {
    const Value& held = value->value;
    if (!held.is_numeric()) {
      const std::string message = "expected a tensor, got " + covec::describe(held);
      session->error = {"error: " + message + "\n", message, 0};
      return COVEC_ERROR;
    }
    view->dtype = static_cast<covec_dtype>(covec::dtype_of(held));
    view->rank = covec::rank_of(held);
    view->dims = held.is_scalar() ? value->no_dims : held.tensor().dims().data();
    view->strides = held.is_scalar() ? value->no_dims : held.tensor().strides().data();
    view->data = covec::data_of(held);
    return COVEC_OK;
  });
}

const char* covec_text(covec_value* value) {
  if (value == nullptr) return "none";
  try {
    value->text = value->host->session->text_of(value->value);
  } catch (...) {
    value->text = "?";
  }
  return value->text.c_str();
}

void covec_release(covec_value* value) { delete value; }

const char* covec_error_text(const covec_session* session) {
  return session == nullptr ? "" : session->error.text.c_str();
}
const char* covec_error_message(const covec_session* session) {
  return session == nullptr ? "" : session->error.message.c_str();
}
unsigned covec_error_line(const covec_session* session) { return session == nullptr ? 0 : session->error.line; }

void covec_interrupt(covec_session* session) {
  if (session != nullptr) session->host->session->interrupt();
}

}  // extern "C"
