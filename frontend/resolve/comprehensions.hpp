// Resolves comprehensions: their targets are slots of their own. After one is read, its result is checked again. A sum
// may be a contraction (contraction.hpp), and omitted ranges are inferred (extents.hpp).
#pragma once

#include "frontend/ast/ast.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/resolve/references.hpp"
#include "frontend/scopes/problems.hpp"
#include "frontend/scopes/scopes.hpp"

namespace covec::resolve {

class Expressions;
class Pops;

class Comprehensions {
 public:
  Comprehensions(Nodes& nodes, Scopes& scopes, Names& names, const Builtins& builtins, Problems& problems,
                 References& references, Expressions& expressions, Pops& pops)
      : nodes_(nodes),
        scopes_(scopes),
        names_(names),
        builtins_(builtins),
        problems_(problems),
        references_(references),
        expressions_(expressions),
        pops_(pops) {}

  // `reduction` is the builtin that it is the argument of, or nullptr.
  core::Expr* read(const ast::Comprehension& c, const Builtin* reduction, Span span);

 private:
  bool reports_pairs(const ast::Comprehension& c, core::MapIndex& map);
  core::Clause clause(const ast::Clause& c, uint32_t first_slot, bool& rectangular);
  core::Expr* range(const ast::Expr& range, uint32_t first_slot, bool& rectangular);
  core::Target* target(const ast::Expr* target);

  Nodes& nodes_;
  Scopes& scopes_;
  Names& names_;
  const Builtins& builtins_;
  Problems& problems_;
  References& references_;
  Expressions& expressions_;
  Pops& pops_;
};

}  // namespace covec::resolve
