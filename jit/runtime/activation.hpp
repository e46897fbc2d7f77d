// One running call of a compiled function: its slots and stacks, and the steps that its code asks for. The memory stays
// with the plan for the next call (Plan::spare). Start at Activation::perform.
#pragma once

#include <exception>

#include "jit/runtime/run.hpp"
#include "jit/runtime/stacks.hpp"

namespace covec::runtime {

// The stacks of one call and of those that it makes of functions that call themselves.
struct Stacks {
  std::vector<loops::NumberStack> numbers;
  std::vector<Words> memory;  // of those
  std::vector<ValueStack> values;
};

// Applies an operator; its error is raised where the program has it.
Value apply_at(const loops::Plan& plan, Host& host, uint32_t place, const ops::Entry& entry, std::span<Value> args,
               std::span<Value> rest, uint32_t literals);

class Activation final : public loops::Spare, private loops::ActivationRecord {
 public:
  explicit Activation(const loops::Plan& plan);
  Value run(const Backend& backend, Host& host, std::span<Value> inputs);
  // The same in two calls, where the plan pauses.
  Value run_to_pause(const Backend& backend, Host& host, std::span<Value> inputs);
  Value go_on(Host& host, std::span<Value> inputs);
  // A function that calls itself, as a step of `caller`, which gets what it gives.
  void invoke(const loops::Step& step, const Backend& backend, Activation& caller);
  void forget();

  // For who keeps an activation from call to call (jit/prepared): the inputs have been put into their slots, and what
  // is wanted is looked at before forget().
  void put(loops::SlotId slot, Value value) { slots_[slot] = std::move(value); }
  void run_kept(const Backend& backend, Host& host) {
    backend_ = backend;
    enter(host);
  }
  const Value& held(loops::SlotId slot) const { return slots_[slot]; }

 private:
  void forget_stacks();
  static int32_t on_step(loops::ActivationRecord* record, uint32_t index) noexcept;
  void perform(const loops::Step& step);
  static int32_t on_measured_step(loops::ActivationRecord* record, uint32_t index) noexcept;
  void measure(uint32_t index);
  void start(const Backend& backend, Host& host, std::span<Value> inputs);
  void enter(Host& host);
  void run_code();

  // steps.cpp
  Value taken(const loops::Operand& operand) {
    using Kind = loops::Operand::Kind;
    if (operand.kind == Kind::tree) [[unlikely]]
      return tree(operand);
    if (operand.kind == Kind::constant) return operand.value;
    return operand.last ? std::move(slots_[operand.slot]) : slots_[operand.slot];
  }
  Value tree(const loops::Operand& operand);
  void drop(const loops::Step& step);
  void give(loops::SlotId slot, Value&& value) {
    if (slot == loops::Step::nowhere) return;
    slots_[slot] = std::move(value);
    bring_home(plan_, slot, slots_[slot]);
  }
  template <class Use>
  void with_room(size_t count, Use use);
  void apply(const loops::Step& step);
  void apply(const loops::Step& step, std::span<Value> all);
  void launch(const loops::Step& step);
  void vector_loop(const loops::Step& step);
  void panels(const loops::Step& step);
  bool run_rows(const loops::Step& step, const loops::Panels& panels);
  // A step that the code does not call itself; what it raises is told where it is.
  void perform_member(uint32_t index);
  void fetch(const loops::Step& step);
  void move(const loops::Step& step);
  void interpret(const loops::Step& step);
  void call(const loops::Step& step);
  void invoke(const loops::Step& step);
  void grow(const loops::Step& step);
  void keep_error(const loops::Step& step) noexcept;

  // lists.cpp
  static void room(Value& list);
  void list_push(const loops::Step& step);
  void list_item(const loops::Step& step);
  void list_set(const loops::Step& step);

  const loops::Plan& plan_;
  Backend backend_;
  Host* host_ = nullptr;
  std::vector<Value> slots_;
  std::vector<uint64_t> cells_;
  std::vector<Value> many_;  // operands of the step that is performed
  Stacks own_stacks_;
  Stacks* stacks_ = &own_stacks_;  // those of the outermost caller
  int64_t calls_left_ = unknown;   // inside of this one, of functions that call themselves
  static constexpr int64_t unknown = -1;
  Value paused_;                   // what the call has given
  std::span<const Value> places_;  // where the launch that is performed is to put its results
  std::exception_ptr error_;
};

}  // namespace covec::runtime
