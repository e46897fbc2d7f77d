// What the editor needs to know of the language while the user types: words, numbers, strings and comments, matching
// brackets, and the indentation of a new line. It reads bytes and never fails; the parser decides what is correct when
// the text is complete.
#pragma once

#include <string_view>
#include <vector>

#include "interpreter/repl/editor/style.hpp"

namespace covec {

inline constexpr std::string_view keywords[] = {"fn",       "return", "if",     "else", "for",   "while", "break",
                                                "continue", "import", "assert", "try",  "catch", "true",  "false",
                                                "none",     "and",    "or",     "not",  "in",    "as"};

// A style for each byte; the bracket at the cursor (or before it) and its partner stand out, as does one without.
std::vector<editor::Style> styles_of(std::string_view text, size_t cursor);

// Spaces for a line that begins where the text ends: four more than the line with the bracket that is open there.
size_t indent_after(std::string_view text);
// Likewise for a line that begins with the bracket that closes it.
size_t indent_of_closing(std::string_view text);

}  // namespace covec
