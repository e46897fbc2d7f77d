// The checks of single tokens: characters that belong to nothing, names of other letters.
#pragma once

#include "frontend/parse/places.hpp"

namespace covec::grammar {

// The grammar takes every character past ASCII for a letter; here it is looked up.
void check_name(const antlr4::Token& token, Places& places);
void report_unexpected(const antlr4::Token& token, Places& places);

}  // namespace covec::grammar
