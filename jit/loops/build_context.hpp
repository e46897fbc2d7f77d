// What the parts of build() share: where each value of the graph lives, which operation is being built, and how its
// operands are taken. Private to build*.cpp.
#pragma once

#include <set>
#include <unordered_map>

#include "jit/loops/build.hpp"
#include "jit/loops/build_kernel.hpp"
#include "jit/loops/fuse.hpp"

namespace covec::loops {

// A region while it is being built. `at` is the unit, units.size() for the region's results.
struct Scope {
  const Block& block;
  Scope* outer;
  bool repeats;  // a loop's: what is defined outside is needed again
  uint32_t at = 0;
  std::set<ir::Id> stored;  // numbers whose slots are up to date
};

// Where a carried value or a result goes.
struct Target {
  bool number = false;
  Register to = 0;
  SlotId slot = 0;
};

class Building {
 public:
  Building(std::shared_ptr<const ir::Graph> graph, const BuildOptions& options);
  std::unique_ptr<const Plan> run();

 private:
  static constexpr SlotId nowhere = Step::nowhere;
  struct Held {
    const Block* home = nullptr;
    Register reg = 0;
    SlotId slot = nowhere;  // of a number: where steps see it
    bool pinned = false;    // never moved out
  };

  // values (build_values.cpp)
  bool is_number(ir::Id id) const { return !graph_.values[id].boxed && graph_.values[id].type.shape.empty(); }
  bool is_number(const Value& value) const {
    return ir::is_symbol(value) ? is_number(ir::id_of(value)) : value.is_scalar();
  }
  Dtype dtype_of_number(const Value& value) const;
  bool is_needed(ir::Id id) const;  // by any unit
  bool dies(ir::Id id) const;       // the unit being built uses it last
  bool takes(ir::Id id);            // it does, and has not taken it yet
  Register define_number(ir::Id id);
  SlotId define_slot(ir::Id id, bool strict = false);
  void define_at(ir::Id id, SlotId slot);  // a value that takes another's place
  bool is_free(SlotId slot, bool strict) const;
  SlotId fresh_slot();
  SlotId number_slot(ir::Id id);
  SlotId constant_slot(const Value& value);
  ops::ScalarRef number(const Value& value);  // in a register
  SlotId stored(ir::Id id);                   // a number's slot, written
  SlotId slot_of(const Value& value);         // of a tensor
  Operand operand(const Value& value);
  Operand tree_operand(const Value& value);
  void add_operands(Step& step, std::span<const Value> values);
  void take_last(std::span<Operand> operands, std::span<const Value> values, std::vector<SlotId>& drops);
  SlotId result_slot(ir::Id id);
  void load_result(ir::Id id);
  uint32_t add_step(Step step);
  void drop_deaths(Step* step);

  // control (build_control.cpp)
  void units();
  void if_operation(const Unit& unit);
  void branch(const Block& block, const std::vector<Target>& targets);
  void for_operation(const Unit& unit);
  void while_operation(const Unit& unit);
  void poll(const ir::Operation& operation);
  void drop_unneeded(const ir::Operation& operation);
  std::vector<Target> carry(const Unit& unit, std::span<const Value> values);
  void define_parameters(const Block& block, size_t first, const std::vector<Target>& targets, bool pinned);
  void end_of_pass(const ir::Operation& operation, const Block& block, const std::vector<Target>& targets,
                   const std::function<void()>& advance);
  void define_loop_results(const ir::Operation& operation, const std::vector<Target>& targets);
  void assign(const std::vector<Target>& targets, std::span<const Value> values, uint32_t place);
  void assign_numbers(const std::vector<Target>& targets, std::span<const Value> values);
  void assign_slots(const std::vector<Target>& targets, std::span<const Value> values, uint32_t place);
  void hint(const Block& block, const std::vector<Target>& targets);

  // operations (build.cpp)
  void unit(const Unit& unit);
  void operation(const Unit& unit);
  void apply(const ir::Operation& operation);
  void on_numbers(const ir::Operation& operation);
  void apply_where(const ir::Operation& operation, Register condition);
  void library_step(const ir::Operation& operation, Step::Kind kind);
  Step describe(const ir::Operation& operation, Step::Kind kind);
  void box(const ir::Operation& operation);
  void unbox(const ir::Operation& operation);
  void push(const ir::Operation& operation);
  void pop(const ir::Operation& operation);
  void pause(const ir::Operation& operation);
  void go_on_after_pause();
  void dimension(const ir::Operation& operation);
  void undefined(const ir::Operation& operation);
  void find_stacks(const ir::Region& region);

  // elements (build_elements.cpp)
  bool element(const ir::Operation& operation);
  bool read_element(const ir::Operation& operation);
  bool write_element(const ir::Operation& operation, bool adds);

  // lists (build_lists.cpp)
  Step changing(const ir::Operation& operation, Step::Kind kind, SlotId list);
  bool list_operation(const ir::Operation& operation);
  bool list_length(const ir::Operation& operation);
  bool read_item(const ir::Operation& operation);
  bool write_item(const ir::Operation& operation);
  bool push_item(const ir::Operation& operation);
  std::vector<Register> indices(const ir::Operation& operation);
  bool names_element(const ir::Operation& operation, size_t spec) const;
  SlotId place_to_write(const ir::Operation& operation);

  // kernels (build_launch.cpp)
  void launch(const Unit& unit);
  void add_row_kernel(Launch& launch);
  struct LaunchBuilder;

  std::shared_ptr<const ir::Graph> shared_graph_;
  const ir::Graph& graph_;
  const BuildOptions options_;
  std::unique_ptr<Plan> plan_;
  CodeBuilder code_;
  std::vector<Held> held_;
  std::vector<ir::Id> owner_;  // by slot: the value that it holds
  static constexpr ir::Id nobody = UINT32_MAX;
  std::unordered_map<ir::Id, SlotId> hints_;
  std::unordered_map<const Object*, SlotId> constants_;
  std::set<ir::Id> taken_;  // by the unit being built
  Scope* scope_ = nullptr;
  size_t paused_at_ = 0;  // the instruction after the one that leaves the function there; 0: none
  struct Stack {
    bool seen = false, numbers = true;
    Dtype dtype = Dtype::f64;
    uint32_t index = 0;
  };
  std::vector<Stack> stacks_;
};

}  // namespace covec::loops
