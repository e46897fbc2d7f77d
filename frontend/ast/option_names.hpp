// The names that a parameter **options takes, for completion.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/ast/ast.hpp"

namespace covec::ast {

// The names in `check_names(options, names)` of the function's body, where they are a tuple or list of texts, the keys
// of a record, or a name that the module gives one. Empty where the text does not say.
std::vector<std::string_view> option_names(const Function& function, const Block& module);

}  // namespace covec::ast
