// The context of a syntax error: the tokens around it, the rule being read and the bracket around it. The questions of
// explain.cpp, explain_foreign_syntax.cpp and hint_of_foreign_syntax.cpp use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/parse/errors.hpp"
#include "frontend/parse/text.hpp"
#include "frontend/source/fixes.hpp"
#include "frontend/source/messages.hpp"

namespace covec::grammar {

using Answer = std::optional<Diagnostic>;

class Surroundings {
 public:
  Surroundings(const ErrorSite& site, const antlr4::misc::IntervalSet& expected)
      : site_(site), expected_(expected), found_(*site.found), index_(found_.getTokenIndex()) {}

  const antlr4::Token& found() const { return found_; }
  size_t index() const { return index_; }
  antlr4::Token* before(size_t steps = 1) const { return index_ >= steps ? site_.tokens.get(index_ - steps) : nullptr; }
  antlr4::Token* after(size_t steps = 1) const {
    return index_ + steps < site_.notes.size() ? site_.tokens.get(index_ + steps) : nullptr;
  }
  size_t type_before(size_t steps = 1) const { return before(steps) != nullptr ? before(steps)->getType() : 0; }
  size_t type_after(size_t steps = 1) const { return after(steps) != nullptr ? after(steps)->getType() : 0; }
  const TokenNote& note() const { return site_.notes[index_]; }
  // The bracket around the error, nullptr outside of any.
  antlr4::Token* opener() const { return note().opener == kNoToken ? nullptr : site_.tokens.get(note().opener); }

  Span span(const antlr4::Token& token) const { return span_of(token, site_.file); }
  std::string_view text(const antlr4::Token& token) const { return text(span(token)); }
  std::string_view text(Span s) const { return site_.text.substr(s.begin, s.end - s.begin); }
  std::string_view text_before(size_t steps = 1) const;
  Fix fix(Span span, std::string word) const { return separate_word(site_.text, span, std::move(word)); }
  // Without a blank between them.
  bool adjacent(const antlr4::Token& a, const antlr4::Token& b) const { return span(a).end == span(b).begin; }

  bool expects(size_t type) const { return expected_.contains(type); }
  antlr4::ParserRuleContext& context() const { return *site_.context; }
  bool in_rule(size_t rule) const { return site_.context->getRuleIndex() == rule; }
  // The nearest rule around the error, the innermost included.
  antlr4::ParserRuleContext* enclosing(size_t rule) const;
  bool in_signature() const;  // of a function, not in the block that follows it
  bool between_statements() const;
  // The statement's own keyword, nullptr for an expression or assignment.
  antlr4::Token* statement_word() const;
  // In the braces of a record, where a field begins.
  bool field_expected() const;

  std::string describe(const antlr4::Token& token) const;

 private:
  const ErrorSite& site_;
  const antlr4::misc::IntervalSet& expected_;
  const antlr4::Token& found_;
  size_t index_;
};

bool is_keyword_token(size_t type);
bool ends_operand(size_t type);

// Syntax of another language: asked before the questions of the grammar.
Answer explain_foreign_syntax(const Surroundings& around);
// "" where the grammar's own message and hint are all there is to say.
std::string hint_of_foreign_syntax(const Surroundings& around);

}  // namespace covec::grammar
