// Repairs of brackets, for the second reading of a text whose first reading found errors of brackets. Indentation shows
// where a bracket that is never closed was to end, which line lacks the `{` of its block, and which `}` is one too
// many. A bracket that is closed where its line's indentation fits is never among them, so correct calls over several
// lines are not cut. Start reading at find_repairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace covec::grammar {

// An opening or closing bracket of the text, in its order.
struct BracketSign {
  uint32_t at = 0;  // byte
  bool opens = false;
  bool interpolation = false;  // it belongs to an f-string
};

// It ends before the first line that is not indented more than its own.
struct UnclosedBracket {
  uint32_t at = 0;         // byte
  size_t indentation = 0;  // of its line
};

// The `{` of a block is missing at the end of a line.
struct MissingBrace {
  uint32_t head = 0;  // the first byte of the line that begins the block
  uint32_t end = 0;   // where the head ends, a line or more below
};

class BracketRepairs {
 public:
  BracketRepairs() = default;
  BracketRepairs(std::vector<UnclosedBracket> unclosed, std::vector<MissingBrace> missing, std::vector<uint32_t> extra);

  bool empty() const { return unclosed_.empty() && missing_.empty() && extra_.empty(); }
  // Whether the bracket at this byte ends before a line of this indentation. A line that begins with a closing bracket
  // may belong to it.
  bool ends_before(uint32_t opener, size_t indentation, bool begins_with_closer) const;
  // What is missing at the end of a line; nullptr: nothing.
  const MissingBrace* brace_at(size_t line_end) const;
  // Whether the closing brace at this byte closes a block too early.
  bool is_extra(size_t closer) const;

 private:
  std::vector<UnclosedBracket> unclosed_;  // in the order of the text, as the next
  std::vector<MissingBrace> missing_;
  std::vector<uint32_t> extra_;
};

BracketRepairs find_repairs(std::string_view text, const std::vector<BracketSign>& signs);

}  // namespace covec::grammar
