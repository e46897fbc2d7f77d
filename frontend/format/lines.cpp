// See lines.hpp.
#include "frontend/format/lines.hpp"

#include <algorithm>

#include "frontend/source/unicode.hpp"

namespace covec::format {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool ends_line(char c) { return c == '\n' || c == '\r'; }

uint32_t begin_of_line(std::string_view text, uint32_t at) {
  while (at > 0 && !ends_line(text[at - 1])) --at;
  return at;
}
uint32_t end_of_line(std::string_view text, uint32_t at) {
  while (at < text.size() && !ends_line(text[at])) ++at;
  return at;
}
// Behind the line end at `at`: CR LF is one.
uint32_t after_line_end(std::string_view text, uint32_t at) {
  if (at >= text.size()) return at;
  return at + (text.substr(at, 2) == "\r\n" ? 2 : 1);
}

uint32_t line_ends_between(std::string_view text, uint32_t begin, uint32_t end) {
  text = text.substr(0, end);
  uint32_t count = 0;
  for (uint32_t at = end_of_line(text, begin); at < end; at = end_of_line(text, after_line_end(text, at))) ++count;
  return count;
}

class LineCutter {
 public:
  LineCutter(std::string_view text, const TokenList& list) : text_(text), list_(list) {}

  Lines cut() {
    collect_items();
    keep_unread();
    keep_altered();
    keep_switched_off();
    join_regions();
    for (size_t i = 0, region = 0; i < out_.items.size() || region < regions_.size();) {
      const bool kept =
          region < regions_.size() && (i == out_.items.size() || regions_[region].begin <= out_.items[i].begin);
      i = kept ? add_region(regions_[region++], i) : add_line(i);
    }
    return std::move(out_);
  }

 private:
  void collect_items() {
    uint32_t at = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark
    column_at_ = at;
    for (uint32_t number = 0; number < list_.tokens.size(); ++number) {
      const Token& token = list_.tokens[number];
      collect_comments(at, token.begin);
      add_item(token.begin, token.end, number, token.role);
      at = token.end;
    }
    collect_comments(at, static_cast<uint32_t>(text_.size()));
    note_blanks();
  }

  void collect_comments(uint32_t begin, uint32_t end) {
    for (const Span& piece : pieces_between(text_, begin, end)) {
      if (text_[piece.begin] == '#') add_item(piece.begin, piece.end, no_token, Role::unread);
    }
  }

  void add_item(uint32_t begin, uint32_t end, uint32_t token, Role role) {
    Item item;
    item.begin = begin;
    item.end = end;
    item.token = token;
    item.role = role;
    const uint32_t before = column_;
    column_ = column_after(column_, text_.substr(column_at_, begin - column_at_));
    item.written_column = column_;
    item.written_gap = column_ > before ? column_ - before : 0;
    column_ = column_after(column_, text_.substr(begin, end - begin));
    column_at_ = end;
    out_.items.push_back(item);
  }

  void note_blanks() {
    for (size_t i = 0; i < out_.items.size(); ++i) {
      Item& item = out_.items[i];
      item.begins_line = i == 0 || line_ends_between(text_, out_.items[i - 1].end, item.begin) > 0;
      item.is_spaced = item.begins_line ? item.end < text_.size() && is_blank(text_[item.end]) : item.written_gap > 0;
    }
  }

  // --- what is kept ---

  void keep(uint32_t begin, uint32_t end) {
    if (!regions_.empty() && regions_.back().begin <= begin && end <= regions_.back().end) return;
    regions_.push_back({0, begin_of_line(text_, begin), end_of_line(text_, end)});
  }

  void keep_unread() {
    const std::vector<Token>& tokens = list_.tokens;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].role != Role::unread) continue;
      const uint32_t begin = tokens[i].begin;
      while (i + 1 < tokens.size() && tokens[i + 1].role == Role::unread) ++i;
      keep(begin, tokens[i].end);
    }
  }

  void keep_altered() {
    for (const Span& span : list_.altered) keep(span.begin, std::max(span.begin, span.end));
  }

  void keep_switched_off() {
    bool off = false;
    uint32_t begin = 0;
    for (size_t i = 0; i < out_.items.size(); ++i) {
      const Item& item = out_.items[i];
      if (!item.is_comment() || !item.begins_line) continue;
      if (!off && comment_is(item, "# fmt: off")) {
        off = true;
        begin = after_line_end(text_, item.end);
      } else if (off && comment_is(item, "# fmt: on")) {
        off = false;
        keep_lines(begin, begin_of_line(text_, item.begin));
      }
    }
    if (off) keep_lines(begin, static_cast<uint32_t>(text_.size()));
  }

  bool comment_is(const Item& item, std::string_view wanted) const {
    std::string_view comment = text_.substr(item.begin, item.end - item.begin);
    return comment.substr(0, comment.find_last_not_of(" \t") + 1) == wanted;
  }

  // Up to `end`, where a line begins or the text ends; the last line end is none of theirs.
  void keep_lines(uint32_t begin, uint32_t end) {
    if (begin >= end) return;
    if (text_[end - 1] == '\n') --end;
    if (end > begin && text_[end - 1] == '\r') --end;
    regions_.push_back({0, begin, end});
  }

  // In order, apart from each other, and no item is cut.
  void join_regions() {
    std::sort(regions_.begin(), regions_.end(), [](Span a, Span b) { return a.begin < b.begin; });
    std::vector<Span> joined;
    size_t item = 0;
    for (Span region : regions_) {
      for (; item < out_.items.size() && out_.items[item].begin <= region.end; ++item) {
        const Item& one = out_.items[item];
        if (one.end <= region.begin) continue;
        if (one.begin < region.begin) region.begin = begin_of_line(text_, one.begin);
        if (one.end > region.end) region.end = end_of_line(text_, one.end);
      }
      if (joined.empty() || joined.back().end < region.begin) {
        joined.push_back(region);
      } else {
        joined.back().begin = std::min(joined.back().begin, region.begin);
        joined.back().end = std::max(joined.back().end, region.end);
      }
    }
    regions_ = std::move(joined);
  }

  // --- lines ---

  size_t add_region(Span region, size_t first) {
    size_t last = first;
    while (last < out_.items.size() && out_.items[last].begin < region.end) ++last;
    out_.lines.push_back({first, last, region.begin, region.end, blank_lines_before(region.begin), true});
    line_end_ = region.end;
    return last;
  }

  size_t add_line(size_t first) {
    size_t last = first + 1;
    while (last < out_.items.size() && !out_.items[last].begins_line) ++last;
    const Item& begin = out_.items[first];
    out_.lines.push_back({first, last, begin.begin, out_.items[last - 1].end, blank_lines_before(begin.begin), false});
    line_end_ = out_.items[last - 1].end;
    return last;
  }

  uint32_t blank_lines_before(uint32_t begin) const {
    if (out_.lines.empty()) return line_ends_between(text_, 0, begin);
    const uint32_t count = line_ends_between(text_, line_end_, begin);
    return count > 0 ? count - 1 : 0;
  }

  std::string_view text_;
  const TokenList& list_;
  Lines out_;
  std::vector<Span> regions_;
  uint32_t column_ = 0, column_at_ = 0;  // the column of a byte
  uint32_t line_end_ = 0;
};

}  // namespace

uint32_t column_after(uint32_t column, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const unicode::Decoded d = unicode::decode(text, at);
    at += std::max<uint32_t>(d.length, 1);
    if (d.character == '\n' || d.character == '\r') {
      column = 0;
    } else if (d.character == '\t') {
      column = (column / 4 + 1) * 4;
    } else {
      column += static_cast<uint32_t>(unicode::width(d.character));
    }
  }
  return column;
}

std::vector<Span> pieces_between(std::string_view text, uint32_t begin, uint32_t end) {
  std::vector<Span> pieces;
  for (uint32_t at = begin; at < end;) {
    const uint32_t piece = at++;
    if (is_blank(text[piece])) continue;
    if (text[piece] == '#') at = end_of_line(text, piece);
    pieces.push_back({0, piece, at});
  }
  return pieces;
}

Lines lines_of(std::string_view text, const TokenList& list) { return LineCutter(text, list).cut(); }

}  // namespace covec::format
