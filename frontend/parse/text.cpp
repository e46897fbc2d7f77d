// Names characters in messages, and modules by their paths.
#include "frontend/parse/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "frontend/parse/parse.hpp"
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

std::string_view name_in_path(std::string_view path) {
  constexpr std::string_view ending = ".covec";
  std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  if (!name.ends_with(ending)) return {};
  name.remove_suffix(ending.size());
  const bool fits =
      std::ranges::all_of(name, [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); });
  const bool is_name = fits && !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) && !is_keyword(name);
  return is_name ? name : std::string_view();
}

}  // namespace covec::grammar
