#include "jit/specialize/written_loops.hpp"

#include <algorithm>
#include <set>

#include "frontend/core/walk.hpp"
#include "interpreter/compiler.hpp"

namespace covec::jit {

namespace {

class Search {
 public:
  // One that is made of others, as grad(f) is, is written as they are.
  bool finds_loop(const Value& function) {
    ClosureParts parts;
    if (closure_parts(function.function(), parts) && finds_loop(*parts.function, parts.globals)) return true;
    const std::vector<Value> captures = function.function().captures();
    return std::ranges::any_of(captures,
                               [&](const Value& held) { return held.is(ObjectKind::function) && finds_loop(held); });
  }

 private:
  bool finds_loop(const core::Function& function, const Value* globals) {
    constexpr size_t max_functions = 64;  // functions
    if (seen_.size() >= max_functions || !seen_.insert(&function).second) return false;
    if (function.expression != nullptr) see(function.expression, globals);
    see(function.body, globals);
    return found_;
  }
  void see(const core::Block& block, const Value* globals) {
    for (const core::Stmt* statement : block) {
      found_ |= statement->kind == core::StmtKind::for_ || statement->kind == core::StmtKind::while_;
      if (found_) return;
      resolve::each_part(
          *statement, [&](core::Expr* e) { see(e, globals); }, [](const core::Target&) {},
          [&](const core::Block& inner) { see(inner, globals); });
    }
  }
  void see(core::Expr* root, const Value* globals) {
    resolve::each_below(root, [&](core::Expr* e) {
      if (found_) return;
      if (e->kind == core::ExprKind::make_closure) finds_loop(*static_cast<core::MakeClosure*>(e)->function, globals);
      if (e->kind != core::ExprKind::global) return;
      const Value& named = globals[static_cast<core::Global*>(e)->slot];
      if (named.is(ObjectKind::function)) found_ = found_ || finds_loop(named);
    });
  }

  std::set<const core::Function*> seen_;
  bool found_ = false;
};

}  // namespace

bool writes_loop(const Value& function) { return Search().finds_loop(function); }

}  // namespace covec::jit
