// Names characters in messages.
#include "frontend/parse/text.hpp"

#include <cstdio>

#include "frontend/source/unicode.hpp"

namespace covec::grammar {

std::string describe_character(std::string_view text, size_t at) {
  unicode::Decoded d = unicode::decode(text, at);
  char code[16];
  std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(d.character));
  bool shown = d.character > 0x20 && d.character < 0x7F;
  if (shown) return "`" + std::string(text.substr(at, 1)) + "`";
  bool control = d.character <= 0x20 || (d.character >= 0x7F && d.character < 0xA1) || unicode::width(d.character) == 0;
  return control ? code : "`" + std::string(text.substr(at, d.length)) + "` (" + code + ")";
}

}  // namespace covec::grammar
