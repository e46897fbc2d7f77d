#include "frontend/core/marks.hpp"

#include <unordered_set>

#include "frontend/core/walk.hpp"

namespace covec::core {

namespace {

// All blocks of a unit: of its own text, and of the functions that it defines, with these.
class Blocks {
 public:
  template <class Visit>
  static void each(Unit& unit, Visit visit) {
    Blocks blocks;
    blocks.see(unit.body);
    for (size_t i = 0; i < blocks.functions_.size(); ++i) {
      Function& function = *blocks.functions_[i];
      for (const Parameter& parameter : function.parameters) blocks.see(parameter.fallback);
      blocks.see(function.expression);
      blocks.see(function.body);
    }
    for (const Block* block : blocks.found_) visit(*block);
  }

 private:
  void see(const Block& block) {
    found_.push_back(&block);
    for (const Stmt* stmt : block) {
      resolve::each_part(
          *stmt, [&](Expr* e) { see(e); }, [&](const Target& target) { see(target); },
          [&](const Block& inner) { see(inner); });
    }
  }
  void see(const Target& target) {
    for (const Target* part : target.parts) see(*part);
    for (const PathStep& step : target.steps) {
      resolve::each_index_part(step.items, [&](Expr* e) { see(e); });
    }
  }
  void see(Expr* root) {
    if (root == nullptr) return;
    resolve::each_below(root, [&](Expr* e) {
      if (e->kind != ExprKind::make_closure) return;
      Function* const function = static_cast<MakeClosure*>(e)->function;
      if (known_.insert(function).second) functions_.push_back(function);
    });
  }

  std::vector<const Block*> found_;
  std::vector<Function*> functions_;
  std::unordered_set<const Function*> known_;
};

}  // namespace

Span head_of(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::if_: return static_cast<const If&>(stmt).condition->span;
    case StmtKind::while_: return static_cast<const While&>(stmt).condition->span;
    case StmtKind::for_: return static_cast<const For&>(stmt).iterable->span;
    default: return stmt.span;
  }
}

void mark_statements(Unit& unit, bool marks) {
  Blocks::each(unit, [marks](const Block& block) {
    for (Stmt* stmt : block)
      stmt->way = static_cast<uint8_t>(static_cast<uint8_t>(stmt->kind) | (marks ? Stmt::marked : 0));
  });
}

}  // namespace covec::core
