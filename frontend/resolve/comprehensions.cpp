// Comprehensions: their targets are slots of their own; ranges left out are taken from the tensors that the targets
// index; a sum over a product of indexed tensors becomes a contraction. All of this looks at the resolved body, by
// the list of index expressions met in it (IndexUse). Start reading at comprehension.
#include <algorithm>

#include "frontend/resolve/resolver.hpp"

namespace covec::resolve {

using messages::message;

namespace {

// A clause whose target is an index name: it runs over range(…), or what it indexes says over what.
bool plain_range(const core::Clause& clause) {
  if (clause.target->kind != core::Target::Kind::path) return false;
  if (clause.range == nullptr) return true;
  if (clause.range->kind != core::ExprKind::op) return false;
  return static_cast<const core::Op*>(clause.range)->builtin->name == "range";
}

}  // namespace

core::Expr* Resolver::comprehension(const ast::Comprehension& c, const Builtin* reduction, Span span) {
  uint32_t first_slot = static_cast<uint32_t>(scope_->slot_names.size());
  size_t first_use = scope_->index_uses.size();
  size_t targets = scope_->targets.size();
  auto* map = make<core::MapIndex>(span);
  bool rectangular = true;
  for (const ast::Clause& one : c.clauses) map->clauses.push_back(clause(one, first_slot, rectangular));
  map->body = expr(c.body);
  scope_->targets.resize(targets);
  map->as_list = reduction != nullptr && reduction->name == "list";
  map->reduction = map->as_list ? nullptr : reduction;
  if (rectangular && map->reduction != nullptr && map->reduction->name == "sum") {
    if (core::Expr* contract = contraction(*map, first_slot, first_use)) return contract;
  }
  infer_extents(*map, c, first_slot, first_use);
  return map;
}

// The range is read before the clause's own targets are named; it may mention those of the clauses before.
core::Clause Resolver::clause(const ast::Clause& c, uint32_t first_slot, bool& rectangular) {
  core::Clause out;
  out.span = c.span;
  if (c.range != nullptr) {
    size_t mentions = scope_->mentions.size();
    uint32_t slots = static_cast<uint32_t>(scope_->slot_names.size());
    uint32_t outer = unsure_from_;
    unsure_from_ = std::min(outer, first_slot);
    out.range = expr(c.range);
    unsure_from_ = outer;
    auto own = [&](uint32_t slot) { return slot >= first_slot && slot < slots; };
    const std::vector<uint32_t>& all = scope_->mentions;
    rectangular = rectangular && std::none_of(all.begin() + static_cast<ptrdiff_t>(mentions), all.end(), own);
  }
  out.target = clause_target(c.target);
  scope_->targets.back().index = plain_range(out);
  return out;
}

core::Target* Resolver::clause_target(const ast::Expr* target) {
  auto* out = unit_.make<core::Target>();
  out->span = target->span;
  if (target->kind == ast::ExprKind::tuple) {
    out->kind = core::Target::Kind::tuple;
    for (const ast::Expr* item : static_cast<const ast::Tuple*>(target)->items) {
      out->parts.push_back(clause_target(item));
    }
    return out;
  }
  out->name = intern(static_cast<const ast::Name*>(target)->name);
  out->slot = {false, scope_->new_slot(out->name)};
  scope_->targets.push_back({out->name.data(), out->slot.index, false});
  return out;
}

// --- contractions ---

namespace {

const core::Local* plain_local(const core::IndexItem& item) {
  if (item.kind != core::IndexItem::Kind::at || item.at->kind != core::ExprKind::local) return nullptr;
  return static_cast<const core::Local*>(item.at);
}

}  // namespace

bool Resolver::mentions_own(const IndexUse& use, uint32_t first_slot) const {
  for (size_t i = use.mentions_begin; i < use.mentions_end; ++i) {
    uint32_t slot = scope_->mentions[i];
    if (slot >= first_slot && slot < use.first_slot) return true;
  }
  return false;
}

// The factors of a[…] * b[…] * c[…] …, in order; empty where the body is anything else.
std::vector<IndexUse*> Resolver::product_of_indices(core::Expr* body, size_t first_use) {
  std::vector<core::Expr*> factors;
  const Builtin* product = &builtins_.of(Operator::mul);
  while (body->kind == core::ExprKind::op) {
    auto* op = static_cast<core::Op*>(body);
    if (op->builtin != product || op->args.size() != 2) return {};
    factors.push_back(op->args[1]);
    body = op->args[0];
  }
  factors.push_back(body);
  std::reverse(factors.begin(), factors.end());
  std::vector<IndexUse*> out;
  for (size_t i = first_use; i < scope_->index_uses.size() && out.size() < factors.size(); ++i) {
    IndexUse& use = scope_->index_uses[i];
    if (use.node == factors[out.size()]) out.push_back(&use);
  }
  return out.size() == factors.size() ? out : std::vector<IndexUse*>{};
}

// A tensor, free of this comprehension's targets, indexed by plain names: reduced ones or targets around.
bool Resolver::contraction_factor(const IndexUse& use, const core::MapIndex& map, uint32_t first_slot,
                                  core::ContractFactor& out) const {
  if (mentions_own(use, first_slot)) return false;
  out.tensor = use.node->object;
  for (const core::IndexItem& item : use.node->items) {
    const core::Local* local = plain_local(item);
    if (local == nullptr) return false;
    core::ContractFactor::Axis axis;
    axis.span = item.span;
    for (uint32_t k = 0; k < map.clauses.size(); ++k) {
      if (map.clauses[k].target->slot.index != local->slot) continue;
      axis.reduced = true;
      axis.which = k;
    }
    auto outer = [&](const LiveTarget& t) { return t.index && t.slot == local->slot; };
    if (!axis.reduced && std::none_of(scope_->targets.begin(), scope_->targets.end(), outer)) return false;
    if (!axis.reduced) axis.outer = item.at;
    out.axes.push_back(axis);
  }
  return true;
}

// sum(A[i, k] * B[k, j] for k): every reduced name in two factors or more.
core::Expr* Resolver::contraction(core::MapIndex& map, uint32_t first_slot, size_t first_use) {
  if (!std::all_of(map.clauses.begin(), map.clauses.end(), plain_range)) return nullptr;
  std::vector<IndexUse*> uses = product_of_indices(map.body, first_use);
  if (uses.size() < 2) return nullptr;
  std::vector<core::ContractFactor> factors(uses.size());
  std::vector<uint32_t> occurrences(map.clauses.size(), 0);
  for (size_t f = 0; f < uses.size(); ++f) {
    if (!contraction_factor(*uses[f], map, first_slot, factors[f])) return nullptr;
    std::vector<bool> here(map.clauses.size(), false);
    for (const auto& axis : factors[f].axes) {
      if (axis.reduced) here[axis.which] = true;
    }
    for (size_t k = 0; k < here.size(); ++k) occurrences[k] += here[k];
  }
  if (std::any_of(occurrences.begin(), occurrences.end(), [](uint32_t n) { return n < 2; })) return nullptr;
  auto* out = make<core::Contract>(map.span);
  out->factors = std::move(factors);
  for (size_t f = 0; f < uses.size(); ++f) uses[f]->object = &out->factors[f].tensor;
  for (const core::Clause& clause : map.clauses) {
    out->reduced_names.push_back(clause.target->name);
    out->ranges.push_back(clause.range);
  }
  return out;
}

// --- ranges left out ---

void Resolver::infer_extents(core::MapIndex& map, const ast::Comprehension& c, uint32_t first_slot, size_t first_use) {
  for (size_t k = 0; k < map.clauses.size(); ++k) {
    core::Clause& clause = map.clauses[k];
    if (clause.range != nullptr) continue;
    if (clause.target->kind == core::Target::Kind::path) infer_clause(clause, first_slot, first_use);
    if (clause.inferred.empty()) report_no_extent(c, k);
  }
  hold_bound_objects(map, first_use);
}

void Resolver::infer_clause(core::Clause& clause, uint32_t first_slot, size_t first_use) {
  size_t last_use = scope_->index_uses.size();
  for (size_t u = first_use; u < last_use; ++u) {
    IndexUse& use = scope_->index_uses[u];
    uint32_t axis = 0;
    for (const core::IndexItem& item : use.node->items) {
      if (item.kind == core::IndexItem::Kind::ellipsis) break;  // axes after it are not known here
      const core::Local* local = plain_local(item);
      bool indexed = local != nullptr && local->slot == clause.target->slot.index;
      if (indexed && !mentions_own(use, first_slot)) add_extent(clause, use, axis, item.span);
      if (item.kind != core::IndexItem::Kind::newaxis) ++axis;
    }
  }
}

namespace {

// A variable, or a field of one: reading it twice costs nothing.
bool is_place(const core::Expr* e) {
  while (e->kind == core::ExprKind::field) e = static_cast<const core::Field*>(e)->object;
  return e->kind == core::ExprKind::local || e->kind == core::ExprKind::capture || e->kind == core::ExprKind::global;
}

bool same_variable(const core::Expr* a, const core::Expr* b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case core::ExprKind::local:
      return static_cast<const core::Local*>(a)->slot == static_cast<const core::Local*>(b)->slot;
    case core::ExprKind::global:
      return static_cast<const core::Global*>(a)->slot == static_cast<const core::Global*>(b)->slot;
    case core::ExprKind::capture:
      return static_cast<const core::Capture*>(a)->index == static_cast<const core::Capture*>(b)->index;
    default: return a == b;
  }
}

constexpr size_t kCompared = 8;  // earlier extents looked at for the same tensor and axis

bool already_there(const core::Clause& clause, const core::Expr* tensor, uint32_t axis) {
  size_t n = clause.inferred.size();
  for (size_t i = n > kCompared ? n - kCompared : 0; i < n; ++i) {
    if (clause.inferred[i].axis == axis && same_variable(clause.inferred[i].tensor, tensor)) return true;
  }
  return false;
}

}  // namespace

// The object is shared with the body where it is a variable. Otherwise it is evaluated once, before the body, and read
// from a slot there; if an inner comprehension had it so already, the evaluation moves out to this one.
void Resolver::add_extent(core::Clause& clause, IndexUse& use, uint32_t axis, Span span) {
  core::Expr* tensor = *use.object;
  if (use.bound == nullptr && is_place(tensor)) {
    if (!already_there(clause, tensor, axis)) clause.inferred.push_back({tensor, axis, span});
    return;
  }
  bool bound_here = use.bound != nullptr && use.bound_at == nullptr;
  if (use.bound == nullptr) {
    use.bound = make<core::Bind>(tensor->span);
    use.bound->slot = scope_->new_slot({});
    use.bound->value = tensor;
    *use.object = temporary(use.bound->slot, tensor->span);
  } else if (!bound_here) {
    *use.bound_at = temporary(use.bound->slot, tensor->span);
    use.bound_at = nullptr;
  }
  core::Expr* held = bound_here ? static_cast<core::Expr*>(temporary(use.bound->slot, span)) : use.bound;
  clause.inferred.push_back({held, axis, span});
}

// Remembers where the objects bound by this comprehension are held, now that its clauses move no more.
void Resolver::hold_bound_objects(core::MapIndex& map, size_t first_use) {
  for (size_t u = first_use; u < scope_->index_uses.size(); ++u) {
    IndexUse& use = scope_->index_uses[u];
    if (use.bound == nullptr || use.bound_at != nullptr) continue;
    for (core::Clause& clause : map.clauses) {
      for (core::InferredExtent& extent : clause.inferred) {
        if (extent.tensor == use.bound) use.bound_at = &extent.tensor;
      }
    }
  }
}

void Resolver::report_no_extent(const ast::Comprehension& c, size_t k) {
  const ast::Expr& target = *c.clauses[k].target;
  std::string name(text(target.span));
  std::string hint = "give its range: for " + name + " in range(n)";
  bool pair = target.kind == ast::ExprKind::name && k + 1 < c.clauses.size() && c.clauses[k + 1].range != nullptr;
  if (pair)
    hint =
        "a pair needs parentheses: for (" + name + ", " + std::string(text(c.clauses[k + 1].target->span)) + ") in …";
  report(message("indexes_nothing"), target.span, {name, hint});
}

}  // namespace covec::resolve
