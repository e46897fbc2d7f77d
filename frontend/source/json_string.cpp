#include "frontend/source/json_string.hpp"

#include "frontend/source/unicode.hpp"

namespace covec {

namespace {

void append_escaped(std::string& out, unsigned char c) {
  constexpr char digits[] = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    out += {'\\', static_cast<char>(c)};
  } else if (c == '\n') {
    out += "\\n";
  } else {
    out += "\\u00";
    out += {digits[c >> 4], digits[c & 15]};
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t length = unicode::decode(text, i).length;
    if (length == 0) {
      out += "\uFFFD";
    } else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f) {
      append_escaped(out, c);
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out + "\"";
}

}  // namespace covec
