// UTF-8, and the few properties of characters that the language needs: whether one is a letter, and its width in a
// terminal. Start reading at decode.
//
// Why not utf8proc: it has the whole character database, 340 KB in the static library. Four properties are needed here,
// and their tables take 12 KB. With utf8proc the command would be larger by 2 % and start no faster. It also follows
// another version of Unicode (15.0), so the machine that builds would decide what a name is. It gives unassigned
// ideographs one column, where the standard and terminals give two. It gives control characters none, where a caret
// below them needs one.
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
