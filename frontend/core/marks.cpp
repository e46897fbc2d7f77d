#include "frontend/core/marks.hpp"

#include <algorithm>
#include <unordered_set>

#include "frontend/core/walk.hpp"

namespace covec::core {

namespace {

// The mark of a statement tells what it does before its blocks.
Span head_of(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::if_: return static_cast<const If&>(stmt).condition->span;
    case StmtKind::while_: return static_cast<const While&>(stmt).condition->span;
    case StmtKind::for_: return static_cast<const For&>(stmt).iterable->span;
    default: return stmt.span;
  }
}

// All blocks of a unit: of its own text, and of the functions that it defines, with these.
class Blocks {
 public:
  template <class Visit>
  static void each(Unit& unit, Visit visit) {
    Blocks blocks;
    blocks.see(unit.body, nullptr);
    for (size_t i = 0; i < blocks.functions_.size(); ++i) {
      Function& function = *blocks.functions_[i];
      for (const Parameter& parameter : function.parameters) blocks.see(parameter.fallback);
      blocks.see(function.expression);
      blocks.see(function.body, &function);
    }
    for (const auto& [block, function] : blocks.found_) visit(*block, function);
  }

 private:
  void see(const Block& block, const Function* function) {
    found_.emplace_back(const_cast<Block*>(&block), function);
    for (const Stmt* stmt : block) {
      resolve::each_part(
          *stmt, [&](Expr* e) { see(e); }, [&](const Target& target) { see(target); },
          [&](const Block& inner) { see(inner, function); });
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

  std::vector<std::pair<Block*, const Function*>> found_;
  std::vector<Function*> functions_;
  std::unordered_set<const Function*> known_;
};

bool is_mark(const Stmt* stmt) { return stmt->kind == StmtKind::mark; }

}  // namespace

// A `while` is marked again where its body ends, for its condition.
void mark_statements(Unit& unit) {
  const auto mark = [&](Span at, const Function* function) {
    Mark* const made = unit.make<Mark>(at);
    made->function = function;
    return made;
  };
  Blocks::each(unit, [&](Block& block, const Function* function) {
    Block marked;
    marked.reserve(2 * block.size() + 1);
    for (Stmt* stmt : block) {
      if (stmt->kind == StmtKind::while_) static_cast<While*>(stmt)->body.push_back(mark(head_of(*stmt), function));
      if (!is_mark(stmt)) marked.push_back(mark(head_of(*stmt), function));
      marked.push_back(stmt);
    }
    block = std::move(marked);
  });
}

void unmark_statements(Unit& unit) {
  Blocks::each(unit, [](Block& block, const Function*) { std::erase_if(block, is_mark); });
}

bool has_marks(const Block& block) { return std::ranges::any_of(block, is_mark); }

Block without_marks(const Block& block) {
  Block rest;
  std::ranges::copy_if(block, std::back_inserter(rest), [](const Stmt* stmt) { return !is_mark(stmt); });
  return rest;
}

}  // namespace covec::core
