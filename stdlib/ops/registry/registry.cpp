// All entries, gathered once from the families.
#include <algorithm>
#include <unordered_map>

#include "stdlib/ops/registry/families.hpp"

namespace covec::ops {

namespace {

struct Registry {
  std::vector<const Entry*> entries;
  std::unordered_map<std::string_view, const Entry*> by_name;

  Registry() {
    for (const FamilyRow& family : family_rows) {
      for (const Entry* entry : family.entries()) {
        entries.push_back(entry);
        by_name.emplace(entry->name, entry);
      }
    }
  }
};

const Registry& registry() {
  static const Registry instance;  // immutable after construction
  return instance;
}

}  // namespace

std::span<const FamilyRow> all_families() { return family_rows; }

std::span<const Entry* const> all_entries() { return registry().entries; }

const Entry* find_entry(std::string_view name) {
  const auto found = registry().by_name.find(name);
  return found == registry().by_name.end() ? nullptr : found->second;
}

}  // namespace covec::ops
