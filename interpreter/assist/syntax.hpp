// What the editor needs to know of the language while the user types: words, numbers, strings and comments, matching
// brackets, and the indentation of a new line. It reads bytes and never fails; the parser decides what is correct when
// the text is complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/repl/editor/style.hpp"

namespace covec {

// A style for each byte; the bracket at the cursor (or before it) and its partner stand out, as does one without.
std::vector<editor::Style> styles_of(std::string_view text, size_t cursor);

// Spaces for a line that begins where the text ends: four more than the line with the bracket that is open there.
size_t indent_after(std::string_view text);
// Likewise for a line that begins with the bracket that closes it.
size_t indent_of_closing(std::string_view text);

// A letter of any script (its bytes), a digit or `_`.
bool is_in_name(char c);

// The innermost call, index or list that is still open where the text ends; nothing: there is none.
struct OpenBracket {
  size_t at;                                // where it opens
  std::vector<std::string_view> arguments;  // what stands between its commas; the last one goes up to the text's end
};
std::optional<OpenBracket> open_bracket(std::string_view text);

// Where the name begins that the text ends in; its size where it ends in none.
size_t word_start(std::string_view text);
// The names and dots that end at a place: "optim.adam".
std::string_view chain_before(std::string_view text, size_t at);
// "axis" of the argument "axis=0"; "" of one without a name.
std::string_view name_of_argument(std::string_view argument);

// Where the string that is still open at the end of the text begins, behind its quote; nothing: none is open.
std::optional<size_t> open_string(std::string_view text);

// The text without the prompts that its lines begin with, as copied from a session: Python's `>>> ` and `... `, and if
// `own` the `> ` and `. ` of this one. Only if its first line has one.
std::string without_prompts(std::string_view text, bool own);

}  // namespace covec
