// Signatures as they are written, for people.
#pragma once

#include <string>

#include "frontend/ast/ast.hpp"

namespace covec {

// "n: i64=3", "*rest", "**options".
std::string parameter_text(const ast::Parameter& parameter, const SourceFile& file);
// "f(x, n=3)".
std::string signature_text(const ast::Function& function, const SourceFile& file);

}  // namespace covec
