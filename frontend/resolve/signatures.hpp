// Resolves what a function declares: its slots, parameters and annotations. Slot order: parameters, dimension names,
// assigned names, then targets of comprehensions and temporaries in order of appearance.
#pragma once

#include "frontend/ast/ast.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/resolve/literals.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/scopes/problems.hpp"
#include "frontend/scopes/scope.hpp"

namespace covec::resolve {

class Expressions;

class Signatures {
 public:
  Signatures(Nodes& nodes, Names& names, Literals& literals, Expressions& expressions, Problems& problems)
      : nodes_(nodes), names_(names), literals_(literals), expressions_(expressions), problems_(problems) {}

  // Fills the slots, then the parameters, of `scope`, which must be the current one.
  void read(const ast::Function& function, FunctionScope& scope);

 private:
  void declare(const ast::Function& function, FunctionScope& scope);
  void declare_dimensions(const ast::Annotation* annotation, FunctionScope& scope);
  void parameters(const ast::Function& function, FunctionScope& scope);
  core::Annotation* annotation(const ast::Annotation* annotation, FunctionScope& scope);
  core::DimAnnotation dimension(const ast::Dimension& dimension, FunctionScope& scope);
  void name_dimension(core::DimAnnotation& out, std::string_view name, const FunctionScope& scope);

  Nodes& nodes_;
  Names& names_;
  Literals& literals_;
  Expressions& expressions_;
  Problems& problems_;
};

}  // namespace covec::resolve
