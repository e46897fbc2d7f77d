#include "jit/lower/region_adjoint.hpp"

#include <algorithm>

namespace covec::ir {

using autodiff::TapeEntry;

void add_types(const Entries& entries, uint32_t first, std::map<uint32_t, Type>& types) {
  std::map<uint32_t, Type> inside;
  const auto add = [&](uint32_t node, const Type& type) { (node < first ? types : inside).try_emplace(node, type); };
  for (const TapeEntry* entry : entries.all()) {
    if (entry->composite() != nullptr) {
      for (const auto& [node, type] : entry->composite()->outer_types()) add(node, type);
      continue;
    }
    if (entry->operation == nullptr) {  // a value as a new one, which has been met already: the latest come first
      const auto known = inside.find(entry->result_slot.node);
      if (known != inside.end()) add(entry->slots()[0].node, Type(known->second));
      continue;
    }
    const Dim* dims = entry->dims();
    for (uint32_t i = 0; i < entry->operands; ++i) {
      const autodiff::TapeSlot& slot = entry->slots()[i];
      if (slot.numeric && slot.node != 0) add(slot.node, Type{slot.dtype, Shape(dims, size_t{slot.rank})});
      dims += slot.rank;
    }
  }
}

void add_outer_nodes(const Entries& entries, uint32_t first, std::set<uint32_t>& nodes) {
  const auto add = [&](uint32_t node) {
    if (node != 0 && node < first) nodes.insert(node);
  };
  for (const TapeEntry* entry : entries.all()) {
    for (uint32_t i = 0; i < entry->operands; ++i) add(entry->slots()[i].node);
    if (entry->composite() == nullptr) continue;
    for (const uint32_t node : entry->composite()->outer_nodes()) add(node);
  }
}

autodiff::RuleUse rule_use_of(const Entries& entries) {
  autodiff::RuleUse use = autodiff::RuleUse::none;
  for (const TapeEntry* entry : entries.all()) {
    if (entry->composite() != nullptr) use = std::max(use, entry->composite()->rule_use());
  }
  return use;
}

bool any_meets(const Entries& entries) {
  return std::ranges::any_of(entries.all(), [](const TapeEntry* entry) {
    if (entry->composite() != nullptr) return entry->composite()->meets();
    return entry->operation != nullptr && entry->operation->effects.meets;
  });
}

bool any_always_gives(const Entries& entries) {
  return std::ranges::any_of(entries.all(), [](const TapeEntry* entry) {
    return entry->composite() != nullptr && entry->composite()->always_gives();
  });
}

}  // namespace covec::ir
