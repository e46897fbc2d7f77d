// Infers omitted ranges of a comprehension from the tensors that its targets index.
#pragma once

#include "frontend/ast/ast.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/resolve/index_uses.hpp"
#include "frontend/resolve/references.hpp"
#include "frontend/scopes/problems.hpp"

namespace covec::resolve {

// Of one resolved comprehension.
class Extents {
 public:
  Extents(Nodes& nodes, References& references, Problems& problems, const IndexUses& uses)
      : nodes_(nodes), references_(references), problems_(problems), uses_(uses) {}

  void infer(core::MapIndex& map, const ast::Comprehension& c);

 private:
  void infer_clause(core::Clause& clause);
  void add(core::Clause& clause, IndexUse& use, uint32_t axis, Span span);
  void hold_bound_objects(core::MapIndex& map);
  void report_none(const ast::Comprehension& c, size_t clause);

  Nodes& nodes_;
  References& references_;
  Problems& problems_;
  const IndexUses& uses_;
};

}  // namespace covec::resolve
