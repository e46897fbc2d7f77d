// Binds a call's arguments to a builtin's parameters. It does so here, once, so that its errors have a place and the
// engines a fixed layout.
#pragma once

#include <string>
#include <string_view>
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

// A hint for a keyword that is none of the `known` parameters: another system's name, or a name that is near.
// `builtin` is "" for a function of the program, to which only the names of parameters apply.
std::string hint_for_keyword(std::string_view builtin, std::string_view keyword,
                             const std::vector<std::string_view>& known);

}  // namespace covec::resolve
