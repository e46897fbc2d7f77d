// Resolves functions, by name or as expressions. Each gets a scope, is read in it, and becomes a node that makes its
// closure.
#pragma once

#include "frontend/ast/ast.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/resolve/decorators.hpp"
#include "frontend/resolve/signatures.hpp"
#include "frontend/scopes/lookup.hpp"
#include "frontend/scopes/scopes.hpp"

namespace covec::resolve {

class Expressions;
class Pops;
class Statements;

class Functions {
 public:
  Functions(Nodes& nodes, Scopes& scopes, Names& names, const Lookup& lookup, Signatures& signatures,
            Decorators& decorators, Expressions& expressions, Statements& statements, Pops& pops)
      : nodes_(nodes),
        scopes_(scopes),
        names_(names),
        lookup_(lookup),
        signatures_(signatures),
        decorators_(decorators),
        expressions_(expressions),
        statements_(statements),
        pops_(pops) {}

  // The text's own statements, before they are read.
  void set_module(const ast::Block& body) { module_ = &body; }
  // The functions of a block of the current function that see each other; before the block is read.
  Siblings siblings(const ast::Block& body);
  // A function by name; `siblings` are those of the block that it stands in.
  core::Stmt* statement(const ast::FunctionStmt& stmt, const Siblings& siblings);
  core::MakeClosure* expression(const ast::FunctionExpr& expr);

 private:
  FunctionScope& new_scope(const ast::Function& function);
  core::MakeClosure* define(const ast::Function& function, FunctionScope& scope);
  void body(const ast::Function& function, FunctionScope& scope);
  void expression_body(const ast::Expr* expression, core::Function& out);

  Nodes& nodes_;
  Scopes& scopes_;
  Names& names_;
  const Lookup& lookup_;
  Signatures& signatures_;
  Decorators& decorators_;
  Expressions& expressions_;
  Statements& statements_;
  Pops& pops_;
  const ast::Block* module_ = nullptr;
};

}  // namespace covec::resolve
