// The names that a parameter **options takes, for completion.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/ast/ast.hpp"

namespace covec::ast {

// What the function's body checks by check_names(options, names): a tuple or list of texts, the keys of a record,
// or a name that the module gives one. Empty where the text does not say.
std::vector<std::string_view> option_names(const Function& function, const Block& module);

}  // namespace covec::ast
