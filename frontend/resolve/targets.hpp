// Resolves targets of assignments and updates: names, paths into them, tuples of these.
#pragma once

#include "frontend/ast/ast.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/resolve/indices.hpp"
#include "frontend/scopes/lookup.hpp"
#include "frontend/scopes/problems.hpp"
#include "frontend/scopes/scopes.hpp"
#include "frontend/scopes/unknown_names.hpp"

namespace covec::resolve {

class Targets {
 public:
  Targets(Nodes& nodes, Problems& problems, Scopes& scopes, Names& names, const Lookup& lookup, UnknownNames& unknown,
          Indices& indices)
      : nodes_(nodes),
        problems_(problems),
        scopes_(scopes),
        names_(names),
        lookup_(lookup),
        unknown_(unknown),
        indices_(indices) {}

  core::Target* target(const ast::Expr* expr);
  // A name, then fields and indices.
  core::Target* path(const ast::Expr* expr);
  // Of an (interned) name that the current function assigns.
  core::Slot slot(std::string_view name) const;
  // An update needs a value to be there: of a name that the function never binds there can be none.
  bool is_assigned(std::string_view name) const { return lookup_.assigned(scopes_.current(), name).has_value(); }
  void check_update(const ast::Name& root);

 private:
  core::PathStep step(const ast::Expr& expr);

  Nodes& nodes_;
  Problems& problems_;
  Scopes& scopes_;
  Names& names_;
  const Lookup& lookup_;
  UnknownNames& unknown_;
  Indices& indices_;
};

}  // namespace covec::resolve
