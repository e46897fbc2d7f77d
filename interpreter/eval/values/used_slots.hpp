// Finds the variables that a statement reads and writes in its source. A loop carries these, and a statement that the
// interpreter runs receives and returns them.
#pragma once

#include <vector>

#include "frontend/core/walk.hpp"

namespace covec {

class SlotsUsed {
 public:
  explicit SlotsUsed(size_t count) : reads(count, false), writes(count, false) {}
  std::vector<bool> reads, writes;
  bool exits = false;

  void see(const core::Stmt& stmt, unsigned loops = 0) {
    using core::StmtKind;
    if (stmt.kind == StmtKind::assign) write(static_cast<const core::Assign&>(stmt).slot);
    if (stmt.kind == StmtKind::import) write(static_cast<const core::Import&>(stmt).slot);
    const bool jumps = stmt.kind == StmtKind::break_ || stmt.kind == StmtKind::continue_;
    exits |= stmt.kind == StmtKind::return_ || (jumps && loops == 0);
    const bool updates = stmt.kind == StmtKind::update_path || stmt.kind == StmtKind::push;
    const unsigned inside = loops + (stmt.kind == StmtKind::while_ || stmt.kind == StmtKind::for_ ? 1 : 0);
    resolve::each_part(
        stmt, [&](core::Expr* e) { see(e); }, [&](const core::Target& target) { see(target, updates); },
        [&](const core::Block& block) {
          for (const core::Stmt* inner : block) see(*inner, inside);
        });
  }

 private:
  void write(const core::Slot& slot) {
    if (!slot.global) writes[slot.index] = true;
  }
  // A target's root is read when the target is a part of it, or is updated.
  void see(const core::Target& target, bool updates) {
    for (const core::Target* part : target.parts) see(*part, updates);
    if (target.kind != core::Target::Kind::path) return;
    write(target.slot);
    if (!target.slot.global && (updates || !target.steps.empty())) reads[target.slot.index] = true;
    for (const core::PathStep& step : target.steps) {
      resolve::each_index_part(step.items, [&](core::Expr* e) { see(e); });
    }
  }
  // `@derivative(of=f) fn …`: f is another function then.
  void give_rule(const core::MakeClosure& maker) {
    const core::Expr* of = maker.definition ? maker.function->derivative_of : nullptr;
    if (of != nullptr && of->kind == core::ExprKind::local) writes[static_cast<const core::Local*>(of)->slot] = true;
  }
  void see(core::Expr* root) {
    resolve::each_below(root, [&](core::Expr* e) {
      if (e->kind == core::ExprKind::local) reads[static_cast<const core::Local*>(e)->slot] = true;
      if (e->kind == core::ExprKind::bind) writes[static_cast<const core::Bind*>(e)->slot] = true;
      if (e->kind == core::ExprKind::map_index) {
        for (const core::Clause& clause : static_cast<const core::MapIndex*>(e)->clauses) see(*clause.target, false);
      }
      if (e->kind == core::ExprKind::make_closure) {
        for (const core::CaptureSource& source : static_cast<const core::MakeClosure*>(e)->captures) {
          if (source.from == core::CaptureSource::From::local) reads[source.index] = true;
        }
        give_rule(*static_cast<const core::MakeClosure*>(e));
      }
    });
  }
};

}  // namespace covec
