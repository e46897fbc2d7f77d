// See index_uses.hpp.
#include "frontend/resolve/index_uses.hpp"

#include "frontend/core/builtins.hpp"

namespace covec::resolve {

bool IndexUses::mentions_own(const IndexUse& use) const {
  for (size_t i = use.mentions_begin; i < use.mentions_end; ++i) {
    uint32_t slot = scope_.mentions[i];
    if (slot >= first_slot_ && slot < use.first_slot) return true;
  }
  return false;
}

const core::Local* plain_local(const core::IndexItem& item) {
  if (item.kind != core::IndexItem::Kind::at || item.at->kind != core::ExprKind::local) return nullptr;
  return static_cast<const core::Local*>(item.at);
}

bool is_plain_range(const core::Clause& clause) {
  if (clause.target->kind != core::Target::Kind::path) return false;
  if (clause.range == nullptr) return true;
  if (clause.range->kind != core::ExprKind::op) return false;
  return static_cast<const core::Op*>(clause.range)->builtin->name == "range";
}

}  // namespace covec::resolve
