// Lists the operands of a core expression in order of evaluation, for the passes that walk it. Parts that are evaluated
// conditionally, repeatedly or in another frame (Select, MapIndex, Contract, MakeClosure) are not operands here. Each
// pass handles them itself.
#pragma once

#include <vector>

#include "frontend/core/core.hpp"

namespace covec::resolve {

template <class Visit>
void each_index_part(const std::vector<core::IndexItem>& items, Visit visit) {
  for (const core::IndexItem& item : items) {
    for (core::Expr* e : {item.at, item.start, item.stop, item.step}) {
      if (e != nullptr) visit(e);
    }
  }
}

template <class Visit>
void each_operand(core::Expr* e, Visit visit) {
  using core::ExprKind;
  switch (e->kind) {
    case ExprKind::op: {
      auto* op = static_cast<core::Op*>(e);
      for (core::Expr* a : op->rest) visit(a);
      for (core::Expr* a : op->args) {
        if (a != nullptr) visit(a);
      }
      return;
    }
    case ExprKind::call:
      visit(static_cast<core::Call*>(e)->callee);
      for (const core::Argument& a : static_cast<core::Call*>(e)->args) visit(a.value);
      return;
    case ExprKind::method_call:
      visit(static_cast<core::MethodCall*>(e)->object);
      for (const core::Argument& a : static_cast<core::MethodCall*>(e)->args) visit(a.value);
      return;
    case ExprKind::make_tensor:
      for (core::Expr* item : static_cast<core::MakeTensor*>(e)->items) visit(item);
      return;
    case ExprKind::make_tuple:
      for (core::Expr* item : static_cast<core::MakeTuple*>(e)->items) visit(item);
      return;
    case ExprKind::make_record:
      for (core::Expr* item : static_cast<core::MakeRecord*>(e)->items) visit(item);
      return;
    case ExprKind::field: visit(static_cast<core::Field*>(e)->object); return;
    case ExprKind::index:
      visit(static_cast<core::Index*>(e)->object);
      each_index_part(static_cast<core::Index*>(e)->items, visit);
      return;
    case ExprKind::format:
      for (core::Format::Piece& piece : static_cast<core::Format*>(e)->pieces) {
        if (piece.value != nullptr) visit(piece.value);
      }
      return;
    case ExprKind::bind: visit(static_cast<core::Bind*>(e)->value); return;
    default: return;
  }
}

// Every expression directly below `e`, whatever the order: operands, branches, bodies, ranges, options.
template <class Visit>
void each_child(core::Expr* e, Visit visit) {
  using core::ExprKind;
  switch (e->kind) {
    case ExprKind::select: {
      auto* s = static_cast<core::Select*>(e);
      for (core::Expr* part : {s->condition, s->then, s->otherwise}) visit(part);
      return;
    }
    case ExprKind::map_index: {
      auto* m = static_cast<core::MapIndex*>(e);
      for (const core::Clause& clause : m->clauses) {
        if (clause.range != nullptr) visit(clause.range);
        for (const core::InferredExtent& extent : clause.inferred) visit(extent.tensor);
      }
      if (m->filter != nullptr) visit(m->filter);
      visit(m->body);
      return;
    }
    case ExprKind::contract: {
      auto* c = static_cast<core::Contract*>(e);
      for (core::Expr* range : c->ranges) {
        if (range != nullptr) visit(range);
      }
      for (const core::ContractFactor& factor : c->factors) {
        visit(factor.tensor);
        for (const auto& axis : factor.axes) {
          if (axis.outer != nullptr) visit(axis.outer);
        }
      }
      return;
    }
    case ExprKind::make_closure: {
      auto* m = static_cast<core::MakeClosure*>(e);
      if (!m->definition) return;
      if (m->function->derivative_of != nullptr) visit(m->function->derivative_of);
      for (const core::Argument& a : m->function->compile_options) visit(a.value);
      return;
    }
    default: return each_operand(e, visit);
  }
}

// The parts of a statement that stand directly in it: expressions (never nullptr), targets, blocks.
template <class VisitExpr, class VisitTarget, class VisitBlock>
void each_part(const core::Stmt& stmt, VisitExpr expr, VisitTarget target, VisitBlock block) {
  using core::StmtKind;
  const auto if_given = [&](core::Expr* e) {
    if (e != nullptr) expr(e);
  };
  switch (stmt.kind) {
    case StmtKind::evaluate: return if_given(static_cast<const core::Evaluate&>(stmt).value);
    case StmtKind::assign: return if_given(static_cast<const core::Assign&>(stmt).value);
    case StmtKind::return_: return if_given(static_cast<const core::Return&>(stmt).value);
    case StmtKind::update_path:
      if_given(static_cast<const core::UpdatePath&>(stmt).value);
      return target(*static_cast<const core::UpdatePath&>(stmt).target);
    case StmtKind::push:
      if_given(static_cast<const core::Push&>(stmt).value);
      if_given(static_cast<const core::Push&>(stmt).call);
      if (static_cast<const core::Push&>(stmt).result != nullptr) target(*static_cast<const core::Push&>(stmt).result);
      return target(*static_cast<const core::Push&>(stmt).target);
    case StmtKind::destructure:
      if_given(static_cast<const core::Destructure&>(stmt).value);
      return target(*static_cast<const core::Destructure&>(stmt).target);
    case StmtKind::assert_:
      if_given(static_cast<const core::Assert&>(stmt).condition);
      return if_given(static_cast<const core::Assert&>(stmt).message);
    case StmtKind::if_:
      if_given(static_cast<const core::If&>(stmt).condition);
      block(static_cast<const core::If&>(stmt).then);
      return block(static_cast<const core::If&>(stmt).otherwise);
    case StmtKind::while_:
      if_given(static_cast<const core::While&>(stmt).condition);
      return block(static_cast<const core::While&>(stmt).body);
    case StmtKind::for_:
      if_given(static_cast<const core::For&>(stmt).iterable);
      target(*static_cast<const core::For&>(stmt).target);
      return block(static_cast<const core::For&>(stmt).body);
    case StmtKind::try_:
      block(static_cast<const core::Try&>(stmt).body);
      if (static_cast<const core::Try&>(stmt).target != nullptr) target(*static_cast<const core::Try&>(stmt).target);
      return block(static_cast<const core::Try&>(stmt).handler);
    case StmtKind::break_:
    case StmtKind::continue_:
    case StmtKind::import: return;
  }
}

// Calls visit for `root` and every expression below it, in no order that matters.
template <class Visit>
void each_below(core::Expr* root, Visit visit) {
  std::vector<core::Expr*> open{root};
  while (!open.empty()) {
    core::Expr* e = open.back();
    open.pop_back();
    visit(e);
    each_child(e, [&](core::Expr* child) {
      if (child != nullptr) open.push_back(child);
    });
  }
}

// The `if` that is all of an else, or nullptr: chains of else if are walked by a loop.
inline core::If* else_if(const core::If* s) {
  bool single = s->otherwise.size() == 1 && s->otherwise[0]->kind == core::StmtKind::if_;
  return single ? static_cast<core::If*>(s->otherwise[0]) : nullptr;
}

}  // namespace covec::resolve
