// The parts of the lexer beyond its grammar. It keeps the bracket stack and the braces of f-strings, decides which
// newlines are tokens, and checks names, numbers and strings. It repairs what it reports (it inserts a missing
// bracket), so that the parser can go on and find more errors. The trade-off: it knows a little of the grammar (which
// tokens continue a line); in exchange the parser needs no look-ahead for newlines. Start reading at nextToken.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "antlr4-runtime.h"
#include "frontend/parse/layout/brackets.hpp"
#include "frontend/parse/layout/lambda_brace.hpp"
#include "frontend/parse/layout/line_state.hpp"
#include "frontend/parse/layout/repairs.hpp"
#include "frontend/parse/limits.hpp"
#include "frontend/parse/token_output.hpp"
#include "frontend/parse/token_spans.hpp"
#include "frontend/source/diagnostic.hpp"
#include "frontend/source/meter.hpp"
#include "frontend/source/text_limits.hpp"

namespace covec::grammar {

// Thrown where reading on makes no sense.
struct TooDeep {
  Diagnostic diagnostic;
};
struct TooMany {};  // problems: nobody reads on

class LexerBase : public antlr4::Lexer {
 public:
  using TokenPointer = std::unique_ptr<antlr4::Token>;

  explicit LexerBase(antlr4::CharStream* input) : antlr4::Lexer(input) {}

  // Before the first token: where the text is from, whether an open bracket at its end is just unfinished, and in a
  // second reading what is to be repaired.
  void start(uint32_t file, std::string_view text, bool interactive, const TextLimits& limits, Meter& meter,
             BracketRepairs repairs);
  TokenPointer nextToken() override;

  const std::vector<TokenNote>& notes() const { return output_.notes(); }
  const std::vector<Diagnostic>& problems() const { return places_.problems(); }

 private:
  void skip_blanks();
  void arrange(TokenPointer token);
  void deliver(TokenPointer token);
  TokenPointer synthesize(size_t type, size_t at);
  bool settle_in(antlr4::Token& token);
  bool becomes_update(antlr4::Token& token);

  void note_newline(const antlr4::Token& token);
  bool ends_statement(size_t type) const;
  void flush_newline(const antlr4::Token& next);

  void arrange_opener(TokenPointer token);
  void arrange_closer(TokenPointer token);
  void close_top(TokenPointer token);
  void close_unclosed(size_t keep, const antlr4::Token& before);
  void close_by_indentation(const antlr4::Token& before);
  void close_missing();
  void open_missing_block(const MissingBrace& missing, const antlr4::Token& newline);
  void arrange_end(TokenPointer token);

  // --- lexer_strings.cpp ---
  void report_open_string(const antlr4::Token& token);
  void arrange_broken_fstring(TokenPointer token);
  void leave_interpolation(size_t at);
  void skip_nested_format(const antlr4::Token& brace);
  void leave_fstring(size_t at);
  void forget_line();
  void rewind(size_t to);

  Meter* meter_ = nullptr;
  bool interactive_ = false;
  bool in_is_taken_ = false;  // the `in` that comes next belongs to the `not` before it
  TokenSpans places_{{}, 0};
  Brackets brackets_;
  TextLimits limits_;
  std::vector<Span> fstrings_;  // the quotes that open the f-strings around
  LineState line_;
  TokenOutput output_;
  LambdaBrace lambda_brace_;
  BracketRepairs repairs_;
};

}  // namespace covec::grammar
