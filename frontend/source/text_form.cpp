// See text_form.hpp.
#include "frontend/source/text_form.hpp"

#include <charconv>

namespace covec {

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\0') {
      out += "\\0";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string real_text(double value) {
  char buffer[32];
  std::string out(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  bool looks_integer = out.find_first_of(".en") == std::string::npos;
  return looks_integer ? out + ".0" : out;
}

}  // namespace covec
