// A text cut into lines of items: tokens and comments. Lines that stay as they are written are marked: those of
// statements with errors, and those between `# fmt: off` and `# fmt: on`. Start reading at lines_of.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontend/parse/tokens/tokens.hpp"

namespace covec::format {

constexpr uint32_t no_token = UINT32_MAX;

// A token, or a comment.
struct Item {
  uint32_t begin = 0, end = 0;  // bytes
  uint32_t token = no_token;    // its number; no_token: a comment
  Role role = Role::unread;
  bool begins_line = false;
  bool is_spaced = false;    // blanks stand before it; where it begins a line, behind it
  uint32_t written_gap = 0;  // columns between it and the item before it in its line
  uint32_t written_column = 0;
  uint32_t column = 0;  // of the result

  bool is_comment() const { return token == no_token; }
};

struct Line {
  size_t first = 0, last = 0;   // items, half open
  uint32_t begin = 0, end = 0;  // bytes, of a line that is kept: it may be several in one
  uint32_t blank_lines = 0;     // before it
  bool kept = false;
};

struct Lines {
  std::vector<Item> items;
  std::vector<Line> lines;
};

Lines lines_of(std::string_view text, const TokenList& list);

// The column behind a text that begins at `column`. A tab goes on to the next multiple of four.
uint32_t column_after(uint32_t column, std::string_view text);

// The pieces that no token covers: comments, and characters that are no part of the language. Blanks and line ends are
// left out.
std::vector<Span> pieces_between(std::string_view text, uint32_t begin, uint32_t end);

}  // namespace covec::format
