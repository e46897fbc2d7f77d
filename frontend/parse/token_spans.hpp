// Source places of tokens and contexts, their text, and reports of errors there.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "antlr4-runtime.h"
#include "frontend/parse/text.hpp"
#include "frontend/source/diagnostic.hpp"
#include "frontend/source/messages.hpp"

namespace covec::grammar {

class TokenSpans {
 public:
  TokenSpans(std::string_view text, uint32_t file) : text_(text), file_(file) {}

  Span span(const antlr4::Token& token) const { return span_of(token, file_); }
  Span span(const antlr4::ParserRuleContext& context) const {
    Span begin = span(*context.start);
    return context.stop == nullptr ? begin : begin.to(span(*context.stop));
  }
  Span span(uint32_t begin, uint32_t end) const { return {file_, begin, end}; }

  std::string_view text() const { return text_; }
  std::string_view text(Span span) const { return text_.substr(span.begin, span.end - span.begin); }
  std::string_view text(const antlr4::Token& token) const { return text(span(token)); }

  // The problem may be given a hint until the next one is reported.
  Diagnostic& report(const messages::Message& message, Span span, std::initializer_list<std::string_view> values = {}) {
    problems_.push_back(messages::make(message, span, values));
    return problems_.back();
  }
  const std::vector<Diagnostic>& problems() const { return problems_; }
  std::vector<Diagnostic> take_problems() { return std::move(problems_); }

 private:
  std::string_view text_;
  uint32_t file_;
  std::vector<Diagnostic> problems_;
};

}  // namespace covec::grammar
