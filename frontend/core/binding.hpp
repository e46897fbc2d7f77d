// Binds a call's arguments to a builtin's parameters. It does so here, once, so that its errors have a place and the
// engines a fixed layout.
#pragma once

#include <vector>

#include "frontend/ast/ast.hpp"
#include "frontend/core/builtins.hpp"
#include "frontend/core/core.hpp"
#include "frontend/source/diagnostic.hpp"

namespace covec::resolve {

// Lays the arguments out by parameters in `op`; false, and `problem`, where they do not fit. Where op.method, the first
// parameter is taken by the object, which the engine puts there.
bool bind_arguments(const Builtin& builtin, const std::vector<core::Argument>& arguments, const ast::Call& call,
                    core::Op& op, Diagnostic& problem);

}  // namespace covec::resolve
