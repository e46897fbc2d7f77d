// Imports and variables that nothing reads: what tools warn of, and a run does not. A scope keeps its uses for tools
// only, so that programs that run pay nothing. Parameters, targets of loops and of tuples, and names with `_` in front
// are not told: they are often there for their place alone.
#pragma once

#include <vector>

#include "frontend/scopes/problems.hpp"
#include "frontend/scopes/scope.hpp"

namespace covec::resolve {

// A plain assignment or an import of a name that the scope keeps the uses of.
void note_binding(FunctionScope& scope, std::string_view name, Span span, bool is_import);
// Another statement binds it.
void note_target(FunctionScope& scope, std::string_view name);
// After the last statement of the scope. Of a module's names only imports are told: others may read the rest.
void warn_of_unread(const FunctionScope& scope, Problems& problems);

// After it no statement of its block is reached.
bool always_leaves(const ast::Stmt& stmt);

}  // namespace covec::resolve
