// Fills gaps in template texts.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

namespace covec::source {

// {NAME} and the like are filled in, one after the other.
inline std::string filled(std::string text, std::initializer_list<std::pair<const char*, std::string>> parts) {
  for (const auto& [key, part] : parts) {
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + part.size())) {
      text.replace(at, std::char_traits<char>::length(key), part);
    }
  }
  return text;
}

}  // namespace covec::source
