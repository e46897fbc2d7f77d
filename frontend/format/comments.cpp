// See comments.hpp.
#include "frontend/format/comments.hpp"

#include <algorithm>

namespace covec::format {

namespace {

constexpr uint32_t blanks_before = 2;

class CommentAligner {
 public:
  CommentAligner(std::string_view text, Lines& lines) : text_(text), lines_(lines) {}

  void run() {
    for (size_t line = 0; line < lines_.lines.size();) {
      size_t end = line + 1;
      if (is_behind_code(line)) {
        while (end < lines_.lines.size() && goes_on(line, end)) ++end;
        align(line, end);
      }
      line = end;
    }
  }

 private:
  Item& last_of(size_t line) { return lines_.items[lines_.lines[line].last - 1]; }

  bool has_comment(size_t line) {
    const Line& one = lines_.lines[line];
    return !one.kept && last_of(line).is_comment();
  }
  bool is_behind_code(size_t line) {
    const Line& one = lines_.lines[line];
    return one.last - one.first > 1 && has_comment(line);
  }

  // A comment in the same column as that of the first line: also one alone in its line, unless it is indented as code.
  bool goes_on(size_t first, size_t line) {
    if (lines_.lines[line].blank_lines > 0 || !has_comment(line)) return false;
    const Item& comment = last_of(line);
    return comment.written_column == last_of(first).written_column &&
           (is_behind_code(line) || comment.column != comment.written_column);
  }

  void align(size_t first, size_t last) {
    uint32_t column = 0, least_gap = UINT32_MAX;
    for (size_t line = first; line < last; ++line) {
      if (!is_behind_code(line)) continue;
      column = std::max(column, end_of_code(line) + blanks_before);
      least_gap = std::min(least_gap, last_of(line).written_gap);
    }
    if (least_gap > blanks_before) column = std::max(column, last_of(first).written_column);
    for (size_t line = first; line < last; ++line) last_of(line).column = column;
  }

  uint32_t end_of_code(size_t line) const {
    const Item& code = lines_.items[lines_.lines[line].last - 2];
    return column_after(code.column, text_.substr(code.begin, code.end - code.begin));
  }

  std::string_view text_;
  Lines& lines_;
};

}  // namespace

void align_comments(std::string_view text, Lines& lines) { CommentAligner(text, lines).run(); }

}  // namespace covec::format
