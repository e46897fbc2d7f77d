// classes FILE…: prints two lines for each file, with a letter for each of its bytes: k in a keyword, s in a string, n
// in a number, c in a comment, . elsewhere. The first line is what the lexer's tokens say, the second one the colours
// of the REPL.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "CovecLexer.h"
#include "frontend/parse/byte_stream.hpp"
#include "interpreter/assist/syntax.hpp"

namespace {

using L = covec::grammar::CovecLexer;

char class_of(size_t type) {
  if (type >= L::FN && type <= L::NONE) return 'k';
  switch (type) {
    case L::FN_EXPRESSION:
    case L::IN_OPERATOR:
    case L::NOT_IN:
    case L::FILTER: return 'k';
    case L::INTEGER:
    case L::FLOAT:
    case L::BAD_NUMBER: return 'n';
    case L::STRING:
    case L::OPEN_STRING:
    case L::FSTRING_START:
    case L::FSTRING_TEXT:
    case L::FSTRING_END:
    case L::FORMAT_COLON:
    case L::FORMAT_TEXT: return 's';
    default: return '.';
  }
}

// What the lexer skips: comments, and the `in` of `not in`.
void mark_gap(const std::string& text, size_t begin, size_t end, std::string& classes) {
  for (size_t at = begin; at < end; ++at) {
    if (text.compare(at, 2, "in") == 0) std::fill_n(classes.begin() + static_cast<long>(at), 2, 'k');
    if (text[at] != '#') continue;
    const size_t stop = std::min(text.find_first_of("\r\n", at), end);
    std::fill(classes.begin() + static_cast<long>(at), classes.begin() + static_cast<long>(stop), 'c');
    at = stop;
  }
}

std::string classes_of_lexer(const std::string& text) {
  covec::Meter meter;
  covec::grammar::ByteStream stream(text);
  L lexer(&stream);
  lexer.removeErrorListeners();
  lexer.start(0, text, false, covec::TextLimits{.nesting = 200}, meter, {});
  std::string classes(text.size(), '.');
  size_t end = 0;
  for (auto token = lexer.nextToken(); token->getType() != L::EOF; token = lexer.nextToken()) {
    const size_t begin = token->getStartIndex();
    if (begin > token->getStopIndex()) continue;  // a newline, which has no width
    mark_gap(text, end, begin, classes);
    end = token->getStopIndex() + 1;
    std::fill(classes.begin() + static_cast<long>(begin), classes.begin() + static_cast<long>(end),
              class_of(token->getType()));
  }
  mark_gap(text, end, text.size(), classes);
  return classes;
}

char class_of(covec::editor::Style style) {
  using covec::editor::Style;
  switch (style) {
    case Style::keyword: return 'k';
    case Style::string: return 's';
    case Style::number: return 'n';
    case Style::comment: return 'c';
    default: return '.';
  }
}

std::string classes_of_repl(const std::string& text) {
  std::string classes;
  for (const covec::editor::Style style : covec::styles_of(text, text.size() + 1)) classes += class_of(style);
  return classes;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::cout << classes_of_lexer(text) << '\n' << classes_of_repl(text) << '\n';
  }
}
