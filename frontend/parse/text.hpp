// Small helpers of both lexer and builder: places of tokens, names of characters in messages.
#pragma once

#include <string>
#include <string_view>

#include "antlr4-runtime.h"
#include "frontend/source/source.hpp"

namespace covec::grammar {

// A token's place; the end of the text and tokens put in by the lexer are empty.
inline Span span_of(const antlr4::Token& token, uint32_t file) {
  uint32_t begin = static_cast<uint32_t>(token.getStartIndex());
  uint32_t end = token.getType() == antlr4::Token::EOF ? begin : static_cast<uint32_t>(token.getStopIndex() + 1);
  return {file, begin, end < begin ? begin : end};
}

// "`$`", or "U+0001" for what cannot be shown.
std::string describe_character(std::string_view text, size_t at);

// The name of a module in its path, "util" of "lib/util.covec"; "" where that is no plain name in ASCII.
std::string_view name_in_path(std::string_view path);

}  // namespace covec::grammar
