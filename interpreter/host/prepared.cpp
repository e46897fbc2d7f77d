// covec.h: prepared calls. Neither they nor their workers belong to a session.
#include <covec/covec.h>

#include <atomic>

#include "interpreter/host/calls.hpp"
#include "interpreter/session/stack.hpp"
#include "jit/compiler/prepare.hpp"
#include "jit/prepared/worker.hpp"
#include "stdlib/value/floating_state.hpp"

struct covec_prepared {
  std::shared_ptr<const covec::jit::Prepared> made;
};

struct covec_worker {
  explicit covec_worker(std::shared_ptr<const covec::jit::Prepared> prepared) : worker(std::move(prepared)) {}
  covec::jit::Worker worker;
  std::atomic<bool> busy{false};
  bool failed = false;  // there is an error
  std::string kind, message;
  covec::jit::SourcePosition place;
};

namespace covec::embedding {

namespace {

jit::SourcePosition place_in(const Session& run, Span span) {
  if (!span.known()) return {};
  const SourceFile& file = run.sources().file(span.file);
  const Position at = file.position(span.begin);
  return {visible(file.name()), at.line, at.column};
}

covec_status tell(const std::vector<jit::FixedType>& types, size_t index, covec_type* type) {
  if (index >= types.size() || type == nullptr) return COVEC_MISUSE;
  const jit::FixedType& found = types[index];
  *type = {static_cast<covec_dtype>(found.dtype), static_cast<unsigned>(found.extents.size()), found.extents.data(),
           found.bytes()};
  return COVEC_OK;
}

// --- workers ---

// One call of a worker's functions at a time.
class Busy {
 public:
  explicit Busy(covec_worker* worker) : worker_(worker) {
    entered_ = worker != nullptr && !worker->busy.exchange(true, std::memory_order_acquire);
    if (entered_ && worker->failed) forget_error();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() {
    if (entered_) worker_->busy.store(false, std::memory_order_release);
  }
  bool entered() const { return entered_; }
  void stay() { entered_ = false; }

 private:
  [[gnu::cold]] void forget_error() {
    worker_->failed = false;
    worker_->kind.clear();
    worker_->message.clear();
    worker_->place = {};
  }
  covec_worker* const worker_;
  bool entered_;
};

[[gnu::cold]] covec_status fail_worker(covec_worker& worker, std::string_view kind, std::string_view message,
                                       covec_status status) noexcept {
  try {
    worker.failed = true;
    worker.kind = kind;
    worker.message = visible(message);
  } catch (...) {  // no memory for words: the status says enough
  }
  return status;
}

[[gnu::cold]] covec_status misused(covec_worker& worker, std::string_view message) noexcept {
  return fail_worker(worker, "misuse", message, COVEC_MISUSE);
}

[[gnu::cold]] covec_status store_failure(covec_worker& worker, const jit::WorkerFailure& failure) noexcept {
  try {
    if (const jit::SourcePosition* place = failure.place()) worker.place = *place;
    const OpError& error = failure.error;
    const covec_status status = error.kind == ErrorKind::interrupted ? COVEC_INTERRUPTED : COVEC_ERROR;
    return fail_worker(worker, visible(kind_of(error.code, error.kind, error.program_kind)), failure.message(), status);
  } catch (...) {
    return fail_worker(worker, "limit", "out of memory", COVEC_ERROR);
  }
}

template <class Bind>
covec_status bind_place(covec_worker* worker, const std::vector<jit::FixedType>& types, size_t index,
                        const void* memory, Bind&& to) {
  const Busy busy(worker);
  if (!busy.entered()) return COVEC_MISUSE;
  if (index >= types.size()) return misused(*worker, "there is no such input or output");
  const jit::FixedType& type = types[index];
  if (memory == nullptr && type.elements() != 0) return misused(*worker, "the memory is null");
  if (reinterpret_cast<uintptr_t>(memory) % size_of(type.dtype) != 0)
    return misused(*worker, "the memory is not aligned as its dtype");
  try {
    to();
    return COVEC_OK;
  } catch (...) {
    return fail_worker(*worker, "limit", "out of memory", COVEC_ERROR);
  }
}

covec_status run_worker(covec_worker& worker) {
  if (const char* why = worker.worker.why_not_ready()) return misused(worker, why);
  FloatingState outside;
  outside.read();
  if (!outside.is_standard()) FloatingState().set();
  const std::optional<jit::WorkerFailure> failure = worker.worker.run(stack_floor);
  outside.put_back();
  return failure ? store_failure(worker, *failure) : COVEC_OK;
}

}  // namespace

}  // namespace covec::embedding

using namespace covec::embedding;

extern "C" {

covec_status covec_prepare(covec_session* session, covec_value* function, const char* types,
                           covec_prepared** prepared) {
  if (prepared != nullptr) *prepared = nullptr;
  return guarded(session, [&](covec::Session& run) {
    if (prepared == nullptr) return misuse(session, "a null argument");
    if (!belongs(session, function)) return misuse(session, "the function is null or of another session");
    if (!function->value.is(covec::ObjectKind::function))
      return wrong(session, "type", "expected a function, got " + covec::describe(function->value));
    auto handle = std::make_unique<covec_prepared>();
    run.within([&] {
      handle->made = covec::jit::prepare(*run.context().compiler, function->value, types == nullptr ? "" : types,
                                         [&](covec::Span span) { return place_in(run, span); });
    });
    *prepared = handle.release();
    return COVEC_OK;
  });
}

void covec_prepared_release(covec_prepared* prepared) { delete prepared; }

size_t covec_prepared_inputs(const covec_prepared* prepared) {
  return prepared == nullptr ? 0 : prepared->made->inputs.size();
}

size_t covec_prepared_outputs(const covec_prepared* prepared) {
  return prepared == nullptr ? 0 : prepared->made->outputs.size();
}

covec_status covec_prepared_input(const covec_prepared* prepared, size_t index, covec_type* type) {
  return prepared == nullptr ? COVEC_MISUSE : tell(prepared->made->inputs, index, type);
}

covec_status covec_prepared_output(const covec_prepared* prepared, size_t index, covec_type* type) {
  return prepared == nullptr ? COVEC_MISUSE : tell(prepared->made->outputs, index, type);
}

covec_status covec_worker_open(const covec_prepared* prepared, covec_worker** worker) {
  if (worker != nullptr) *worker = nullptr;
  if (prepared == nullptr || worker == nullptr) return COVEC_MISUSE;
  try {
    *worker = new covec_worker(prepared->made);
    return COVEC_OK;
  } catch (...) {
    return COVEC_ERROR;
  }
}

covec_status covec_worker_close(covec_worker* worker) {
  if (worker == nullptr) return COVEC_OK;
  Busy busy(worker);
  if (!busy.entered()) return COVEC_MISUSE;
  busy.stay();
  delete worker;
  return COVEC_OK;
}

covec_status covec_worker_bind_input(covec_worker* worker, size_t index, const void* memory) {
  if (worker == nullptr) return COVEC_MISUSE;
  return bind_place(worker, worker->worker.prepared().inputs, index, memory,
                    [&] { worker->worker.bind_input(index, memory); });
}

covec_status covec_worker_bind_output(covec_worker* worker, size_t index, void* memory) {
  if (worker == nullptr) return COVEC_MISUSE;
  return bind_place(worker, worker->worker.prepared().outputs, index, memory,
                    [&] { worker->worker.bind_output(index, memory); });
}

covec_status covec_worker_run(covec_worker* worker) {
  const Busy busy(worker);
  return busy.entered() ? run_worker(*worker) : COVEC_MISUSE;
}

void covec_worker_interrupt(covec_worker* worker) {
  if (worker != nullptr) worker->worker.interrupt();
}

const char* covec_worker_error_kind(const covec_worker* worker) {
  return worker == nullptr ? "" : worker->kind.c_str();
}
const char* covec_worker_error_message(const covec_worker* worker) {
  return worker == nullptr ? "" : worker->message.c_str();
}
const char* covec_worker_error_file(const covec_worker* worker) {
  return worker == nullptr ? "" : worker->place.file.c_str();
}
unsigned covec_worker_error_line(const covec_worker* worker) { return worker == nullptr ? 0 : worker->place.line; }
unsigned covec_worker_error_column(const covec_worker* worker) { return worker == nullptr ? 0 : worker->place.column; }

}  // extern "C"
