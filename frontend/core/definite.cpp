// A forward pass over the statements with the set of slots that certainly have a value. At a merge, the sets of the
// branches are intersected; a branch that leaves (return, break, continue) does not count. Assignments in a loop's body
// are not certain after it. Expressions assign no named slot, so their order does not matter. A stack walks them
// instead of recursion.
#include "frontend/core/definite.hpp"

#include "frontend/core/slot_set.hpp"
#include "frontend/core/walk.hpp"

namespace covec::resolve {

namespace {

using core::StmtKind;

class Definite {
 public:
  Definite(core::Function& function, uint32_t named) : named_(named), set_(named) {
    size_t given = function.parameters.size() + function.dimension_names.size();
    for (uint32_t i = 0; i < given; ++i) set_.add(i);
    // A dimension that only the result names has no value before the end.
    SlotSet of_parameters(named);
    for (uint32_t i = 0; i < function.parameters.size(); ++i) {
      of_parameters.add(i);
      add_dimensions(function.parameters[i].annotation, of_parameters);
    }
    set_.keep_common(of_parameters);
    if (function.expression != nullptr) expr(function.expression);
    block(function.body);
  }

 private:
  void add_dimensions(const core::Annotation* annotation, SlotSet& out) {
    if (annotation == nullptr) return;
    for (const core::Annotation* field : annotation->fields) add_dimensions(field, out);
    for (const core::DimAnnotation& d : annotation->dims) {
      if (d.kind == core::DimAnnotation::Kind::name) out.add(d.slot);
    }
  }

  void expr(core::Expr* root) {
    if (root == nullptr) return;
    work_.push_back(root);
    while (!work_.empty()) {
      core::Expr* e = work_.back();
      work_.pop_back();
      if (e->kind == core::ExprKind::local) {
        auto* local = static_cast<core::Local*>(e);
        if (local->slot < named_) local->may_be_unbound = !set_.has(local->slot);
        continue;
      }
      each_child(e, [&](core::Expr* child) { work_.push_back(child); });
    }
  }

  void target(const core::Target* t) {
    for (const core::Target* part : t->parts) target(part);
    if (t->kind == core::Target::Kind::tuple) return;
    for (const core::PathStep& step : t->steps) {
      each_index_part(step.items, [&](core::Expr* e) { expr(e); });
    }
    if (t->slot.index < named_) set_.add(t->slot.index);  // an item taken within an expression has no name
  }

  void block(const core::Block& body) {
    for (core::Stmt* s : body) statement(s);
  }

  // After what leaves, everything holds: no path comes through there.
  void statement(core::Stmt* s) {
    switch (s->kind) {
      case StmtKind::evaluate: return expr(static_cast<core::Evaluate*>(s)->value);
      case StmtKind::assign:
        expr(static_cast<core::Assign*>(s)->value);
        return set_.add(static_cast<core::Assign*>(s)->slot.index);
      case StmtKind::update_path:
        expr(static_cast<core::UpdatePath*>(s)->value);
        return target(static_cast<core::UpdatePath*>(s)->target);
      case StmtKind::push:
        expr(static_cast<core::Push*>(s)->call);
        target(static_cast<core::Push*>(s)->target);
        if (static_cast<core::Push*>(s)->result != nullptr) target(static_cast<core::Push*>(s)->result);
        return;
      case StmtKind::destructure:
        expr(static_cast<core::Destructure*>(s)->value);
        return target(static_cast<core::Destructure*>(s)->target);
      case StmtKind::if_: return if_chain(static_cast<core::If*>(s));
      case StmtKind::while_: {
        auto* w = static_cast<core::While*>(s);
        expr(w->condition);
        SlotSet before = set_;
        block(w->body);
        set_ = before;
        return;
      }
      case StmtKind::for_: {
        auto* f = static_cast<core::For*>(s);
        expr(f->iterable);
        SlotSet before = set_;
        target(f->target);
        block(f->body);
        set_ = before;
        return;
      }
      case StmtKind::break_:
      case StmtKind::continue_: return set_.fill();
      case StmtKind::return_: expr(static_cast<core::Return*>(s)->value); return set_.fill();
      case StmtKind::assert_:
        expr(static_cast<core::Assert*>(s)->condition);
        return expr(static_cast<core::Assert*>(s)->message);
      case StmtKind::try_: return try_statement(*static_cast<core::Try*>(s));
      case StmtKind::import: return set_.add(static_cast<core::Import*>(s)->slot.index);
    }
  }

  // The handler may come after any part of the body.
  void try_statement(const core::Try& s) {
    SlotSet before = set_;
    block(s.body);
    SlotSet after = set_;
    set_ = before;
    if (s.target != nullptr) target(s.target);
    block(s.handler);
    set_.keep_common(after);
  }

  void if_chain(core::If* s) {
    SlotSet common(named_);
    common.fill();
    SlotSet before = set_;
    for (; s != nullptr;) {
      expr(s->condition);
      block(s->then);
      common.keep_common(set_);
      set_ = before;
      core::If* next = else_if(s);
      if (next == nullptr) block(s->otherwise);
      s = next;
    }
    set_.keep_common(common);
  }

  uint32_t named_;
  SlotSet set_;
  std::vector<core::Expr*> work_;
};

}  // namespace

void mark_definite(core::Function& function, uint32_t named) { Definite(function, named); }

}  // namespace covec::resolve
