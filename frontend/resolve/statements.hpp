// Resolves statements. Start reading at block.
#pragma once

#include "frontend/ast/ast.hpp"
#include "frontend/core/builtins.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/resolve/targets.hpp"
#include "frontend/scopes/problems.hpp"
#include "frontend/scopes/scopes.hpp"

namespace covec::resolve {

class Expressions;
class Functions;
class Pops;

class Statements {
 public:
  Statements(Nodes& nodes, Problems& problems, Scopes& scopes, Names& names, const Builtins& builtins, Targets& targets,
             Expressions& expressions, Functions& functions, Pops& pops)
      : nodes_(nodes),
        problems_(problems),
        scopes_(scopes),
        names_(names),
        builtins_(builtins),
        targets_(targets),
        expressions_(expressions),
        functions_(functions),
        pops_(pops) {}

  core::Block block(const ast::Block& body);

 private:
  core::Stmt* statement(const ast::Stmt* stmt);
  void warn_of_unreachable(const ast::Block& body);
  core::Stmt* expression(const ast::ExpressionStmt& stmt);
  core::Stmt* mutation(const MutatingCall& call, const ast::Stmt& stmt, const ast::Expr* result);
  void note_alone(core::MethodCall& call);
  bool is_used(const core::Expr& value);
  void report_unused(const ast::Expr& written, const core::Expr& value);
  // Reads a value that `target` is given then.
  core::Expr* value_for(const ast::Expr* value, const ast::Expr& target);
  core::Stmt* assign(const ast::Assign& stmt);
  core::Stmt* update(const ast::Update& stmt);
  core::Stmt* if_statement(const ast::If& stmt);
  core::Stmt* while_statement(const ast::While& stmt);
  core::Stmt* for_statement(const ast::For& stmt);
  void warn_of_constants(const ast::Expr* target);
  core::Block loop_body(const ast::Block& body);
  core::Stmt* jump(const ast::Stmt& stmt);
  core::Stmt* return_statement(const ast::Return& stmt);
  core::Stmt* assert_statement(const ast::Assert& stmt);
  core::Stmt* try_statement(const ast::Try& stmt);
  core::Stmt* import_statement(const ast::Import& stmt);

  Nodes& nodes_;
  Problems& problems_;
  Scopes& scopes_;
  Names& names_;
  const Builtins& builtins_;
  Targets& targets_;
  Expressions& expressions_;
  Functions& functions_;
  Pops& pops_;
  const Siblings* siblings_ = nullptr;  // of the block being read
  unsigned tries_ = 0;                  // bodies of `try` around
};

}  // namespace covec::resolve
