// Decides which newlines end a statement: after an operator a line goes on, unless the next one begins a statement.
#pragma once

#include <cstddef>
#include <string_view>

#include "antlr4-runtime.h"

namespace covec::grammar {

// After a token of this type a line goes on.
bool expects_more(size_t type);

// From `at` past blanks, comments and newlines.
size_t next_token(std::string_view text, size_t at);

// Whether the token at `at`, after a line that ends in a token of type `last`, is a word that begins a statement, or
// begins `name =`: that line ends there, although it expects more. After a comma, `name =` is a target.
bool statement_follows(size_t last, std::string_view text, size_t at);

// The token begins a statement, whatever is around it: no expression contains it.
bool begins_statement(const antlr4::Token& token, std::string_view text);

// `fn (` begins an expression; `fn name`, and `fn` with a keyword for a name by mistake, a definition.
bool is_unnamed_fn(const antlr4::Token& token, std::string_view text);

// A line that begins with `.name` goes on with the one before.
bool continues_line(const antlr4::Token& token, std::string_view text);

// `else` and `catch` behind a block's brace.
bool continues_block(const antlr4::Token& token, size_t previous);

}  // namespace covec::grammar
