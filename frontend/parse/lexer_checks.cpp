// See lexer_checks.hpp.
#include "frontend/parse/lexer_checks.hpp"

#include "frontend/source/unicode.hpp"

namespace covec::grammar {

namespace {

// What was probably meant by a character that is not part of the language.
std::string_view hint_for(char32_t c) {
  switch (c) {
    case '!': return "write not";
    case '?': return "write a if c else b";
    case '`':
    case U'\u201C':
    case U'\u201D':
    case U'\u2018':
    case U'\u2019': return "strings stand in \" or '";
    case '\\': return "a line goes on after an operator or inside brackets";
    case U'\u2212':
    case U'\u2013': return "write -";
    case U'\u00D7':
    case U'\u00B7': return "write *";
    case U'\u2264': return "write <=";
    case U'\u2265': return "write >=";
    case U'\u2260': return "write !=";
    case U'\u2192': return "write ->";
    case U'\u00A0': return "this is a no-break space; write a plain one";
    default: return {};
  }
}

}  // namespace

void report_unexpected(const antlr4::Token& token, Places& places) {
  size_t at = token.getStartIndex();
  Diagnostic& d = places.report(messages::message("unexpected_character"), places.span(token),
                                {describe_character(places.text(), at)});
  d.hint = hint_for(static_cast<unsigned char>(places.text()[at]));
}

void check_name(const antlr4::Token& token, Places& places) {
  std::string_view name = places.text(token);
  for (size_t i = 0; i < name.size();) {
    unicode::Decoded d = unicode::decode(name, i);
    bool good = i == 0 ? unicode::is_letter(d.character) : unicode::continues_name(d.character);
    if (!good) {
      uint32_t begin = static_cast<uint32_t>(token.getStartIndex() + i);
      Diagnostic& problem =
          places.report(messages::message("unexpected_character"), places.span(begin, begin + d.length),
                        {describe_character(places.text(), begin)});
      problem.hint = hint_for(d.character);
      return;
    }
    i += d.length;
  }
}

}  // namespace covec::grammar
