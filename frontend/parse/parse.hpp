// Parses text into the AST. No code outside this header sees ANTLR.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast/ast.hpp"
#include "frontend/parse/tokens/tokens.hpp"
#include "frontend/source/diagnostic.hpp"
#include "frontend/source/meter.hpp"
#include "frontend/source/text_limits.hpp"

namespace covec {

struct ParseResult {
  std::unique_ptr<ast::Unit> unit;   // nullptr where there are problems and it is not kept, or the text is unfinished
  std::vector<Diagnostic> problems;  // in the order of the text
  bool incomplete = false;           // more lines could make it right (interactive only)
};

// As the grammar writes them.
const std::vector<std::string>& keywords();
bool is_keyword(std::string_view word);

// `stack`: the bytes that are left of it. A text that nests too deeply for it is an error. Of many problems the first
// are given. `keeps_tree`: also of a text with syntax errors, where the statements that have them are ast::Broken. That
// tree is for looking at, not for running.
ParseResult parse(const SourceMap& sources, uint32_t file, bool interactive, size_t stack, Meter& meter,
                  const TextLimits& limits = {}, bool keeps_tree = false);

// The tokens of a program, also of one with syntax errors. Without roles nothing is parsed.
TokenList read_tokens(const SourceMap& sources, uint32_t file, size_t stack, Meter& meter, const TextLimits& limits,
                      bool with_roles);

}  // namespace covec
