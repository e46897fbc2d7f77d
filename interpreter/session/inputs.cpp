#include "interpreter/session/inputs.hpp"

namespace covec {

void document(const core::Unit& unit, std::string_view comment) {
  if (comment.empty() || unit.body.empty() || unit.body.front()->kind != core::StmtKind::assign) return;
  const core::Expr& value = *static_cast<const core::Assign&>(*unit.body.front()).value;
  if (value.kind != core::ExprKind::make_closure) return;
  core::Function& function = *static_cast<const core::MakeClosure&>(value).function;
  if (function.name.empty()) return;
  function.doc = std::string(comment) + (function.doc.empty() ? "" : "\n") + function.doc;
}

}  // namespace covec
