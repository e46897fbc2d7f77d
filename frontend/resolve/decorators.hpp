// Resolves decorators: @compile(…), @test, @bench, @derivative(of=f, mode="forward").
#pragma once

#include "frontend/ast/ast.hpp"
#include "frontend/core/core.hpp"
#include "frontend/resolve/references.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/scopes/problems.hpp"

namespace covec::resolve {

class Expressions;

class Decorators {
 public:
  Decorators(Problems& problems, Names& names, References& references, Expressions& expressions)
      : problems_(problems), names_(names), references_(references), expressions_(expressions) {}

  void read(const ast::Function& function, core::Function& out);

 private:
  void compile(const ast::Decorator& decorator, core::Function& out);
  void check_no_arguments(const ast::Decorator& decorator);
  void derivative(const ast::Decorator& decorator, core::Function& out);
  bool check_derivative(const ast::Decorator& decorator, bool first);
  bool is_forward(const ast::Argument& mode);
  void report_unknown(const ast::Decorator& decorator);
  void report_option(const ast::Decorator& decorator, const ast::Argument& option);

  Problems& problems_;
  Names& names_;
  References& references_;
  Expressions& expressions_;
};

}  // namespace covec::resolve
