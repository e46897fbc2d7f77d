// Records what was met while one comprehension was read: its index expressions (IndexUse), and which slots belong to it
// or to code inside it.
#pragma once

#include "frontend/scopes/scope.hpp"

namespace covec::resolve {

class IndexUses {
 public:
  // From here on, in `scope`.
  explicit IndexUses(FunctionScope& scope)
      : scope_(scope),
        first_slot_(static_cast<uint32_t>(scope.slot_names.size())),
        first_use_(scope.index_uses.size()) {}

  FunctionScope& scope() const { return scope_; }
  uint32_t first_slot() const { return first_slot_; }
  IndexUse* begin() const { return scope_.index_uses.data() + first_use_; }
  IndexUse* end() const { return scope_.index_uses.data() + scope_.index_uses.size(); }
  // Whether the object of `use` depends on the comprehension's own slots.
  bool mentions_own(const IndexUse& use) const;

 private:
  FunctionScope& scope_;
  uint32_t first_slot_;
  size_t first_use_;
};

// The item as a plain name, or nullptr.
const core::Local* plain_local(const core::IndexItem& item);

// A clause whose target is an index name: it runs over range(…), or what it indexes says over what.
bool is_plain_range(const core::Clause& clause);

}  // namespace covec::resolve
