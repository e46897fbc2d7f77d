#include "jit/loops/fuse/value_uses.hpp"

#include "jit/loops/fuse/fuse.hpp"

namespace covec::loops {

using ir::Id;

ValueUses::ValueUses(const ir::Region& region) {
  const auto count = static_cast<uint32_t>(region.operations.size());
  for (uint32_t i = 0; i < count; ++i) {
    note_all(region.operations[i], i);
    for (const Id result : region.operations[i].results) made_by_[result] = i;
  }
  note_results(region, count);
}

std::optional<uint32_t> ValueUses::maker(Id id) const {
  const auto made = made_by_.find(id);
  return made == made_by_.end() ? std::nullopt : std::optional(made->second);
}

const std::vector<uint32_t>& ValueUses::users(Id id) const {
  const auto users = users_.find(id);
  return users == users_.end() ? nobody_ : users->second;
}

void ValueUses::note(Id id, uint32_t by) {
  std::vector<uint32_t>& users = users_[id];
  if (users.empty() || users.back() != by) users.push_back(by);
}

void ValueUses::note_all(const ir::Operation& operation, uint32_t by) {
  each_use(operation, [&](Id id) { note(id, by); });
  for (const ir::Region& region : operation.regions) {
    for (const ir::Operation& inner : region.operations) note_all(inner, by);
    note_results(region, by);
  }
}

void ValueUses::note_results(const ir::Region& region, uint32_t by) {
  for (const Value& result : region.results) ir::each_symbol(result, [&](Id id) { note(id, by); });
}

}  // namespace covec::loops
