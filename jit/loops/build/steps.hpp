// Builds steps: their operands, with the last use of each marked, and the places of their results.
#pragma once

#include "jit/loops/build/placement.hpp"

namespace covec::loops {

// The operation's operator, as a step applies it.
step::Operator operator_of(const ir::Operation& operation);

class StepBuilder {
 public:
  StepBuilder(const ir::Graph& graph, Plan& plan, CodeBuilder& code, Scopes& scopes, Placement& places)
      : graph_(graph), plan_(plan), code_(code), scopes_(scopes), places_(places) {}

  // --- a step's parts ---
  Operand operand(const Value& value);
  void add_operands(Step& step, std::span<const Value> values);
  // Of a step that only moves them: numbers may stay on a device.
  void add_moved(Step& step, std::span<const Value> values);
  // Where a step leaves a result of its operation: nowhere, when nobody needs it.
  SlotId result_slot(ir::Id id);
  void load_result(ir::Id id);  // into its register, when it is a number
  // What this unit was the last to need, and has not moved, goes with the step.
  void drop_dead_values(Step& step) { append_dead_values(step.drops); }

  // --- whole steps ---
  Step describe(const ir::Operation& operation, step::Action action);
  step::Apply application(const ir::Operation& operation) const;  // what describes one of its operator
  // One that changes its first operand where it lies. `saves`, here and below: numbers that it uses and that are in no
  // slot yet; whoever calls the step puts them there. Without it they are stored now.
  using Saves = std::vector<instruction::Saved>;
  Step changing(const ir::Operation& operation, step::Action action, SlotId slot, Saves* saves = nullptr);
  // The number of one that raises the error of an operation that has failed. It moves nothing out.
  uint32_t raising(const ir::Operation& operation, Saves* saves = nullptr);
  // A branch, hardly ever taken, to that step where the condition holds.
  void raise_where(const ir::Operation& operation, Register failing);
  // The slot of what an operation changes, its first operand: the operand's own when nobody needs the old one, else
  // another one, which shares it for now.
  SlotId slot_to_change(const ir::Operation& operation);

  // --- into the code ---
  uint32_t add(Step step);  // its number; the code does not call it yet
  void call(Step step);
  // From now on steps are only noted, until `held` is nullptr.
  void hold(std::vector<uint32_t>* held) { held_ = held; }
  void perform(const ir::Operation& operation, step::Action action);  // the runtime does all of it
  void apply(const ir::Operation& operation);                         // the same: it applies the operator
  void drop(std::vector<SlotId> slots);
  void drop_dead_values();
  // A number that a step needs, if it is called at all.
  Operand saved(const Value& number, Saves& saves);

 private:
  bool stacks_numbers(const ir::Operation& operation) const;
  bool repeats_number(const ir::Operation& operation) const;
  Operand tree_operand(const Value& value);
  SlotId readable_slot(ir::Id id);
  void take_last(std::span<Operand> operands, std::span<const Value> values, std::vector<SlotId>& drops);
  void append_dead_values(std::vector<SlotId>& drops);

  const ir::Graph& graph_;
  Plan& plan_;
  CodeBuilder& code_;
  Scopes& scopes_;
  Placement& places_;
  Saves* saves_ = nullptr;
  std::vector<uint32_t>* held_ = nullptr;
};

}  // namespace covec::loops
