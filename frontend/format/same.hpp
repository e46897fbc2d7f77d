// Compares two texts as the parser and the reader see them: tokens, comments and which of them end a statement.
#pragma once

#include <string_view>

#include "frontend/parse/tokens/tokens.hpp"

namespace covec::format {

bool has_same_tokens(std::string_view a, const TokenList& tokens_of_a, std::string_view b,
                     const TokenList& tokens_of_b);

}  // namespace covec::format
