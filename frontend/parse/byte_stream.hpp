// A text as ANTLR's character stream, byte by byte. So a token's position is a position in the text, nothing is decoded
// or copied, and the lexer's tables stay small. Bytes past ASCII are letters to the lexer; LexerBase checks names.
#pragma once

#include <string>
#include <string_view>

#include "antlr4-runtime.h"

namespace covec::grammar {

class ByteStream : public antlr4::CharStream {
 public:
  explicit ByteStream(std::string_view text) : text_(text) {}

  void consume() override { ++position_; }
  size_t LA(ssize_t i) override {
    size_t at = position_ + static_cast<size_t>(i > 0 ? i - 1 : i);
    return at < text_.size() ? static_cast<unsigned char>(text_[at]) : antlr4::IntStream::EOF;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  size_t index() override { return position_; }
  void seek(size_t index) override { position_ = index; }
  size_t size() override { return text_.size(); }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval& interval) override {
    size_t begin = static_cast<size_t>(interval.a);
    return std::string(text_.substr(begin, static_cast<size_t>(interval.b) + 1 - begin));
  }
  std::string toString() const override { return std::string(text_); }

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace covec::grammar
