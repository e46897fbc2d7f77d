// Reads a format specification, and pads text to its width.
#include "stdlib/tensor/format_spec.hpp"

#include <algorithm>

#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

namespace {

constexpr int size_limit = 10'000;  // of width and precision: more is a mistake, or an attack

constexpr bool is_align(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

size_t character_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

class SpecReader {
 public:
  explicit SpecReader(std::string_view text) : whole_(text), left_(text) {}

  FormatSpec read() {
    FormatSpec spec;
    spec.text = whole_;
    read_alignment(spec);
    if (const char c = peek(); c == '+' || c == '-' || c == ' ') spec.sign = take();
    spec.no_negative_zero = skip('z');
    spec.alternate = skip('#');
    if (skip('0')) {
      if (spec.align == 0) {
        spec.fill = "0";
        spec.align = '=';
      } else if (spec.fill == " ") {
        spec.fill = "0";
      }
    }
    spec.width = read_number("width", 0);
    if (const char c = peek(); c == ',' || c == '_') spec.grouping = take();
    if (const char c = peek(); spec.grouping != 0 && (c == ',' || c == '_')) bad("two grouping options");
    if (skip('.')) {
      spec.precision = read_number("precision", -1);
      if (spec.precision < 0) bad("a number must follow the point");
    }
    if (!left_.empty()) read_type(spec);
    return spec;
  }

 private:
  [[noreturn]] void bad(std::string why) const {
    fail(message("format_spec"), {std::string(whole_), std::move(why)}, {},
         "a format is [[fill]align][sign][#][0][width][,][.precision][type], like .3f or >10");
  }
  char peek() const { return left_.empty() ? 0 : left_[0]; }
  char take() {
    const char c = left_[0];
    left_.remove_prefix(1);
    return c;
  }
  bool skip(char c) {
    if (peek() != c || left_.empty()) return false;
    left_.remove_prefix(1);
    return true;
  }

  void read_alignment(FormatSpec& spec) {
    if (left_.empty()) return;
    const size_t bytes = std::min(character_bytes(left_[0]), left_.size());
    if (bytes < left_.size() && is_align(left_[bytes])) {
      spec.fill = left_.substr(0, bytes);
      left_.remove_prefix(bytes);
      spec.align = take();
    } else if (is_align(left_[0])) {
      spec.align = take();
    }
  }

  int read_number(const char* what, int absent) {
    if (peek() < '0' || peek() > '9') return absent;
    int number = 0;
    while (peek() >= '0' && peek() <= '9') {
      number = number * 10 + (take() - '0');
      if (number > size_limit) bad(std::string("the ") + what + " is more than " + std::to_string(size_limit));
    }
    return number;
  }

  void read_type(FormatSpec& spec) {
    constexpr std::string_view types = "bcdeEfFgGnosxX%";
    if (types.find(left_[0]) == std::string_view::npos || left_.size() > 1) {
      const bool one = left_.size() == character_bytes(left_[0]);
      bad(one ? "there is no type '" + std::string(left_) + "'" : "'" + std::string(left_) + "' is not understood");
    }
    spec.type = take();
  }

  const std::string_view whole_;
  std::string_view left_;
};

std::string repeat(const std::string& text, size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

FormatSpec parse_format_spec(std::string_view text) { return SpecReader(text).read(); }

size_t count_characters(std::string_view utf8) {
  return static_cast<size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const FormatSpec& spec, std::string prefix, std::string text, char align) {
  const size_t length = count_characters(prefix) + count_characters(text);
  const auto width = static_cast<size_t>(spec.width);
  const size_t missing = length < width ? width - length : 0;
  switch (spec.align != 0 ? spec.align : align) {
    case '<': return prefix + text + repeat(spec.fill, missing);
    case '=': return prefix + repeat(spec.fill, missing) + text;
    case '^': return repeat(spec.fill, missing / 2) + prefix + text + repeat(spec.fill, missing - missing / 2);
    default: return repeat(spec.fill, missing) + prefix + text;
  }
}

}  // namespace covec
