// Builds control flow: branches and loops as they are written. The values that they carry have registers and slots of
// their own. A carried value is computed directly in its place (hint()), so most iterations move nothing. Start at
// units().
#pragma once

#include <optional>

#include "jit/loops/build/launch.hpp"
#include "jit/loops/build/operations.hpp"
#include "jit/loops/build/rows.hpp"
#include "jit/loops/build/vector.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::loops {

class ControlBuilder {
 public:
  ControlBuilder(const ir::Graph& graph, CodeBuilder& code, Scopes& scopes, Placement& places, StepBuilder& steps,
                 OperationBuilder& operations, LaunchBuilder& launches, VectorLoopBuilder& vectors, RowBuilder& rows)
      : graph_(graph),
        code_(code),
        scopes_(scopes),
        places_(places),
        steps_(steps),
        operations_(operations),
        launches_(launches),
        vectors_(vectors),
        rows_(rows) {}
  // All of the region that is open.
  void units();

 private:
  // Where a carried value or a result goes.
  struct Target {
    bool number = false;
    Register to = 0;
    SlotId slot = 0;
    std::optional<ir::Id> holds = {};  // what is there before a branch
  };
  using Targets = std::vector<Target>;
  struct Counter {
    Register index, one;
  };
  void unit(const Unit& unit);
  void build(const Unit& unit);
  bool in_register(ir::Id id) const;
  void define_carried(ir::Id id, const Target& target);

  // several values to their places at once
  void hint(const Block& block, const Targets& targets);
  void assign(const Targets& targets, std::span<const Value> values, uint32_t place);
  void read_before(const Targets& targets, std::span<const Value> values);
  void assign_numbers(const Targets& targets, std::span<const Value> values);
  void assign_slots(const Targets& targets, std::span<const Value> values, uint32_t place);

  void if_operation(const Unit& unit);
  std::optional<ir::Id> handed_on(const ir::Operation& operation, const Targets& targets) const;
  SlotId kept_slot(const ir::Operation& operation, size_t k);
  void branch(const Block& block, const Targets& targets);
  void drop_unneeded(const ir::Operation& operation);

  void for_operation(const Unit& unit);
  void all_iterations(const ir::Operation& operation, const Targets& targets, ops::ScalarRef count, Register index);
  void for_body(const ir::Operation& operation, const Block& block, Counter counter, const Targets& targets);
  void while_operation(const Unit& unit);
  void while_condition(const Block& block, const Targets& targets);
  void poll(const ir::Operation& operation);
  void settle_before(const ir::Region& body);
  Targets carry(const Unit& unit, std::span<const Value> values);
  SlotId carried_slot(const Unit& unit, std::span<const Value> values, size_t k);
  void define_parameters(const Block& block, size_t first, const Targets& targets, bool pinned);
  void end_of_iteration(const ir::Operation& operation, const Block& block, const Targets& targets,
                        FunctionRef<void()> advance);
  void define_loop_results(const ir::Operation& operation, const Targets& targets);

  const ir::Graph& graph_;
  CodeBuilder& code_;
  Scopes& scopes_;
  Placement& places_;
  StepBuilder& steps_;
  OperationBuilder& operations_;
  LaunchBuilder& launches_;
  VectorLoopBuilder& vectors_;
  RowBuilder& rows_;
};

}  // namespace covec::loops
