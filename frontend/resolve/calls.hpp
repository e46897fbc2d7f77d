// Resolves calls: of builtins, with their arguments bound (binding.hpp), of methods x.f(…), and of values. Methods are
// bound like builtins, in case x turns out not to be a record with a field f.
#pragma once

#include <vector>

#include "frontend/ast/ast.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/resolve/references.hpp"
#include "frontend/scopes/problems.hpp"
#include "frontend/scopes/scopes.hpp"

namespace covec::resolve {

class Comprehensions;
class Expressions;
class Pops;

class Calls {
 public:
  Calls(Nodes& nodes, Problems& problems, Scopes& scopes, Names& names, const Builtins& builtins, const Lookup& lookup,
        References& references, Comprehensions& comprehensions, Expressions& expressions, Pops& pops)
      : nodes_(nodes),
        problems_(problems),
        scopes_(scopes),
        names_(names),
        builtins_(builtins),
        lookup_(lookup),
        references_(references),
        comprehensions_(comprehensions),
        expressions_(expressions),
        pops_(pops) {}

  core::Expr* of_name(const ast::Call& call);
  core::Expr* of_method(const ast::Call& call, core::Expr* object);
  core::Expr* of_value(const ast::Call& call, core::Expr* callee);

 private:
  core::Expr* of_list(const Builtin& builtin, const ast::Comprehension& generator, Span span);
  core::Expr* of_builtin(const Builtin& builtin, const ast::Call& call);
  std::vector<core::Argument> arguments(const ast::Call& call, const Builtin* builtin = nullptr, size_t first = 0);
  core::Expr* argument(const ast::Argument& argument, const Builtin* builtin, size_t position);

  Nodes& nodes_;
  Problems& problems_;
  Scopes& scopes_;
  Names& names_;
  const Builtins& builtins_;
  const Lookup& lookup_;
  References& references_;
  Comprehensions& comprehensions_;
  Expressions& expressions_;
  Pops& pops_;
};

}  // namespace covec::resolve
