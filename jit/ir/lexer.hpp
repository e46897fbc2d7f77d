// The tokens of a graph's text (graph_text.hpp). The parser asks for the token that it expects, so that the same
// characters may be a name in one place and a number in another. Start at accept().
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace covec::ir {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  // With the number of the line.
  [[noreturn]] void fail(const std::string& what) const;

  bool next_is(std::string_view token);
  bool next_is_number();
  bool next_is_word();
  bool accept(std::string_view token);
  void expect(std::string_view token);
  bool at_end();
  // What comes next, for a message: a word or a character.
  std::string found();

  std::string word();
  int64_t whole();
  double real();
  std::string string();  // in quotation marks
  std::string until(std::initializer_list<std::string_view> ends);

  // For what is read twice.
  size_t place() const { return at_; }
  void go_to(size_t place) { at_ = place; }

 private:
  void space();
  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace covec::ir
