// Formats the text of a program: blanks, indentation, blank lines and line ends. Tokens, comments and line breaks stay
// as they are written, so lines are never joined or cut. The rules are in docs/tools.md. Start reading at format_text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "frontend/source/diagnostic.hpp"
#include "frontend/source/source.hpp"

namespace covec {

enum class FormatOutcome : uint8_t {
  formatted,   // all but the statements that have syntax errors
  left_alone,  // a string or a bracket is open, or the text cannot be read: problems tell it
  mistaken,    // a bug of the formatter: its result had other tokens or comments
};

struct Formatted {
  FormatOutcome outcome = FormatOutcome::formatted;
  std::string text;                  // what was given, unless the outcome is `formatted`
  std::vector<Diagnostic> problems;  // of a text that is left alone
};

// `stack`: the bytes that are left of it.
Formatted format_text(const SourceMap& sources, uint32_t file, size_t stack);

}  // namespace covec
