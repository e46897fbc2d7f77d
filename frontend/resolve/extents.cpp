// See extents.hpp. Start reading at infer.
#include "frontend/resolve/extents.hpp"

#include <string>

namespace covec::resolve {

using messages::message;

void Extents::infer(core::MapIndex& map, const ast::Comprehension& c) {
  for (size_t k = 0; k < map.clauses.size(); ++k) {
    core::Clause& clause = map.clauses[k];
    if (clause.range != nullptr) continue;
    if (clause.target->kind == core::Target::Kind::path) infer_clause(clause);
    if (clause.inferred.empty()) report_none(c, k);
  }
  hold_bound_objects(map);
}

void Extents::infer_clause(core::Clause& clause) {
  for (IndexUse& use : uses_) {
    uint32_t axis = 0;
    for (const core::IndexItem& item : use.node->items) {
      if (item.kind == core::IndexItem::Kind::ellipsis) break;  // axes after it are not known here
      const core::Local* local = plain_local(item);
      bool indexed = local != nullptr && local->slot == clause.target->slot.index;
      if (indexed && !uses_.mentions_own(use)) add(clause, use, axis, item.span);
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
void Extents::add(core::Clause& clause, IndexUse& use, uint32_t axis, Span span) {
  core::Expr* tensor = *use.object;
  if (use.bound == nullptr && is_place(tensor)) {
    if (!already_there(clause, tensor, axis)) clause.inferred.push_back({tensor, axis, span});
    return;
  }
  bool bound_here = use.bound != nullptr && use.bound_at == nullptr;
  if (use.bound == nullptr) {
    use.bound = nodes_.make<core::Bind>(tensor->span);
    use.bound->slot = uses_.scope().new_slot({});
    use.bound->value = tensor;
    *use.object = references_.to_temporary(use.bound->slot, tensor->span);
  } else if (!bound_here) {
    *use.bound_at = references_.to_temporary(use.bound->slot, tensor->span);
    use.bound_at = nullptr;
  }
  core::Expr* held = bound_here ? static_cast<core::Expr*>(references_.to_temporary(use.bound->slot, span)) : use.bound;
  clause.inferred.push_back({held, axis, span});
}

// Remembers where the objects bound by this comprehension are held, now that its clauses move no more.
void Extents::hold_bound_objects(core::MapIndex& map) {
  for (IndexUse& use : uses_) {
    if (use.bound == nullptr || use.bound_at != nullptr) continue;
    for (core::Clause& clause : map.clauses) {
      for (core::InferredExtent& extent : clause.inferred) {
        if (extent.tensor == use.bound) use.bound_at = &extent.tensor;
      }
    }
  }
}

void Extents::report_none(const ast::Comprehension& c, size_t k) {
  const ast::Expr& target = *c.clauses[k].target;
  std::string name(problems_.text(target.span));
  std::string hint = "give its range: for " + name + " in range(n)";
  bool pair = target.kind == ast::ExprKind::name && k + 1 < c.clauses.size() && c.clauses[k + 1].range != nullptr;
  if (pair) {
    hint = "a pair needs parentheses: for (" + name + ", " +
           std::string(problems_.text(c.clauses[k + 1].target->span)) + ") in …";
  }
  problems_.report(message("indexes_nothing"), target.span, {name, hint});
}

}  // namespace covec::resolve
