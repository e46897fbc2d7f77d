// See comprehensions.hpp. Start reading at read.
#include "frontend/resolve/comprehensions.hpp"

#include <algorithm>

#include "frontend/resolve/contraction.hpp"
#include "frontend/resolve/expressions.hpp"
#include "frontend/resolve/extents.hpp"
#include "frontend/resolve/index_uses.hpp"
#include "frontend/resolve/pops.hpp"

namespace covec::resolve {

core::Expr* Comprehensions::read(const ast::Comprehension& c, const Builtin* reduction, Span span) {
  const Pops::Uncertain uncertain(pops_);
  FunctionScope& scope = scopes_.current();
  IndexUses uses(scope);
  size_t targets = scope.targets.size();
  auto* map = nodes_.make<core::MapIndex>(span);
  bool rectangular = true;
  for (const ast::Clause& one : c.clauses) {
    bool independent = true;
    map->clauses.push_back(clause(one, uses.first_slot(), independent));
    rectangular = rectangular && independent;
    map->ragged = map->ragged || (!independent && is_plain_range(map->clauses.back()));
  }
  if (c.filter != nullptr) map->filter = expressions_.read(c.filter);
  map->body = expressions_.read(c.body);
  scope.targets.resize(targets);
  map->as_list = reduction != nullptr && reduction->name == "list";
  map->reduction = map->as_list ? nullptr : reduction;
  if (rectangular && map->filter == nullptr && map->reduction != nullptr && map->reduction->name == "sum") {
    Contraction contraction(builtins_.of(Operator::mul), uses, *map);
    if (core::Expr* out = contraction.make(nodes_)) return out;
  }
  Extents(nodes_, references_, problems_, uses).infer(*map, c);
  return map;
}

// The range is read before the clause's own targets are named; it may mention those of the clauses before.
core::Clause Comprehensions::clause(const ast::Clause& c, uint32_t first_slot, bool& rectangular) {
  core::Clause out;
  out.span = c.span;
  if (c.range != nullptr) out.range = range(*c.range, first_slot, rectangular);
  out.target = target(c.target);
  scopes_.current().targets.back().index = is_plain_range(out);
  return out;
}

core::Expr* Comprehensions::range(const ast::Expr& range, uint32_t first_slot, bool& rectangular) {
  FunctionScope& scope = scopes_.current();
  size_t mentions = scope.mentions.size();
  uint32_t slots = static_cast<uint32_t>(scope.slot_names.size());
  uint32_t outer = scope.unsure_from;
  scope.unsure_from = std::min(outer, first_slot);
  core::Expr* out = expressions_.read(&range);
  scope.unsure_from = outer;
  auto own = [&](uint32_t slot) { return slot >= first_slot && slot < slots; };
  const std::vector<uint32_t>& all = scope.mentions;
  rectangular = rectangular && std::none_of(all.begin() + static_cast<ptrdiff_t>(mentions), all.end(), own);
  return out;
}

core::Target* Comprehensions::target(const ast::Expr* target) {
  auto* out = nodes_.make<core::Target>();
  out->span = target->span;
  if (target->kind == ast::ExprKind::tuple) {
    out->kind = core::Target::Kind::tuple;
    for (const ast::Expr* item : static_cast<const ast::Tuple*>(target)->items) {
      out->parts.push_back(this->target(item));
    }
    return out;
  }
  FunctionScope& scope = scopes_.current();
  out->name = names_.intern(static_cast<const ast::Name*>(target)->name);
  out->slot = {false, scope.new_slot(out->name)};
  scope.targets.push_back({out->name.data(), out->slot.index, false});
  return out;
}

}  // namespace covec::resolve
