#include "jit/loops/build/scopes.hpp"

#include <algorithm>

namespace covec::loops {

using ir::Id;

void Scopes::open(const Block& block, bool repeats) { scopes_.push_back({&block, repeats, 0, {}, {}, {}}); }

void Scopes::go_to(uint32_t unit) {
  innermost().at = unit;
  innermost().taken.clear();
}

bool Scopes::is_needed_later(Id id) const {
  const auto last = block().last.find(id);
  return last != block().last.end() && last->second > innermost().at;
}

bool Scopes::is_over(Id id, bool strict) const {
  if (definitions_[id].block != &block()) return false;
  const auto last = block().last.find(id);
  if (last == block().last.end()) return true;
  return strict ? last->second < innermost().at : last->second <= innermost().at;
}

// Through branches the last use may be further in; what a loop did not define it needs again.
bool Scopes::dies(Id id) const {
  const Definition& definition = definitions_[id];
  if (definition.pinned) return false;
  for (size_t i = scopes_.size(); i-- > 0;) {
    const Scope& scope = scopes_[i];
    const auto last = scope.block->last.find(id);
    if (last == scope.block->last.end() || last->second != scope.at) return false;
    if (definition.block == scope.block) return true;
    if (scope.repeats) return false;
  }
  return false;
}

bool Scopes::is_stored(Id id) const {
  return std::ranges::any_of(scopes_, [&](const Scope& scope) { return scope.stored.contains(id); });
}

bool Scopes::is_settled(Id id) const {
  return std::ranges::any_of(scopes_, [&](const Scope& scope) { return scope.settled.contains(id); });
}

}  // namespace covec::loops
