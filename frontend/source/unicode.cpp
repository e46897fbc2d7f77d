// Decodes and encodes UTF-8, strictly: it refuses what other programs would refuse.
#include "frontend/source/unicode.hpp"

namespace covec::unicode {

namespace {

uint32_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

bool allowed(char32_t c, uint32_t length) {
  if (length == 3) return c >= 0x800 && !(c >= 0xD800 && c < 0xE000);
  if (length == 4) return c >= 0x10000 && c <= 0x10FFFF;
  return true;
}

}  // namespace

Decoded decode(std::string_view text, size_t offset) {
  unsigned char first = static_cast<unsigned char>(text[offset]);
  uint32_t length = sequence_length(first);
  if (length <= 1) return {first, length};
  if (offset + length > text.size()) return {};
  char32_t c = first & (0x7F >> length);
  for (uint32_t i = 1; i < length; ++i) {
    unsigned char byte = static_cast<unsigned char>(text[offset + i]);
    if ((byte & 0xC0) != 0x80) return {};
    c = (c << 6) | (byte & 0x3F);
  }
  if (!allowed(c, length)) return {};
  return {c, length};
}

size_t find_invalid(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    Decoded d = decode(text, i);
    if (d.length == 0) return i;
    i += d.length;
  }
  return std::string_view::npos;
}

void append(std::string& out, char32_t c) {
  auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      put(0xE0 | (c >> 12));
    } else {
      put(0xF0 | (c >> 18));
      put(0x80 | ((c >> 12) & 0x3F));
    }
    put(0x80 | ((c >> 6) & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

}  // namespace covec::unicode
