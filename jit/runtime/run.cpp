#include "jit/runtime/run.hpp"

#include <chrono>

#include "jit/device/operators.hpp"
#include "jit/runtime/activation.hpp"
#include "jit/runtime/code_parts.hpp"
#include "jit/runtime/host_steps.hpp"
#include "jit/runtime/meter.hpp"
#include "stdlib/ops/random/ahead.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::runtime {

namespace {

constinit const std::atomic<bool> quiet = false;  // for sessions that are never interrupted
constexpr size_t max_spare = 4;                   // calls' memory that a plan keeps

std::atomic<uint64_t> last_run = 0;

}  // namespace

Lease::Lease(const loops::Plan& plan) : plan_(plan) {
  if (plan.spare.kept.capacity() < max_spare) plan.spare.kept.reserve(max_spare);
  if (plan.spare.kept.empty()) {
    activation_ = std::make_unique<Activation>(plan);
  } else {
    activation_.reset(static_cast<Activation*>(plan.spare.kept.back().release()));
    plan.spare.kept.pop_back();
  }
}

Lease::~Lease() {
  activation_->forget();
  if (plan_.spare.kept.size() < max_spare) plan_.spare.kept.push_back(std::move(activation_));
}

Activation::Activation(const loops::Plan& plan) : plan_(plan), slots_(plan) {
  if (!plan.graph->is_function) own_stacks_.resize(plan.number_stacks, plan.value_stacks);
  poll = on_step;
  slots = slots_.all().data();
  stacks = own_stacks_.numbers();
}

void Activation::start(const Backend& backend, Host& host, std::span<Value> inputs) {
  if (inputs.size() != plan_.inputs.size()) throw std::logic_error("an input of compiled code is missing");
  backend_ = backend;
  for (size_t i = 0; i < inputs.size(); ++i) slots_.give(plan_.inputs[i], std::move(inputs[i]));
  enter(host);
}

void Activation::enter(Host& host) {
  set_up(host);
  if (backend_.functions != nullptr) run_number = last_run.fetch_add(1, std::memory_order_relaxed) + 1;
  run_code();
}

// What stays as it is for all calls that a function makes of itself.
void Activation::set_up(Host& host) {
  host_ = &host;
  if (backend_.cells > cells_.size()) [[unlikely]] {
    cells_.resize(backend_.cells);
    cells = cells_.data();
  }
  step = backend_.meter == nullptr ? on_step : on_measured_step;
  if (host.eager().context().activities != nullptr) [[unlikely]]
    step = on_profiled_step;
  interrupt = host.eager().context().interrupt;
  if (interrupt == nullptr) interrupt = &quiet;
  if (plan_.draws) {
    random = &host.eager().context().random;
    drawn = &ops::drawn_ahead(host.eager().context());
  }
  if (plan_.program.routine) [[unlikely]]
    calls = host.calls_left(plan_.program.routine->stack_bytes());
}

void Activation::run_code() {
  if (ops::Activities* const activities = host_->eager().context().activities) [[unlikely]]
    return run_profiled(*activities);
  run_unprofiled();
}

// Code that calls itself is one activity.
void Activation::run_profiled(ops::Activities& activities) {
  const void* const id = activities.id_of(plan_.graph, [this] { return parts_of(plan_); });
  const ops::Activity* const before = activities.innermost();
  if (before != nullptr && before->what == id && before->frame == activities.frame()) return run_unprofiled();
  if (backend_.placed != nullptr && backend_.placed->places.empty()) {
    const ops::ActivityScope compiling(&activities, ops::Activity::Kind::compiling, nullptr);
    backend_.placed->know_places();
  }
  ops::ActivityScope scope(&activities, ops::Activity::Kind::code, id);
  scope.activity().placed = backend_.placed;
  run_unprofiled();
}

void Activation::run_unprofiled() {
  const auto run = [&] {
    if (backend_.code(this) != 0) std::rethrow_exception(std::exchange(error_, nullptr));
  };
  if (backend_.device != nullptr) [[unlikely]] {
    const OffloadScope offload(host_->eager().context(), *backend_.device);
    return run();
  }
  if (backend_.meter == nullptr) [[likely]]
    return run();
  using Clock = std::chrono::steady_clock;
  loop_times = backend_.meter->loops();
  loop = 0;
  const Clock::time_point begin = Clock::now();
  run();
  if (loop != 0) backend_.meter->end_loop(loop - 1, loop_began);
  backend_.meter->add_call(std::chrono::duration<double>(Clock::now() - begin).count());
}

Value Activation::run(const Backend& backend, Host& host, std::span<Value> inputs) {
  start(backend, host, inputs);
  return slots_.taken(plan_.result);
}

Value Activation::run_to_pause(const Backend& backend, Host& host, std::span<Value> inputs) {
  slots_[plan_.goes_on] = Value(false);
  start(backend, host, inputs);
  return std::exchange(paused_, Value());
}

Value Activation::go_on(Host& host, std::span<Value> inputs) {
  slots_[plan_.goes_on] = Value(true);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const loops::Plan::Given& given = plan_.given[i];
    slots_.give(given.slot, inputs[i].is_none() ? Value(given.absent) : std::move(inputs[i]));
  }
  enter(host);
  return slots_.taken(plan_.result);
}

// Nothing of a call outlives it but memory.
void Activation::forget() {
  slots_.forget();
  calls_left = -1;
  if (!own_stacks_.empty()) own_stacks_.forget();
}

int32_t Activation::on_step(loops::ActivationRecord* record, uint32_t index) noexcept {
  Activation& activation = *static_cast<Activation*>(record);
  const loops::Step& step = activation.plan_.steps[index];
  try {
    // At once what takes less time than to find out what it is.
    if (const auto* const invoke = step.get_if<loops::step::Invoke>())
      activation.invoke(step, activation.backend_.functions[invoke->function]);
    else if (step.is<loops::step::Drop>())
      activation.slots_.drop(step);
    else
      activation.perform(step);
    return 0;
  } catch (...) {
    activation.keep_error(activation.plan_.steps[index]);
    return 1;
  }
}

int32_t Activation::on_measured_step(loops::ActivationRecord* record, uint32_t index) noexcept {
  Activation& activation = *static_cast<Activation*>(record);
  try {
    activation.measure(index);
    return 0;
  } catch (...) {
    activation.keep_error(activation.plan_.steps[index]);
    return 1;
  }
}

int32_t Activation::on_profiled_step(loops::ActivationRecord* record, uint32_t index) noexcept {
  Activation& activation = *static_cast<Activation*>(record);
  ops::Activity* const now = activation.host_->eager().context().activities->innermost();
  const loops::Step& step = activation.plan_.steps[index];
  const bool is_own = now != nullptr && now->what == activation.plan_.graph.get() && is_told(step);
  const uint32_t before = is_own ? std::exchange(now->step, index) : 0;
  if (is_own) now->by_step = !step.is<loops::step::RunLaneLoop>();
  const int32_t status = (activation.backend_.meter == nullptr ? on_step : on_measured_step)(record, index);
  if (is_own) now->step = before;
  return status;
}

void Activation::measure(uint32_t index) {
  using Clock = std::chrono::steady_clock;
  const loops::Step& step = plan_.steps[index];
  if (!is_measured(step, slots_.all())) return perform(step);
  Sample sample{.work = work_before(plan_, step, slots_.all())};
  const Clock::time_point begin = Clock::now();
  perform(step);
  sample.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (add_work_after(plan_, step, slots_.all(), sample.work)) backend_.meter->add(index, sample, loop);
}

Paused::Paused(const loops::Plan& plan, const Backend& backend, Host& host, std::span<Value> inputs, Value& given)
    : lease_(plan) {
  given = lease_.activation().run_to_pause(backend, host, inputs);
}

Value Paused::go_on(Host& host, std::span<Value> inputs) { return lease_.activation().go_on(host, inputs); }

namespace {

// A function that is one operator (Plan::one_step): there is nothing that code could add.
Value run_step(const loops::Plan& plan, Host& host, std::span<Value> inputs) {
  const loops::Step& step = plan.steps[0];
  SmallVector<Value, 8> values(step.operands.size());
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const loops::Operand& operand = step.operands[i];
    if (operand.kind == loops::Operand::Kind::constant) {
      values[i] = operand.value;
    } else {
      Value& input = inputs[operand.slot];
      values[i] = operand.last ? std::move(input) : input;
    }
  }
  for (const loops::SlotId slot : step.drops) inputs[slot] = Value();
  const std::span<Value> all = span_of(values);
  return apply_at(plan, host, step.place, std::get<loops::step::Apply>(step.action).op, all);
}

}  // namespace

Value run(const loops::Plan& plan, const Backend& backend, Host& host, std::span<Value> inputs) {
  const bool is_watched = backend.meter != nullptr || host.eager().context().activities != nullptr;
  if (plan.one_step && backend.device == nullptr && !is_watched) return run_step(plan, host, inputs);
  Lease lease(plan);
  return lease.activation().run(backend, host, inputs);
}

}  // namespace covec::runtime
