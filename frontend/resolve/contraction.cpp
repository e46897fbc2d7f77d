// See contraction.hpp.
#include "frontend/resolve/contraction.hpp"

#include <algorithm>
#include <utility>

namespace covec::resolve {

// The factors of a[…] * b[…] * c[…] …, in order; empty where the body is anything else.
std::vector<IndexUse*> Contraction::factors_of_body() const {
  std::vector<core::Expr*> factors;
  core::Expr* body = map_.body;
  while (body->kind == core::ExprKind::op) {
    auto* op = static_cast<core::Op*>(body);
    if (op->builtin != &product_ || op->args.size() != 2) return {};
    factors.push_back(op->args[1]);
    body = op->args[0];
  }
  factors.push_back(body);
  std::reverse(factors.begin(), factors.end());
  std::vector<IndexUse*> out;
  for (IndexUse& use : uses_) {
    if (out.size() < factors.size() && use.node == factors[out.size()]) out.push_back(&use);
  }
  return out.size() == factors.size() ? out : std::vector<IndexUse*>{};
}

// A tensor, free of this comprehension's targets, indexed by plain names.
bool Contraction::read_factor(const IndexUse& use, core::ContractFactor& out) const {
  if (uses_.mentions_own(use)) return false;
  out.tensor = use.node->object;
  for (const core::IndexItem& item : use.node->items) {
    core::ContractFactor::Axis axis;
    if (!read_axis(item, axis)) return false;
    out.axes.push_back(axis);
  }
  return true;
}

// A plain name: a reduced one, or a target around.
bool Contraction::read_axis(const core::IndexItem& item, core::ContractFactor::Axis& out) const {
  const core::Local* local = plain_local(item);
  if (local == nullptr) return false;
  out.span = item.span;
  for (uint32_t k = 0; k < map_.clauses.size(); ++k) {
    if (map_.clauses[k].target->slot.index != local->slot) continue;
    out.reduced = true;
    out.which = k;
  }
  if (out.reduced) return true;
  out.outer = item.at;
  const std::vector<LiveTarget>& around = uses_.scope().targets;
  return std::any_of(around.begin(), around.end(),
                     [&](const LiveTarget& t) { return t.index && t.slot == local->slot; });
}

// Whether every reduced name is in two factors or more.
bool Contraction::all_reduced_twice(const std::vector<core::ContractFactor>& factors) const {
  std::vector<uint32_t> occurrences(map_.clauses.size(), 0);
  for (const core::ContractFactor& factor : factors) {
    std::vector<bool> here(map_.clauses.size(), false);
    for (const auto& axis : factor.axes) {
      if (axis.reduced) here[axis.which] = true;
    }
    for (size_t k = 0; k < here.size(); ++k) occurrences[k] += here[k];
  }
  return std::all_of(occurrences.begin(), occurrences.end(), [](uint32_t n) { return n >= 2; });
}

core::Expr* Contraction::make(Nodes& nodes) {
  if (!std::all_of(map_.clauses.begin(), map_.clauses.end(), is_plain_range)) return nullptr;
  std::vector<IndexUse*> uses = factors_of_body();
  if (uses.size() < 2) return nullptr;
  std::vector<core::ContractFactor> factors(uses.size());
  for (size_t f = 0; f < uses.size(); ++f) {
    if (!read_factor(*uses[f], factors[f])) return nullptr;
  }
  if (!all_reduced_twice(factors)) return nullptr;
  auto* out = nodes.make<core::Contract>(map_.span);
  out->factors = std::move(factors);
  for (size_t f = 0; f < uses.size(); ++f) uses[f]->object = &out->factors[f].tensor;
  for (const core::Clause& clause : map_.clauses) {
    out->reduced_names.push_back(clause.target->name);
    out->ranges.push_back(clause.range);
  }
  return out;
}

}  // namespace covec::resolve
