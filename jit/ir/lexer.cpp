#include "jit/ir/lexer.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>

namespace covec::ir {

namespace {

bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) || c == '_' || byte >= 0x80;  // names may have letters past ASCII
}

}  // namespace

void Lexer::fail(const std::string& what) const {
  size_t line = 1;
  for (size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n';
  throw std::runtime_error("line " + std::to_string(line) + ": " + what);
}

void Lexer::space() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
}

bool Lexer::next_is(std::string_view token) {
  space();
  if (!text_.substr(at_).starts_with(token)) return false;
  const bool word = std::isalnum(static_cast<unsigned char>(token.back()));
  return !word || at_ + token.size() >= text_.size() || !is_word(text_[at_ + token.size()]);
}

bool Lexer::next_is_number() {
  space();
  return at_ < text_.size() && (text_[at_] == '-' || std::isdigit(static_cast<unsigned char>(text_[at_])));
}

bool Lexer::next_is_word() {
  space();
  return at_ < text_.size() && is_word(text_[at_]);
}

bool Lexer::accept(std::string_view token) {
  if (!next_is(token)) return false;
  at_ += token.size();
  return true;
}

void Lexer::expect(std::string_view token) {
  if (!accept(token)) fail("expected " + std::string(token));
}

bool Lexer::at_end() {
  space();
  return at_ == text_.size();
}

std::string Lexer::found() {
  if (at_end()) return "the end";
  size_t end = at_;
  while (end < text_.size() && is_word(text_[end])) ++end;
  return "`" + std::string(text_.substr(at_, std::max<size_t>(end - at_, 1))) + "`";
}

std::string Lexer::word() {
  space();
  const size_t start = at_;
  while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  if (at_ == start) fail("expected a name");
  return std::string(text_.substr(start, at_ - start));
}

int64_t Lexer::whole() {
  space();
  const std::string digits(text_.substr(at_, 24));
  char* end = nullptr;
  const int64_t number = std::strtoll(digits.c_str(), &end, 10);
  if (end == digits.c_str()) fail("expected a whole number");
  at_ += static_cast<size_t>(end - digits.c_str());
  return number;
}

double Lexer::real() {
  space();
  const std::string digits(text_.substr(at_, 40));
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  if (end == digits.c_str()) fail("expected a number");
  at_ += static_cast<size_t>(end - digits.c_str());
  return number;
}

std::string Lexer::string() {
  expect("\"");
  std::string result;
  for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (text_[at_] == '\\') ++at_;
    const bool newline = at_ > 0 && text_[at_ - 1] == '\\' && text_[at_] == 'n';
    result += newline ? '\n' : text_[at_];
  }
  expect("\"");
  return result;
}

std::string Lexer::until(std::initializer_list<std::string_view> ends) {
  space();
  const size_t start = at_;
  at_ = text_.size();
  for (const std::string_view end : ends) at_ = std::min(at_, text_.find(end, start));
  return std::string(text_.substr(start, at_ - start));
}

}  // namespace covec::ir
