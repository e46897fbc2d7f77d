// How operators are written. Those of brackets and spreads have no sign.
#pragma once

#include <string_view>

#include "frontend/ast/operator.hpp"

namespace covec {

inline constexpr std::string_view operator_signs[] = {"+", "-",  "*",  "/",  "//", "%",  "^",  "@",
                                                      "<", "<=", ">",  ">=", "==", "!=", "in", "not in",
                                                      "&", "|",  "<<", ">>", "-",  "+",  "~",  "not"};

}  // namespace covec
