// Colours the command's output if wanted, and wraps lines to the terminal's width.
#pragma once

#include <string>
#include <string_view>

#include "interpreter/repl/editor/style.hpp"

namespace covec {

// For standard output or standard error, by their descriptors.
std::string painted(std::string_view text, editor::Style style, int descriptor);
// Diagnostics as they were rendered: what kind each is, and the carets.
std::string painted_diagnostics(std::string_view rendered, int descriptor);

// Broken between words; lines after the first begin with so many spaces.
std::string wrapped(std::string_view line, unsigned columns, unsigned indent);
// So much of a line as so many columns show, with an ellipsis where it is cut.
std::string shortened(std::string_view line, unsigned columns);
// What lines are broken at: the window's width, at most a comfortable one.
unsigned text_columns();

}  // namespace covec
