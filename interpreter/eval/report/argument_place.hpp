// Finds the name of a named argument in the program's text: errors about the argument point at it.
#pragma once

#include <string_view>

#include "frontend/core/core.hpp"

namespace covec {

// The name of the argument in the call that stands at `call`, in any function of the text; unknown where there is no
// such call, or a record gives the name.
Span place_of_argument(const core::Unit& text, Span call, std::string_view name);

}  // namespace covec
