// Fills gaps in template texts.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace covec::source {

using Filling = std::vector<std::pair<const char*, std::string>>;

// {NAME} and the like are filled in, one after the other.
inline std::string filled(std::string text, const Filling& parts) {
  for (const auto& [key, part] : parts) {
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + part.size())) {
      text.replace(at, std::char_traits<char>::length(key), part);
    }
  }
  return text;
}

}  // namespace covec::source
