// Which variables a statement reads and writes, as it is written: what a loop carries, and what a statement that the
// interpreter runs is handed and hands back.
#pragma once

#include <vector>

#include "frontend/resolve/walk.hpp"

namespace covec {

class SlotsUsed {
 public:
  explicit SlotsUsed(size_t count) : reads(count, false), writes(count, false) {}
  std::vector<bool> reads, writes;
  bool exits = false;

  void see(const core::Stmt& stmt, unsigned loops = 0) {
    using core::StmtKind;
    switch (stmt.kind) {
      case StmtKind::evaluate: return see(static_cast<const core::Evaluate&>(stmt).value);
      case StmtKind::assign:
        see(static_cast<const core::Assign&>(stmt).value);
        return write(static_cast<const core::Assign&>(stmt).slot);
      case StmtKind::update_path:
        see(static_cast<const core::UpdatePath&>(stmt).value);
        return see(*static_cast<const core::UpdatePath&>(stmt).target, true);
      case StmtKind::push: {
        const auto& node = static_cast<const core::Push&>(stmt);
        see(node.value);
        if (node.call) see(node.call);
        return see(*node.target, true);
      }
      case StmtKind::destructure:
        see(static_cast<const core::Destructure&>(stmt).value);
        return see(*static_cast<const core::Destructure&>(stmt).target, false);
      case StmtKind::if_: {
        const auto& node = static_cast<const core::If&>(stmt);
        see(node.condition);
        see(node.then, loops);
        return see(node.otherwise, loops);
      }
      case StmtKind::while_:
        see(static_cast<const core::While&>(stmt).condition);
        return see(static_cast<const core::While&>(stmt).body, loops + 1);
      case StmtKind::for_: {
        const auto& node = static_cast<const core::For&>(stmt);
        see(node.iterable);
        see(*node.target, false);
        return see(node.body, loops + 1);
      }
      case StmtKind::break_:
      case StmtKind::continue_: exits |= loops == 0; return;
      case StmtKind::return_: exits = true; return see(static_cast<const core::Return&>(stmt).value);
      case StmtKind::assert_:
        see(static_cast<const core::Assert&>(stmt).condition);
        return see(static_cast<const core::Assert&>(stmt).message);
      case StmtKind::import: return write(static_cast<const core::Import&>(stmt).slot);
    }
  }

 private:
  void see(const core::Block& block, unsigned loops) {
    for (const core::Stmt* stmt : block) see(*stmt, loops);
  }
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
  void see(const core::Expr* root) {
    std::vector<const core::Expr*> open{root};
    while (!open.empty()) {
      const core::Expr* e = open.back();
      open.pop_back();
      if (e == nullptr) continue;
      if (e->kind == core::ExprKind::local) reads[static_cast<const core::Local*>(e)->slot] = true;
      if (e->kind == core::ExprKind::bind) writes[static_cast<const core::Bind*>(e)->slot] = true;
      if (e->kind == core::ExprKind::map_index) {
        for (const core::Clause& clause : static_cast<const core::MapIndex*>(e)->clauses) see(*clause.target, false);
      }
      if (e->kind == core::ExprKind::make_closure) {
        for (const core::CaptureSource& source : static_cast<const core::MakeClosure*>(e)->captures) {
          if (source.from == core::CaptureSource::From::local) reads[source.index] = true;
        }
      }
      resolve::each_child(const_cast<core::Expr*>(e), [&](core::Expr* child) { open.push_back(child); });
    }
  }
};

}  // namespace covec
