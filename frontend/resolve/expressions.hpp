// Resolves expressions. As in the parser, chains are walked down their left side and built coming back. Larger subjects
// have parts of their own: calls, indices, comprehensions, functions, literals. Start reading at read.
#pragma once

#include <vector>

#include "frontend/ast/ast.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/resolve/references.hpp"
#include "frontend/scopes/scopes.hpp"

namespace covec::resolve {

class Calls;
class Comprehensions;
class Functions;
class Indices;
class Literals;
class Pops;

class Expressions {
 public:
  Expressions(Nodes& nodes, Scopes& scopes, Names& names, References& references, Literals& literals, Indices& indices,
              Calls& calls, Comprehensions& comprehensions, Functions& functions, Pops& pops)
      : nodes_(nodes),
        scopes_(scopes),
        names_(names),
        references_(references),
        literals_(literals),
        indices_(indices),
        calls_(calls),
        comprehensions_(comprehensions),
        functions_(functions),
        pops_(pops) {}

  core::Expr* read(const ast::Expr* e);
  core::Expr* tuple(const ast::List<ast::Expr*>& items, Span span);

 private:
  core::Expr* operand(const ast::Expr* e);  // what may be part of a number that is written around it
  core::Expr* apply(Operator op, Span span, core::Expr* left, core::Expr* right);
  core::Expr* leaf(const ast::Expr* e);
  core::Expr* extend(const ast::Expr* e, core::Expr* left);
  core::Expr* brackets(const ast::List<ast::Expr*>& items, Span span);
  core::Expr* spread(Operator op, const ast::List<ast::Expr*>& items, Span span);
  core::Expr* map(const ast::Map& m);
  core::Expr* spread_record(const ast::Record& r);
  core::Expr* containment(const ast::Binary& b, core::Expr* item);
  core::Expr* unary(const ast::Unary& u);
  core::Expr* comparison(const ast::Comparison& c);
  core::Expr* keep(core::Expr*& value);
  core::Expr* logical(const ast::Logical& l, core::Expr* left);
  core::Expr* conditional(const ast::Conditional& c);
  core::Expr* format(const ast::Format& f);
  core::Expr* record(const ast::Record& r);
  core::Expr* field(const ast::Field& f, core::Expr* object);
  template <class Node>
  core::Expr* collection(const ast::List<ast::Expr*>& items, Span span);

  Nodes& nodes_;
  Scopes& scopes_;
  Names& names_;
  References& references_;
  Literals& literals_;
  Indices& indices_;
  Calls& calls_;
  Comprehensions& comprehensions_;
  Functions& functions_;
  Pops& pops_;
  std::vector<const ast::Expr*> spine_;  // chains being read, innermost last
};

}  // namespace covec::resolve
