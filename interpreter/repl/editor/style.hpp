// Styles of a piece of text, and the escape sequences for a terminal with colours.
#pragma once

#include <cstdint>
#include <string_view>

namespace covec::editor {

enum class Style : uint8_t { plain, prompt, keyword, string, number, comment, partner, wrong, name, warning, hint };

constexpr std::string_view style_off = "\033[0m";

// The sixteen colours that every terminal has, as its user has chosen them; none that is hard to see on white or black.
constexpr std::string_view style_on(Style style) {
  switch (style) {
    case Style::prompt:
    case Style::name: return "\033[1m";
    case Style::keyword: return "\033[35m";
    case Style::string: return "\033[32m";
    case Style::number: return "\033[36m";
    case Style::comment: return "\033[90m";
    case Style::partner: return "\033[1;7m";
    case Style::wrong: return "\033[1;31m";
    case Style::warning: return "\033[1;33m";
    case Style::hint: return "\033[36m";
    case Style::plain: break;
  }
  return "";
}

}  // namespace covec::editor
