// UTF-8 and the few properties of characters that the language needs: what is a letter, how wide a terminal draws
// it. Start reading at decode.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace covec::unicode {

struct Decoded {
  char32_t character = 0;
  uint32_t length = 0;  // bytes; 0 where the text is not UTF-8
};

// The character that starts at `text[offset]`. Overlong forms, surrogates and what is past U+10FFFF are invalid.
Decoded decode(std::string_view text, size_t offset);

// The offset of the first byte that is not UTF-8, or npos.
size_t find_invalid(std::string_view text);

void append(std::string& out, char32_t character);

bool is_letter(char32_t character);       // of any script, or '_'
bool continues_name(char32_t character);  // a letter, a digit, a combining mark
int width(char32_t character);            // columns in a terminal: 0, 1 or 2

}  // namespace covec::unicode
