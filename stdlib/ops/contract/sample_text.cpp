#include "stdlib/ops/contract/sample_text.hpp"

#include <cctype>

namespace covec::ops {

std::vector<size_t> commas_of(std::string_view text) {
  std::vector<size_t> found;
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      found.push_back(i);
    }
  }
  return found;
}

bool is_keyword(std::string_view text) {
  size_t i = 0;
  while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_')) ++i;
  return i > 0 && i + 1 < text.size() && text[i] == '=' && text[i + 1] != '=';
}

}  // namespace covec::ops
