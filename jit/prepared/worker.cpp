#include "jit/prepared/worker.hpp"

#include <cstring>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/visits.hpp"

namespace covec::jit {

Worker::Worker(std::shared_ptr<const Prepared> prepared)
    : prepared_(std::move(prepared)),
      pool_(Pool::create(prepared_->memory_limit)),
      builder_(context_),
      host_(builder_) {
  if (prepared_->guarded) pool_->guard();
  context_.pool = pool_.get();
  context_.output = &output_;
  context_.interrupt = &interrupt_;
  context_.isa = prepared_->isa;
  const Memory::Use use(*pool_);
  copy_.emplace(*prepared_, *pool_);
  bindings_.emplace(*prepared_, copy_->plan());
  activation_.emplace(copy_->plan());
}

// Values go before the memory that they lie in.
Worker::~Worker() {
  const Memory::Use use(*pool_);
  activation_.reset();
  bindings_.reset();
  copy_.reset();
}

void Worker::bind_input(size_t number, const void* memory) {
  const Memory::Use use(*pool_);
  bindings_->bind_input(number, memory, *pool_);
}

void Worker::bind_output(size_t number, void* memory) {
  const Memory::Use use(*pool_);
  bindings_->bind_output(number, memory, *pool_);
}

namespace {

// Most numbers are f64.
inline Value number_at(Dtype dtype, const void* memory) {
  if (dtype != Dtype::f64) return Value::scalar(dtype, memory);
  double number;
  std::memcpy(&number, memory, sizeof number);
  return Value(number);
}

}  // namespace

// The header stays with the worker as well, and its memory is read-only: nothing is ever written there.
void Worker::put_in() {
  for (const PreparedCopy::Fixed& each : copy_->fixed()) activation_->put(each.slot, each.value);
  for (const Bindings::Input& input : bindings_->inputs()) {
    if (input.slot == loops::Step::nowhere) continue;
    activation_->put(input.slot, input.tensor.is_object() ? input.tensor : number_at(input.dtype, input.memory));
  }
}

std::optional<WorkerFailure> Worker::run(const char* (*stack_floor)()) {
  const Memory::Use use(*pool_);
  const Visits::Use visits(context_);
  interrupt_.store(false, std::memory_order_relaxed);
  struct Forget {
    runtime::Activation& activation;
    ~Forget() { activation.forget(); }
  } const forget{*activation_};
  try {
    if (copy_->recurses()) host_.set_stack_floor(stack_floor());
    put_in();
    activation_->run_kept(copy_->backend(), host_);
    ResultWriter(copy_->results(), *bindings_, *activation_).write(*pool_);
    return std::nullopt;
  } catch (const WorkerHost::Raised& raised) {
    return failure_of(*prepared_, raised);
  } catch (...) {
    return WorkerFailure{current_error(), nullptr};
  }
}

}  // namespace covec::jit
