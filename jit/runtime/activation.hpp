// One call of a compiled function while it runs: its slots (slots.hpp) and stacks, and the steps that its code asks
// for. The memory stays with the plan for the next call (Plan::spare). Start at Activation::perform.
#pragma once

#include <exception>

#include "jit/runtime/lane_loop.hpp"
#include "jit/runtime/slots.hpp"
#include "jit/runtime/stacks.hpp"

namespace covec::runtime {

class Activation final : public loops::Spare, private loops::ActivationRecord {
 public:
  explicit Activation(const loops::Plan& plan);
  Value run(const Backend& backend, Host& host, std::span<Value> inputs);
  // The same in two calls, where the plan pauses.
  Value run_to_pause(const Backend& backend, Host& host, std::span<Value> inputs);
  Value go_on(Host& host, std::span<Value> inputs);
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
  static int32_t on_step(loops::ActivationRecord* record, uint32_t index) noexcept;
  void perform(const loops::Step& step);
  static int32_t on_measured_step(loops::ActivationRecord* record, uint32_t index) noexcept;
  void measure(uint32_t index);
  static int32_t on_profiled_step(loops::ActivationRecord* record, uint32_t index) noexcept;
  void start(const Backend& backend, Host& host, std::span<Value> inputs);
  void enter(Host& host);
  void set_up(Host& host);
  void run_code();
  void run_profiled(ops::Activities& activities);
  void run_unprofiled();

  // steps.cpp
  struct Perform;
  void apply(const loops::Step& step, const loops::step::Apply& apply);
  void apply(const loops::Step& step, const loops::step::Apply& apply, std::span<Value> all);
  void raise(const loops::Step& step, const loops::step::Operator& op);
  Value result_of(const loops::Step& step, const loops::step::Operator& op, std::span<Value> all);
  void launch(const loops::Launch& launch);
  void run_row_tiles(const loops::Step& step, const loops::RowTileSteps& row_tiles);
  bool run_rows(const loops::Step& step, const loops::RowTileSteps& row_tiles);
  // A step that the code does not call itself; what it raises is told where it is.
  void perform_member(uint32_t index);
  void invoke(const loops::Step& step, const Function& function);
  class Frame;
  void keep_error(const loops::Step& step) noexcept;

  const loops::Plan& plan_;
  Backend backend_;
  Host* host_ = nullptr;
  Slots slots_;
  std::vector<uint64_t> cells_;
  Stacks own_stacks_;
  Stacks* stacks_ = &own_stacks_;  // those of the outermost caller
  LaneRoom lane_room_;
  Value paused_;                   // what the call has given
  std::span<const Value> places_;  // where the launch that is performed is to put its results
  std::exception_ptr error_;
};

}  // namespace covec::runtime
