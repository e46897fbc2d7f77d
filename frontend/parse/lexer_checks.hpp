// Checks single tokens: characters that the language does not use, names with unsupported letters.
#pragma once

#include "frontend/parse/token_spans.hpp"

namespace covec::grammar {

// The grammar takes every character past ASCII for a letter; here it is looked up.
void check_name(const antlr4::Token& token, TokenSpans& places);
// `in_group`: newlines end nothing here.
void report_unexpected(const antlr4::Token& token, bool in_group, TokenSpans& places);
void report_bad_number(const antlr4::Token& token, TokenSpans& places);
// `A'` and 'it's': what a string that is not closed may be, right behind another token.
std::string_view hint_for_open_string(const antlr4::Token& quote, const TokenSpans& places);
// `x++` at the end of a line, which would go on with the next one; `end` is the byte after the last sign.
void check_increment(size_t end, TokenSpans& places);
// The head of a block that begins with the line at `begin` has no `{` at `end`, `behind` its last token.
void report_missing_brace(uint32_t begin, Span end, uint32_t behind, TokenSpans& places);

}  // namespace covec::grammar
