// Calls of functions that call themselves. Recursion is a stack, and so are the frames: a plan keeps those of its open
// calls and some behind them. A frame is set up by the first call in it of a run, for all that follow in the same run;
// then a call moves its arguments into the frame's slots, runs the code and moves the results out. Start at
// Activation::invoke.
#include <algorithm>

#include "jit/loops/step_slots.hpp"
#include "jit/runtime/activation.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::runtime {

namespace {

constexpr size_t max_frames = 1024;  // that a plan keeps for the next run; chosen, not measured

// Slots of which the code says nothing but that they hold numbers are none of them.
std::vector<loops::SlotId> slots_of_objects(const loops::Plan& plan) {
  loops::StepSlots slots;
  for (const loops::Step& step : plan.steps) note_step(plan, step, slots);
  slots.changed.insert(plan.inputs.begin(), plan.inputs.end());
  for (const auto& [slot, value] : plan.constants) slots.changed.erase(slot);
  slots.changed.erase(loops::Step::nowhere);
  return {slots.changed.begin(), slots.changed.end()};
}

}  // namespace

// The memory of a call: its end is the end of what it holds.
class Activation::Frame {
 public:
  explicit Frame(const loops::Plan& plan) : frames_(plan.spare) {
    if (frames_.open == frames_.kept.size()) [[unlikely]]
      add(plan);
    activation_ = static_cast<Activation*>(frames_.kept[frames_.open++].get());
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() {
    activation_->slots_.forget(frames_.objects);
    if (--frames_.open >= max_frames) [[unlikely]]
      frames_.kept.pop_back();
  }
  Activation& activation() { return *activation_; }

  // For a run of `caller`.
  void set_up(const Activation& caller, const Backend& backend) {
    activation_->backend_ = backend;
    activation_->stacks_ = caller.stacks_;
    activation_->stacks = caller.stacks_->numbers();
    activation_->set_up(*caller.host_);
    activation_->run_ = caller.run_;
  }
  // The slot holds no object. What needs nothing but to be copied is passed without more ado.
  void pass(const loops::Operand& argument, Activation& caller, loops::SlotId input) {
    Value& to = activation_->slots[input];
    if (argument.kind != loops::Operand::Kind::slot) [[unlikely]]
      return activation_->slots_.give(input, caller.slots_.taken(argument));
    Value& from = caller.slots[argument.slot];
    if (!from.is_object()) {
      new (&to) Value(from);
      return;
    }
    if (argument.last)
      new (&to) Value(std::move(from));
    else
      new (&to) Value(from);
    if (to.is_tensor() && to.tensor().on_device()) bring_to_host(activation_->plan_, input, to);
  }
  // A call from outside begins with the routine. The function's own calls do without: it has failed.
  void allow_routine(bool from_outside) {
    Activation& callee = *activation_;
    callee.slots_[*callee.plan_.from_outside] = Value(from_outside);
    callee.failed = 0;
    const size_t bytes = callee.plan_.program.routine->stack_bytes();
    if (from_outside) callee.calls = std::min(callee.calls_left_, callee.host_->calls_left(bytes));
  }

 private:
  void add(const loops::Plan& plan) {
    if (frames_.kept.empty()) frames_.objects = slots_of_objects(plan);
    frames_.kept.push_back(std::make_unique<Activation>(plan));
  }

  loops::Spares& frames_;
  Activation* activation_;
};

// Where there may be too many calls the interpreter makes the whole call again, and says so.
void Activation::invoke(const loops::Step& step, const Function& function) {
  constexpr size_t stack_bytes = 4096;  // more than one call takes of the machine's stack
  if (interrupt->load(std::memory_order_relaxed)) [[unlikely]]
    kernels::poll_interrupt(host_->eager().context());
  if (calls_left_ == unknown) [[unlikely]]
    calls_left_ = host_->calls_left(stack_bytes);
  if (calls_left_ <= static_cast<int64_t>(plan_.frames_inside)) [[unlikely]]
    host_->replay(Host::Again::too_deep);
  const loops::Plan& plan = *function.plan;
  Frame frame(plan);
  Activation& callee = frame.activation();
  if (callee.run_ != run_) [[unlikely]]
    frame.set_up(*this, *function.backend);
  const loops::Operand* argument = step.operands.data();
  callee.calls_left_ = calls_left_ - argument->value.i64();
  for (const loops::SlotId input : plan.inputs) frame.pass(*++argument, *this, input);
  slots_.drop(step);
  if (plan.from_outside) frame.allow_routine(&plan != &plan_);
  callee.run_code();
  const loops::Operand* result = plan.results.data();
  for (const loops::SlotId to : step.results) {
    const bool from_slot = result->kind == loops::Operand::Kind::slot && to != loops::Step::nowhere;
    if (from_slot && callee.slots[result->slot].is_scalar() && !slots[to].is_object())
      new (&slots[to]) Value(callee.slots[result->slot]);
    else
      slots_.give(to, callee.slots_.taken(*result));
    ++result;
  }
}

}  // namespace covec::runtime
