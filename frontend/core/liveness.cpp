// A backward liveness analysis. `live_` is the set of slots whose value may still be read after the current point. A
// read of a slot outside this set is a last use. Within an expression, operands count from left to right. A loop needs
// the set at its head before its body is read. This is what is live after the loop, plus what the body reads before it
// assigns it ("exposed"). A first pass over the whole function finds the exposed slots, each loop once. So nested loops
// cost no more than twice their size.
//
// Some reads are never marked: those inside comprehensions (evaluated many times, or for all elements at once), and
// operands whose order of evaluation is not the written order. Nor are those that the annotation of the result makes
// when the function returns. The trade-off: it is precise for locals; for globals it covers only the one pattern that
// matters (x = f(x)). Start at Liveness::block.
#include "frontend/core/liveness.hpp"

#include <algorithm>
#include <unordered_map>

#include "frontend/core/slot_set.hpp"
#include "frontend/core/walk.hpp"

namespace covec::resolve {

namespace {

using core::ExprKind;
using core::StmtKind;

bool in_written_order(const core::Expr* a, const core::Expr* b) { return a->span.begin <= b->span.begin; }

// Arguments given by name out of order are evaluated in the declaration's order by some engines, in the order of
// writing by others; so are positional and named ones of a variadic builtin.
bool evaluated_in_order(const core::Op& op) {
  const core::Expr* last = nullptr;
  bool any = false;
  for (const core::Expr* a : op.args) {
    if (a == nullptr) continue;
    if (last != nullptr && !in_written_order(last, a)) return false;
    last = a;
    any = true;
  }
  return op.rest.empty() || !any;
}

bool evaluated_in_order(const core::Expr* e) {
  if (e->kind == ExprKind::op) return evaluated_in_order(*static_cast<const core::Op*>(e));
  if (e->kind != ExprKind::method_call) return true;
  const core::Op* op = static_cast<const core::MethodCall*>(e)->as_builtin;
  return op == nullptr || evaluated_in_order(*op);
}

// --- expressions ---

// Walks expressions backwards. What a read of a slot means is the derived class's.
template <class Slots>
class BackwardExpressions {
 protected:
  void expr(core::Expr* e) {
    while (e != nullptr) e = step(e);
  }

  // Notes the reads in `root` without marking any.
  void uses(core::Expr* root) {
    size_t base = work_.size();
    work_.push_back(root);
    while (work_.size() > base) {
      core::Expr* e = work_.back();
      work_.pop_back();
      if (e->kind == ExprKind::local) {
        self().use_local(static_cast<core::Local*>(e)->slot);
      } else if (e->kind == ExprKind::global) {
        self().use_global(static_cast<core::Global*>(e)->slot);
      } else if (e->kind == ExprKind::make_closure) {
        make_closure(static_cast<core::MakeClosure*>(e));
      } else {
        each_child(e, [&](core::Expr* child) { work_.push_back(child); });
      }
    }
  }

 private:
  Slots& self() { return static_cast<Slots&>(*this); }

  // Everything in `e` but what is evaluated first, which it gives back: chains are deep on that side.
  core::Expr* step(core::Expr* e) {
    switch (e->kind) {
      case ExprKind::local: self().read(*static_cast<core::Local*>(e)); return nullptr;
      case ExprKind::global: self().read(*static_cast<core::Global*>(e)); return nullptr;
      case ExprKind::select: return select(static_cast<core::Select*>(e));
      case ExprKind::map_index: return map_index(static_cast<core::MapIndex*>(e));
      case ExprKind::contract: uses(e); return nullptr;
      case ExprKind::make_closure: make_closure(static_cast<core::MakeClosure*>(e)); return nullptr;
      default: return operands(e);
    }
  }

  core::Expr* operands(core::Expr* e) {
    if (!evaluated_in_order(e)) {
      uses(e);
      return nullptr;
    }
    if (e->kind == ExprKind::index) self().read_behind(*static_cast<core::Index*>(e));
    size_t base = work_.size();
    each_operand(e, [&](core::Expr* operand) { work_.push_back(operand); });
    if (work_.size() == base) return nullptr;
    while (work_.size() > base + 1) {
      core::Expr* operand = work_.back();
      work_.pop_back();
      expr(operand);
    }
    core::Expr* first = work_.back();
    work_.pop_back();
    return first;
  }

  core::Expr* select(core::Select* s) {
    auto after = self().state();
    expr(s->otherwise);
    auto otherwise = self().state();
    self().set_state(std::move(after));
    expr(s->then);
    self().join(otherwise);
    return s->condition;
  }

  // Ranges but the first, the filter and the body may be evaluated many times.
  core::Expr* map_index(core::MapIndex* m) {
    uses(m->body);
    if (m->filter != nullptr) uses(m->filter);
    for (size_t k = m->clauses.size(); k-- > 0;) {
      for (const core::InferredExtent& extent : m->clauses[k].inferred) uses(extent.tensor);
      if (k > 0 && m->clauses[k].range != nullptr) uses(m->clauses[k].range);
    }
    return m->clauses[0].range;
  }

  void make_closure(core::MakeClosure* m) {
    for (const core::CaptureSource& source : m->captures) {
      if (source.from == core::CaptureSource::From::local) self().use_local(source.index);
    }
    each_child(m, [&](core::Expr* child) { uses(child); });
  }

  std::vector<core::Expr*> work_;
};

// --- functions ---

class Liveness : public BackwardExpressions<Liveness> {
 public:
  explicit Liveness(core::Function& function)
      : function_(function), live_(function.slots), at_return_(function.slots), caught_(function.slots) {
    result_uses(function.result);
    for (bool marking : {false, true}) {
      marking_ = marking;
      live_ = at_return_;
      if (function.expression != nullptr)
        expr(function.expression);
      else
        block(function.body);
    }
  }

  // For BackwardExpressions.
  void read(core::Local& local) {
    if (marking_) local.last_use = !live_.has(local.slot);
    live_.add(local.slot);
  }
  void read(core::Global&) {}
  void read_behind(core::Index& index) {
    if (index.object->kind == ExprKind::local)
      index.object_stays = marking_ && live_.has(static_cast<core::Local*>(index.object)->slot);
  }
  void use_local(uint32_t slot) { live_.add(slot); }
  void use_global(uint32_t) {}
  SlotSet state() const { return live_; }
  void set_state(SlotSet state) { live_ = std::move(state); }
  void join(const SlotSet& other) { live_.add_all(other); }

 private:
  // The sets that a jump goes to.
  struct Loop {
    SlotSet head;
    SlotSet exit;
  };

  void result_uses(const core::Annotation* annotation) {
    if (annotation == nullptr) return;
    for (const core::Annotation* field : annotation->fields) result_uses(field);
    for (const core::DimAnnotation& d : annotation->dims) {
      if (d.kind == core::DimAnnotation::Kind::name) at_return_.add(d.slot);
      if (d.kind == core::DimAnnotation::Kind::expression) slots_in(d.expression);
    }
  }

  void slots_in(core::Expr* e) {
    if (e->kind == ExprKind::local) at_return_.add(static_cast<core::Local*>(e)->slot);
    each_child(e, [&](core::Expr* child) { slots_in(child); });
  }

  void block(const core::Block& body) {
    for (size_t i = body.size(); i-- > 0;) statement(body[i]);
  }

  void statement(core::Stmt* s) {
    switch (s->kind) {
      case StmtKind::evaluate: return expr(static_cast<core::Evaluate*>(s)->value);
      case StmtKind::assign:
        end(static_cast<core::Assign*>(s)->slot.index);
        return expr(static_cast<core::Assign*>(s)->value);
      case StmtKind::update_path:
        update_target(static_cast<core::UpdatePath*>(s)->target);
        return expr(static_cast<core::UpdatePath*>(s)->value);
      case StmtKind::push:
        if (static_cast<core::Push*>(s)->result != nullptr) target(static_cast<core::Push*>(s)->result);
        return call_on_place(static_cast<core::Push*>(s));
      case StmtKind::destructure:
        target(static_cast<core::Destructure*>(s)->target);
        return expr(static_cast<core::Destructure*>(s)->value);
      case StmtKind::if_: return if_chain(static_cast<core::If*>(s));
      case StmtKind::while_: return while_loop(static_cast<core::While*>(s));
      case StmtKind::for_: return for_loop(static_cast<core::For*>(s));
      case StmtKind::break_: return jump_to(loops_.back().exit);
      case StmtKind::continue_: return jump_to(loops_.back().head);
      case StmtKind::return_: jump_to(at_return_); return expr(static_cast<core::Return*>(s)->value);
      case StmtKind::assert_:
        // The message is evaluated only where the condition fails; nothing comes after it then.
        expr(static_cast<core::Assert*>(s)->message);
        return expr(static_cast<core::Assert*>(s)->condition);
      case StmtKind::try_: return try_statement(*static_cast<core::Try*>(s));
      case StmtKind::import: end(static_cast<core::Import*>(s)->slot.index); return;
    }
  }

  void jump_to(const SlotSet& live) {
    live_ = live;
    live_.add_all(caught_);
  }

  // Before this its value is not needed, unless an error in a `try` around leads to where it is.
  void end(uint32_t slot) {
    if (!caught_.has(slot)) live_.remove(slot);
  }

  // From every point of the body a way leads to the handler.
  void try_statement(const core::Try& s) {
    SlotSet after = live_;
    block(s.handler);
    if (s.target != nullptr) target(s.target);
    SlotSet outer = caught_;
    caught_.add_all(live_);
    live_.add_all(after);
    live_.add_all(caught_);
    block(s.body);
    live_.add_all(caught_);
    caught_ = std::move(outer);
  }

  // Targets are bound from left to right, after the value is there; the last is the first here.
  void target(const core::Target* t) {
    if (t->kind == core::Target::Kind::tuple) {
      for (size_t i = t->parts.size(); i-- > 0;) target(t->parts[i]);
    } else if (t->steps.empty()) {
      end(t->slot.index);
    } else {
      update_target(t);
    }
  }

  // The old value is used, so nothing before this is the root's last use.
  void update_target(const core::Target* t) {
    live_.add(t->slot.index);
    for (size_t i = t->steps.size(); i-- > 0;) {
      std::vector<core::Expr*> parts;
      each_index_part(t->steps[i].items, [&](core::Expr* e) { parts.push_back(e); });
      for (size_t p = parts.size(); p-- > 0;) expr(parts[p]);
    }
  }

  // xs[i].push(v): the path is evaluated before the argument, as in any call, and again where a record's field is
  // called.
  void call_on_place(core::Push* s) {
    live_.add(s->target->slot.index);
    expr(s->value);
    for (const core::PathStep& step : s->target->steps) each_index_part(step.items, [&](core::Expr* e) { uses(e); });
  }

  void if_chain(core::If* s) {
    std::vector<core::If*> chain{s};
    while (core::If* next = else_if(chain.back())) chain.push_back(next);
    SlotSet after = live_;
    block(chain.back()->otherwise);
    for (size_t i = chain.size(); i-- > 0;) {
      SlotSet otherwise = std::move(live_);
      live_ = after;
      block(chain[i]->then);
      live_.add_all(otherwise);
      expr(chain[i]->condition);
    }
  }

  // --- loops ---

  // In the first pass the body is read with nothing live around it: what is left at its head is exposed.
  void while_loop(core::While* s) {
    SlotSet exit = enter_loop(s);
    block(s->body);
    live_.add_all(exit);
    expr(s->condition);
    leave_loop(s, exit);
  }

  void for_loop(core::For* s) {
    SlotSet exit = enter_loop(s);
    block(s->body);
    target(s->target);
    live_.add_all(exit);
    leave_loop(s, exit);
    expr(s->iterable);
  }

  SlotSet enter_loop(const core::Stmt* s) {
    SlotSet after = live_;
    if (marking_) {
      live_.add_all(exposed_[s]);
      loops_.push_back({live_, after});
      return after;
    }
    live_.clear();
    loops_.push_back({live_, live_});
    outer_.push_back(std::move(after));
    return live_;
  }

  void leave_loop(const core::Stmt* s, const SlotSet& exit) {
    loops_.pop_back();
    if (marking_) {
      live_.add_all(exit);
      return;
    }
    exposed_[s] = live_;
    live_.add_all(outer_.back());
    outer_.pop_back();
  }

  core::Function& function_;
  SlotSet live_;
  SlotSet at_return_;
  SlotSet caught_;  // what is live where an error leads to
  bool marking_ = false;
  std::vector<Loop> loops_;
  std::vector<SlotSet> outer_;
  std::unordered_map<const core::Stmt*, SlotSet> exposed_;
};

// --- module-level code ---

// For one statement that assigns globals: the reads of those that come last before the assignment.
class GlobalUses : public BackwardExpressions<GlobalUses> {
 public:
  GlobalUses(std::vector<uint32_t> assigned, core::Expr* value) : dead_(std::move(assigned)) { expr(value); }

  void read(core::Local&) {}
  void read_behind(core::Index&) {}
  void read(core::Global& global) {
    auto found = std::find(dead_.begin(), dead_.end(), global.slot);
    if (found == dead_.end()) return;
    global.last_use = true;
    dead_.erase(found);
  }
  void use_local(uint32_t) {}
  void use_global(uint32_t slot) { dead_.erase(std::remove(dead_.begin(), dead_.end(), slot), dead_.end()); }
  std::vector<uint32_t> state() const { return dead_; }
  void set_state(std::vector<uint32_t> state) { dead_ = std::move(state); }
  // Dead after both branches only.
  void join(const std::vector<uint32_t>& other) {
    auto gone = [&](uint32_t slot) { return std::find(other.begin(), other.end(), slot) == other.end(); };
    dead_.erase(std::remove_if(dead_.begin(), dead_.end(), gone), dead_.end());
  }

 private:
  std::vector<uint32_t> dead_;
};

class ModuleCode {
 public:
  explicit ModuleCode(const ModuleScope& module) : module_(module) {}

  void block(const core::Block& body) {
    for (core::Stmt* s : body) statement(s);
  }

 private:
  void statement(core::Stmt* s) {
    switch (s->kind) {
      case StmtKind::assign: {
        auto* a = static_cast<core::Assign*>(s);
        add(a->slot);
        return finish(a->value);
      }
      case StmtKind::destructure: {
        auto* d = static_cast<core::Destructure*>(s);
        add_plain(d->target);
        return finish(d->value);
      }
      case StmtKind::if_:
        for (auto* i = static_cast<core::If*>(s); i != nullptr;) {
          block(i->then);
          core::If* next = else_if(i);
          if (next == nullptr) block(i->otherwise);
          i = next;
        }
        return;
      case StmtKind::while_: return block(static_cast<core::While*>(s)->body);
      case StmtKind::for_: return block(static_cast<core::For*>(s)->body);
      default: return;
    }
  }

  void add(core::Slot slot) {
    if (slot.global && !module_.read_by_functions[slot.index]) assigned_.push_back(slot.index);
  }

  // A destructuring binds its targets in turn: one with steps reads, so then nothing is sure.
  void add_plain(const core::Target* t) {
    if (has_steps(t)) return;
    for (const core::Target* part : t->parts) add_plain(part);
    if (t->kind == core::Target::Kind::path) add(t->slot);
  }

  static bool has_steps(const core::Target* t) {
    return !t->steps.empty() || std::any_of(t->parts.begin(), t->parts.end(), has_steps);
  }

  void finish(core::Expr* value) {
    if (!assigned_.empty()) GlobalUses(assigned_, value);
    assigned_.clear();
  }

  const ModuleScope& module_;
  std::vector<uint32_t> assigned_;
};

}  // namespace

void mark_last_uses(core::Function& function) { Liveness{function}; }

void mark_last_uses(core::Unit& unit, const ModuleScope& module) { ModuleCode(module).block(unit.body); }

}  // namespace covec::resolve
