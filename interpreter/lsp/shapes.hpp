// What a variable holds, for hover: a child process finds it, with the limits of `covec --sandbox`.
#pragma once

#include <string>

#include "interpreter/lsp/features.hpp"

namespace covec::lsp {

// "f64[n, k]" of a variable of a function whose parameters are annotated. "": it is not known, or not in time.
std::string shape_at(Workspace& workspace, const Cursor& place, const NameUse& use);

}  // namespace covec::lsp
