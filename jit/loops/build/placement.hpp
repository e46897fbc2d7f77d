// Decides where each value of the graph lives. A number lives in a register, and also in a slot if steps see it.
// Everything else lives in a slot. A slot is used again once its owner is dead. A number that may stay on a device is
// in its slot; its register is loaded where code first needs it. Start at define_slot().
#pragma once

#include <unordered_map>
#include <vector>

#include "jit/loops/build/scopes.hpp"
#include "jit/loops/build_code.hpp"
#include "jit/loops/fuse/device_numbers.hpp"
#include "jit/loops/plan.hpp"

namespace covec::loops {

class Placement {
 public:
  Placement(const ir::Graph& graph, const DeviceNumbers& device, Plan& plan, CodeBuilder& code, Scopes& scopes)
      : graph_(graph), device_(device), plan_(plan), code_(code), scopes_(scopes), places_(graph.values.size()) {}

  // --- numbers ---
  Register define_number(ir::Id id);
  void define_number_in(ir::Id id, Register number);  // a register that has it
  ops::ScalarRef number(const Value& value);          // a constant gets a register
  SlotId number_slot(ir::Id id);
  SlotId stored(ir::Id id);                                                // a number's slot, written
  SlotId stored_later(ir::Id id, std::vector<instruction::Saved>& saves);  // the same, where it is to be used
  void load(ir::Id id);                                                    // a number that a step has left in its slot

  // --- numbers that may stay on a device ---
  bool any_may_stay() const { return !device_.empty(); }
  bool may_stay(ir::Id id) const { return device_.may_stay(id); }
  bool may_stay(const Value& value) const { return ir::is_symbol(value) && may_stay(ir::id_of(value)); }
  void define_staying(ir::Id id, SlotId slot);  // what is in the slot is the number
  // It is fetched and put into its register, where that has not been done on every way here.
  void settle(const Value& value) {
    if (ir::is_symbol(value)) settle(ir::id_of(value));
  }

  // --- values in slots ---
  SlotId slot(ir::Id id) const { return places_[id].slot; }
  SlotId slot_of(const Value& value);  // of a tensor or list; a constant gets a slot
  SlotId fresh_slot();
  // The slot that hint() has proposed where nobody needs it any more, else a fresh one. Strictly: the unit being built
  // does not need it either.
  SlotId slot_for(ir::Id id, bool strict);
  SlotId define_slot(ir::Id id, bool strict = false);
  void define_at(ir::Id id, SlotId slot);  // a value that takes another's place
  // A value that has yet to be made is wanted there.
  void hint(ir::Id id, SlotId slot) { hints_[id] = slot; }
  // Nothing new is put into these slots, until they are others.
  void keep(std::vector<SlotId> slots) { kept_ = std::move(slots); }
  void give(SlotId slot, ir::Id owner) { owner_[slot] = owner; }
  void free(SlotId slot) { owner_[slot] = nobody; }

 private:
  static constexpr ir::Id nobody = UINT32_MAX;
  struct Assigned {
    Register number = 0;
    SlotId slot = Step::nowhere;
  };
  void settle(ir::Id id);
  bool is_free(SlotId slot, bool strict) const;
  SlotId constant_slot(const Value& value);

  const ir::Graph& graph_;
  const DeviceNumbers& device_;
  Plan& plan_;
  CodeBuilder& code_;
  Scopes& scopes_;
  std::vector<Assigned> places_;  // by value
  std::vector<ir::Id> owner_;     // by slot: the value that it holds
  std::unordered_map<ir::Id, SlotId> hints_;
  std::vector<SlotId> kept_;
  std::unordered_map<const Object*, SlotId> constants_;
};

}  // namespace covec::loops
