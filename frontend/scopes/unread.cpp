// See unread.hpp.
#include "frontend/scopes/unread.hpp"

#include <algorithm>
#include <string>

namespace covec::resolve {

using messages::message;

void note_binding(FunctionScope& scope, std::string_view name, Span span, bool is_import) {
  const auto found = scope.uses.find(name.data());
  if (found == scope.uses.end() || found->second.bound.known()) return;
  found->second.bound = span;
  found->second.is_import = is_import;
}

void note_target(FunctionScope& scope, std::string_view name) {
  const auto found = scope.uses.find(name.data());
  if (found != scope.uses.end()) found->second.read = true;
}

void warn_of_unread(const FunctionScope& scope, Problems& problems) {
  for (const auto& [name, use] : scope.uses) {
    if (use.read || !use.bound.known() || *name == '_' || (scope.is_module() && !use.is_import)) continue;
    if (use.is_import)
      problems.warn(message("unread_import"), use.bound, {use.name});
    else
      problems.warn(message("unread_variable"), use.bound, {use.name, use.name});
  }
}

namespace {

bool block_leaves(const ast::Block& block) {
  return std::ranges::any_of(block, [](const ast::Stmt* stmt) { return always_leaves(*stmt); });
}

}  // namespace

bool always_leaves(const ast::Stmt& stmt) {
  switch (stmt.kind) {
    case ast::StmtKind::return_:
    case ast::StmtKind::break_:
    case ast::StmtKind::continue_: return true;
    case ast::StmtKind::if_: {
      const auto& choice = static_cast<const ast::If&>(stmt);
      return block_leaves(choice.otherwise) &&
             std::ranges::all_of(choice.branches, [](const ast::Branch& each) { return block_leaves(each.body); });
    }
    case ast::StmtKind::try_: {
      const auto& attempt = static_cast<const ast::Try&>(stmt);
      return block_leaves(attempt.body) && block_leaves(attempt.handler);
    }
    default: return false;
  }
}

}  // namespace covec::resolve
