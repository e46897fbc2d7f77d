// See layout.hpp.
#include "frontend/format/layout.hpp"

#include <algorithm>

#include "frontend/format/blanks.hpp"

namespace covec::format {

namespace {

constexpr uint32_t step = 4;              // of indentation
constexpr uint32_t most_blank_lines = 2;  // outside of brackets and blocks
constexpr uint32_t most_blank_lines_inside = 1;

bool is_opener(Role role) {
  return role == Role::open_call || role == Role::open_group || role == Role::open_record || role == Role::open_block;
}
bool is_closer(Role role) { return role == Role::close_bracket || role == Role::close_block; }

}  // namespace

void Layout::run() {
  open_.push_back({});
  for (size_t line = 0; line < lines_.lines.size();) {
    const std::vector<Open> open = open_;
    const uint32_t previous = previous_;
    const size_t end = lay_group(line, true);
    if (kept_some_ && !has_columns(line, end)) {
      open_ = open;
      previous_ = previous;
      lay_group(line, false);
    }
    line = end;
  }
}

// Lines that end inside a bracket, and the one behind them. Gives the number of the next line.
size_t Layout::lay_group(size_t line, bool keeps_columns) {
  keeps_columns_ = keeps_columns;
  kept_some_ = false;
  do {
    lay_line(lines_.lines[line++]);
  } while (line < lines_.lines.size() && !in_statements());
  return line;
}

void Layout::lay_line(Line& line) {
  if (line.first == line.last) return;
  std::vector<Item>& items = lines_.items;
  limit_blank_lines(line, items[line.first]);
  if (line.kept) return lay_kept(line);
  indent_ = indent_of(items[line.first], next_token(line.first));
  uint32_t column = indent_;
  for (size_t i = line.first; i < line.last; ++i) {
    if (i > line.first) column += gap_before(i);
    items[i].column = column;
    column = column_after(column, text_.substr(items[i].begin, items[i].end - items[i].begin));
    if (!items[i].is_comment()) take(items[i], i == line.first);
  }
}

// The brackets in it count for what follows.
void Layout::lay_kept(const Line& line) {
  for (size_t i = line.first; i < line.last; ++i) {
    Item& item = lines_.items[i];
    if (item.begins_line) indent_ = item.written_column;
    item.column = item.written_column;
    if (!item.is_comment()) take(item, item.begins_line);
  }
}

void Layout::limit_blank_lines(Line& line, const Item& first) const {
  uint32_t most = open_.size() > 1 ? most_blank_lines_inside : most_blank_lines;
  if (line.first == 0 || follows_opener(line.first) || is_closer(first.role)) most = 0;
  line.blank_lines = std::min(line.blank_lines, most);
}

// The line before ends with what opens; a comment may stand behind it.
bool Layout::follows_opener(size_t item) const {
  const Item& last = lines_.items[item - 1];
  const bool comment = last.is_comment() && !last.begins_line && item > 1;
  return is_opener((comment ? lines_.items[item - 2] : last).role);
}

// --- indentation ---

uint32_t Layout::indent_of(const Item& first, const Item* next) {
  if (is_closer(first.role) || (first.role == Role::word && tokens_[first.token].owner != first.token)) {
    const uint32_t of = first.role == Role::close_bracket ? open_.back().token : tokens_[first.token].owner;
    return of == no_token ? 0 : indents_[of];
  }
  if (!in_statements()) return indent_in_bracket(first);
  const bool continues = next != nullptr && !is_closer(next->role) && continues_statement(next->token);
  return continues ? indents_[open_.back().statement] + step : open_.back().indent;
}

bool Layout::continues_statement(uint32_t token) const {
  const Token& one = tokens_[token];
  return !one.follows_terminator && open_.back().statement != no_token && one.owner == token;
}

// Below the item behind the bracket, where the first line stands there; else one step in.
uint32_t Layout::indent_in_bracket(const Item& first) {
  Open& bracket = open_.back();
  if (!bracket.lines_decided) {
    const bool below = bracket.column != undecided && bracket.written_column == first.written_column;
    if (below) bracket.indent = bracket.column;
    bracket.lines_decided = true;
  }
  return bracket.indent;
}

const Item* Layout::next_token(size_t item) const {
  while (item < lines_.items.size() && lines_.items[item].is_comment()) ++item;
  return item < lines_.items.size() ? &lines_.items[item] : nullptr;
}

// --- tokens ---

uint32_t Layout::gap_before(size_t item) {
  const Item& left = lines_.items[item - 1];
  const Item& right = lines_.items[item];
  if (right.is_comment()) return std::max<uint32_t>(right.written_gap, 2);
  const uint32_t gap = blanks_between(left, right, text_);
  if (!keeps_columns_ || in_statements() || right.written_gap <= gap) return gap;
  kept_some_ = true;
  return right.written_gap;
}

void Layout::take(const Item& item, bool begins_line) {
  indents_[item.token] = indent_;
  Open& around = open_.back();
  if (!begins_line && around.token == previous_ && around.token != no_token) {
    around.column = item.column;
    around.written_column = item.written_column;
  }
  const bool begins = tokens_[item.token].follows_terminator || around.statement == no_token;
  if (in_statements() && begins) around.statement = item.token;
  if (is_opener(item.role)) open(item);
  if (is_closer(item.role) && open_.size() > 1) open_.pop_back();
  previous_ = item.token;
}

void Layout::open(const Item& item) {
  Open one;
  one.role = item.role;
  one.token = item.token;
  one.indent = (item.role == Role::open_block ? indents_[tokens_[item.token].owner] : indent_) + step;
  open_.push_back(one);
}

// --- columns in brackets over several lines ---

uint32_t Layout::end_of(size_t item) const {
  const Item& one = lines_.items[item];
  return column_after(one.column, text_.substr(one.begin, one.end - one.begin));
}

// Whether blanks in these lines put something in a column.
bool Layout::has_columns(size_t first, size_t last) const {
  for (size_t number = first; number < last; ++number) {
    const Line& line = lines_.lines[number];
    for (size_t i = line.first + 1; !line.kept && i < line.last; ++i) {
      const Item& left = lines_.items[i - 1];
      const Item& right = lines_.items[i];
      const bool wide = !right.is_comment() && right.column - end_of(i - 1) > blanks_between(left, right, text_);
      if (!wide) continue;
      if (number > first && is_in_column(lines_.lines[number - 1], i)) return true;
      if (number + 1 < last && is_in_column(lines_.lines[number + 1], i)) return true;
    }
  }
  return false;
}

// Something in that line begins where the item begins, or ends where it ends. A sign belongs to its number.
bool Layout::is_in_column(const Line& line, size_t item) const {
  const std::vector<Item>& items = lines_.items;
  const size_t operand = items[item].role == Role::prefix ? item + 1 : item;
  for (size_t i = line.first; i < line.last; ++i) {
    if (items[i].is_comment()) continue;
    const bool begins = items[i].column == items[item].column;
    if (begins && i > line.first) return true;
    const bool both = items[i].role == Role::operand && items[operand].role == Role::operand;
    if (both && !begins && end_of(i) == end_of(operand)) return true;
  }
  return false;
}

}  // namespace covec::format
