// See comprehensions.hpp. Start reading at read.
#include "frontend/resolve/comprehensions.hpp"

#include <algorithm>

#include "frontend/core/walk.hpp"
#include "frontend/resolve/contraction.hpp"
#include "frontend/resolve/expressions.hpp"
#include "frontend/resolve/extents.hpp"
#include "frontend/resolve/index_uses.hpp"
#include "frontend/resolve/pops.hpp"

namespace covec::resolve {

using messages::message;

namespace {

bool may_act(core::Expr* range) {
  bool acts = false;
  each_below(range, [&](core::Expr* e) {
    acts |= e->kind == core::ExprKind::call || e->kind == core::ExprKind::method_call;
    if (e->kind == core::ExprKind::op) {
      const Builtin* const builtin = static_cast<const core::Op*>(e)->builtin;
      acts |= builtin == nullptr || builtin->acts;
    }
  });
  return acts;
}

bool has_items_of_two(const ast::Expr& range) {
  const ast::List<ast::Expr*>* items = nullptr;
  if (range.kind == ast::ExprKind::tuple) items = &static_cast<const ast::Tuple&>(range).items;
  if (range.kind == ast::ExprKind::tensor) items = &static_cast<const ast::Tensor&>(range).items;
  if (items == nullptr || items->begin() == items->end()) return false;
  const ast::ExprKind kind = (*items->begin())->kind;
  return kind == ast::ExprKind::tuple || kind == ast::ExprKind::tensor;
}

bool walks_pairs(const ast::Expr& written, const core::Expr& range) {
  const auto pairs = [](const Builtin* builtin) {
    return builtin != nullptr && (builtin->name == "enumerate" || builtin->name == "zip" || builtin->name == "items");
  };
  if (range.kind == core::ExprKind::op) return pairs(static_cast<const core::Op&>(range).builtin);
  if (range.kind == core::ExprKind::method_call) return pairs(static_cast<const core::MethodCall&>(range).builtin);
  return has_items_of_two(written);
}

}  // namespace

// In `for i, x in xs` i has a range of its own. Where the items are pairs, that is not meant.
bool Comprehensions::reports_pairs(const ast::Comprehension& c, core::MapIndex& map) {
  std::string names;
  const ast::Expr* first = nullptr;
  bool found = false;
  size_t k = 0;
  for (const ast::Clause& one : c.clauses) {
    core::Clause& clause = map.clauses[k++];
    const std::string name(problems_.text(one.target->span));
    names += (names.empty() ? "" : ", ") + name;
    if (one.range == nullptr && one.target->kind == ast::ExprKind::name) {
      if (first == nullptr) first = one.target;
      continue;
    }
    if (one.range != nullptr && first != nullptr && one.target->kind == ast::ExprKind::name) {
      clause.names = names_.intern(names);
      if (walks_pairs(*one.range, *clause.range)) {
        problems_.report(message("pair_unpacked"), first->span, {problems_.text(first->span), names});
        found = true;
      }
    }
    names.clear();
    first = nullptr;
  }
  return found;
}

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
    core::Expr* const range = map->clauses.back().range;
    map->ragged = map->ragged || !independent;
    map->acts = map->acts || (map->clauses.size() > 1 && range != nullptr && may_act(range));
  }
  const bool reported = reports_pairs(c, *map);
  if (c.filter != nullptr) map->filter = expressions_.read(c.filter);
  map->body = expressions_.read(c.body);
  scope.targets.resize(targets);
  map->as_list = reduction != nullptr && reduction->name == "list";
  map->reduction = map->as_list ? nullptr : reduction;
  if (rectangular && map->filter == nullptr && map->reduction != nullptr && map->reduction->name == "sum") {
    Contraction contraction(builtins_.of(Operator::mul), uses, *map);
    if (core::Expr* out = contraction.make(nodes_)) return out;
  }
  if (!reported) Extents(nodes_, references_, problems_, uses).infer(*map, c);
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
