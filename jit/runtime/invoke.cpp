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

constexpr size_t max_frames = 1024;  // that a plan keeps for the next run

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
    activation_->run_number = caller.run_number;
    activation_->open = &frames_.open;
    activation_->deeper = nullptr;
  }
  // From now on the caller's code makes its own calls by itself. Frames that a plan does not keep are no such ones, and
  // what is measured is told here.
  void show_to(Activation& caller) {
    if (frames_.open <= max_frames && caller.backend_.device == nullptr && caller.backend_.meter == nullptr)
      caller.deeper = activation_;
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
    if (from_outside) callee.calls = std::min(callee.calls_left, callee.host_->calls_left(bytes));
  }

  // Of a call that the code has made by itself: what it has left, or what has gone wrong in it.
  static void end(Activation& callee, Activation& caller) {
    callee.slots_.forget(callee.plan_.spare.objects);
    if (std::exchange(caller.failed, 0) == own_call_failed)
      std::rethrow_exception(std::exchange(callee.error_, nullptr));
  }

 private:
  void add(const loops::Plan& plan) {
    if (frames_.kept.empty()) frames_.objects = loops::slots_of_objects(plan);
    frames_.kept.push_back(std::make_unique<Activation>(plan));
  }

  loops::Spares& frames_;
  Activation* activation_;
};

// Where there may be too many calls the interpreter makes the whole call again, and says so.
void Activation::invoke(const loops::Step& step, const Function& function) {
  if (failed >= own_call_failed) [[unlikely]]
    return Frame::end(static_cast<Activation&>(*deeper), *this);
  constexpr size_t stack_bytes = 4096;  // more than one call takes of the machine's stack
  if (interrupt->load(std::memory_order_relaxed)) [[unlikely]]
    kernels::poll_interrupt(host_->eager().context());
  if (calls_left < 0) [[unlikely]]
    calls_left = host_->calls_left(stack_bytes);
  if (calls_left <= static_cast<int64_t>(plan_.frames_inside)) [[unlikely]]
    host_->replay(Host::Again::too_deep);
  const loops::Plan& plan = *function.plan;
  Frame frame(plan);
  Activation& callee = frame.activation();
  if (callee.run_number != run_number) [[unlikely]]
    frame.set_up(*this, *function.backend);
  if (&plan == &plan_) frame.show_to(*this);
  const loops::Operand* argument = step.operands.data();
  callee.calls_left = calls_left - argument->value.i64();
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
