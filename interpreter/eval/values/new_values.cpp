#include "interpreter/eval/values/new_values.hpp"

#include "interpreter/eval/values/used_slots.hpp"

namespace covec {

namespace {

const std::vector<uint32_t>& assigned_by(const core::Region& region, uint32_t slots) {
  if (!region.assigned) {
    SlotsUsed used(slots);
    used.see(region);
    region.assigned.emplace();
    for (uint32_t i = 0; i < slots; ++i) {
      if (used.writes[i]) region.assigned->push_back(i);
    }
  }
  return *region.assigned;
}

}  // namespace

// Outside of functions no value is active.
void renew_all_assigned(const core::Region& region, const ops::Context& context, Frame& f) {
  if (f.closure == nullptr) return;
  for (const uint32_t slot : assigned_by(region, f.closure->function.slots)) {
    autodiff::renew_if_open(context, f.slots[slot]);
  }
}

Raw renewed_in_derivative(const ops::Context& context, Raw raw) {
  Value value = own(raw);
  autodiff::renew_if_open(context, value);
  return give(std::move(value));
}

}  // namespace covec
