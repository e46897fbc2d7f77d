// Resolves indices: x[i, a:b, …]. Each is noted in its function's scope, so that comprehensions can find the ranges of
// their targets.
#pragma once

#include "frontend/ast/ast.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/scopes/lookup.hpp"
#include "frontend/scopes/scopes.hpp"

namespace covec::resolve {

class Expressions;

class Indices {
 public:
  Indices(Nodes& nodes, Scopes& scopes, Names& names, const Lookup& lookup, Expressions& expressions)
      : nodes_(nodes), scopes_(scopes), names_(names), lookup_(lookup), expressions_(expressions) {}

  // The object is read already: mentions_begin and first_slot are where that began.
  core::Expr* index(const ast::Index& i, core::Expr* object, size_t mentions_begin, uint32_t first_slot);
  core::IndexItem item(const ast::IndexItem& item);

 private:
  bool means_newaxis(const ast::Expr& at);

  Nodes& nodes_;
  Scopes& scopes_;
  Names& names_;
  const Lookup& lookup_;
  Expressions& expressions_;
};

}  // namespace covec::resolve
