#include "jit/loops/build/placement.hpp"

#include <algorithm>

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;

// --- numbers ---

Register Placement::define_number(Id id) {
  define_number_in(id, code_.fresh(graph_.values[id].type.dtype, graph_.values[id].name));
  return places_[id].number;
}

void Placement::define_number_in(Id id, Register number) {
  scopes_.define(id);
  places_[id].number = number;
}

ops::ScalarRef Placement::number(const Value& value) {
  if (!is_symbol(value)) return code_.constant(value.scalar_dtype(), bits_of(value));
  const Id id = id_of(value);
  settle(id);
  return {places_[id].number, graph_.values[id].type.dtype};
}

SlotId Placement::number_slot(Id id) {
  if (places_[id].slot == Step::nowhere) places_[id].slot = fresh_slot();
  return places_[id].slot;
}

SlotId Placement::stored(Id id) {
  const SlotId slot = number_slot(id);
  settle(id);
  if (scopes_.is_stored(id)) return slot;
  code_.store(slot, places_[id].number);
  scopes_.note_stored(id);
  return slot;
}

SlotId Placement::stored_later(Id id, std::vector<instruction::Saved>& saves) {
  const SlotId slot = number_slot(id);
  settle(id);
  if (!scopes_.is_stored(id)) saves.push_back({slot, places_[id].number});
  return slot;
}

void Placement::load(Id id) {
  if (!may_stay(id)) code_.load(places_[id].number, places_[id].slot);
  scopes_.note_stored(id);
}

// --- numbers that may stay on a device ---

void Placement::define_staying(Id id, SlotId slot) {
  define_number(id);
  places_[id].slot = slot;
  scopes_.note_stored(id);
}

void Placement::settle(Id id) {
  if (!may_stay(id) || scopes_.is_settled(id)) return;
  plan_.steps.push_back({.action = step::Fetch{}, .place = device_.place_of(id), .results = {places_[id].slot}});
  code_.step(static_cast<uint32_t>(plan_.steps.size() - 1));
  code_.load(places_[id].number, places_[id].slot);
  scopes_.note_settled(id);
}

// --- values in slots ---

SlotId Placement::fresh_slot() {
  owner_.push_back(nobody);
  return plan_.slots++;
}

bool Placement::is_free(SlotId slot, bool strict) const {
  if (std::ranges::find(kept_, slot) != kept_.end()) return false;
  return owner_[slot] == nobody || scopes_.is_over(owner_[slot], strict);
}

SlotId Placement::slot_for(Id id, bool strict) {
  const auto wanted = hints_.find(id);
  return wanted != hints_.end() && is_free(wanted->second, strict) ? wanted->second : fresh_slot();
}

SlotId Placement::define_slot(Id id, bool strict) {
  define_at(id, slot_for(id, strict));
  return places_[id].slot;
}

void Placement::define_at(Id id, SlotId slot) {
  scopes_.define(id);
  places_[id].slot = slot;
  owner_[slot] = id;
}

SlotId Placement::slot_of(const Value& value) {
  return is_symbol(value) ? places_[id_of(value)].slot : constant_slot(value);
}

SlotId Placement::constant_slot(const Value& value) {
  const auto [found, added] = constants_.try_emplace(value.object(), plan_.slots);
  if (added) plan_.constants.emplace_back(fresh_slot(), value);
  return found->second;
}

}  // namespace covec::loops
