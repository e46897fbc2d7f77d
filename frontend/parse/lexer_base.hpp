// What the lexer does beyond its grammar: the bracket stack, which newlines are tokens, the braces of f-strings,
// checks of names, numbers and strings. It repairs what it reports (a missing bracket is put in), so that the parser
// can go on and find more. Trade-off: it knows a little of the grammar (which tokens continue a line), in exchange for
// a parser that needs no look-ahead for newlines. Start reading at nextToken.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "antlr4-runtime.h"
#include "frontend/parse/limits.hpp"
#include "frontend/source/diagnostic.hpp"
#include "frontend/source/messages.hpp"

namespace covec::grammar {

constexpr uint32_t kNoToken = UINT32_MAX;

// What is known of a token besides its type and place, by its number.
struct TokenNote {
  uint32_t opener = kNoToken;  // the number of the innermost bracket open before it
  uint32_t depth = 0;          // how many are open
  bool starts_line = false;    // the first token of its line
};

// Thrown where reading on makes no sense.
struct TooDeep {
  Diagnostic diagnostic;
};

class LexerBase : public antlr4::Lexer {
 public:
  using TokenPointer = std::unique_ptr<antlr4::Token>;

  explicit LexerBase(antlr4::CharStream* input) : antlr4::Lexer(input) {}

  // Before the first token: where the text is from, and whether an open bracket at its end is just unfinished.
  void start(uint32_t file, std::string_view text, bool interactive);
  TokenPointer nextToken() override;

  const std::vector<TokenNote>& notes() const { return notes_; }
  const std::vector<Diagnostic>& problems() const { return problems_; }

 private:
  struct Bracket {
    size_t type = 0;  // of the opening token; FSTRING_OPEN for an interpolation
    uint32_t token = kNoToken;
    Span span;
    antlr4::CommonToken* opens_operand = nullptr;  // a parenthesis that may turn out to begin a lambda
  };

  void skip_blanks();
  void deliver(TokenPointer token);
  void arrange(TokenPointer token);
  void note_newline(const antlr4::Token& token);
  bool ends_statement(size_t type) const;
  void flush_newline(const antlr4::Token& next);
  bool continues_line(const antlr4::Token& token) const;
  bool starts_statement(const antlr4::Token& token) const;

  void arrange_opener(TokenPointer token);
  void arrange_closer(TokenPointer token);
  void close_top(TokenPointer token);
  void close_unclosed(size_t keep, const antlr4::Token& before);
  size_t find_opener(size_t closer) const;
  void arrange_end(TokenPointer token);
  void report_unclosed(const Bracket& bracket, Span before);

  void check_name(const antlr4::Token& token);
  void report_unexpected(const antlr4::Token& token);
  void report_open_string(const antlr4::Token& token);
  void arrange_broken_fstring(TokenPointer token);
  void leave_interpolation(size_t at);
  void skip_nested_format(const antlr4::Token& brace);
  void leave_fstring(size_t at);
  void forget_line();
  Diagnostic& report(const messages::Message& message, Span span, std::initializer_list<std::string_view> values = {});

  bool is_unnamed_fn(const antlr4::Token& token) const;
  void tell_apart(antlr4::CommonToken& token);
  TokenPointer synthesize(size_t type, size_t at);
  void rewind(size_t to);
  Span span_of(const antlr4::Token& token) const;
  std::string_view text_of(const antlr4::Token& token) const;
  bool in_block() const;

  uint32_t file_ = 0;
  std::string_view text_;
  bool interactive_ = false;
  std::vector<Bracket> brackets_;
  std::vector<Span> fstrings_;  // the quotes that open the f-strings around
  std::deque<TokenPointer> ready_;
  std::vector<TokenNote> notes_;
  std::vector<Diagnostic> problems_;
  antlr4::CommonToken* last_ = nullptr;        // the last token put out
  antlr4::CommonToken* last_group_ = nullptr;  // if that closes a parenthesis that may begin a lambda: its opener
  size_t previous_ = 0;                        // the type of the last token put in ready_; 0 at the start
  size_t previous_end_ = 0;                    // the byte after it
  bool newline_pending_ = false;
  size_t newline_at_ = 0;
  bool line_started_ = true;
  size_t line_begin_ = 0;
};

}  // namespace covec::grammar
