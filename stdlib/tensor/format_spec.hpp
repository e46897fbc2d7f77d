// A format specification of Python's mini-language, taken apart:
// [[fill]align][sign][z][#][0][width][grouping][.precision][type].
#pragma once

#include <string>
#include <string_view>

namespace covec {

struct FormatSpec {
  std::string text;        // as written, for messages
  std::string fill = " ";  // one character, UTF-8
  char align = 0;          // < > = ^; 0: what the kind of value has
  char sign = '-';
  bool no_negative_zero = false;
  bool alternate = false;
  int width = 0;
  char grouping = 0;  // , or _
  int precision = -1;
  char type = 0;  // b c d e E f F g G n o s x X %
};

// Throws OpError(format_spec).
FormatSpec parse_format_spec(std::string_view text);

// Pads `text` (prefix: sign and 0x, which stay in front of '=' padding) to the width; `align` where the spec has none.
std::string padded(const FormatSpec& spec, std::string prefix, std::string text, char align);

size_t count_characters(std::string_view utf8);

}  // namespace covec
