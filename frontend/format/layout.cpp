// See layout.hpp.
#include "frontend/format/layout.hpp"

#include <algorithm>

#include "frontend/format/blanks.hpp"

namespace covec::format {

namespace {

constexpr uint32_t step = 4;             // of indentation
constexpr uint32_t max_blank_lines = 2;  // outside of brackets and blocks
constexpr uint32_t max_blank_lines_inside = 1;

bool is_opener(Role role) {
  return role == Role::open_call || role == Role::open_group || role == Role::open_record || role == Role::open_block;
}
bool is_closer(Role role) { return role == Role::close_bracket || role == Role::close_block; }

}  // namespace

void Layout::run() {
  open_.push_back({});
  for (size_t line = 0; line < lines_.lines.size();) line = lay_group(line);
}

// Lines that end inside a bracket, and the one behind them: they keep their columns, if they have some. Gives the
// number of the next line.
size_t Layout::lay_group(size_t first) {
  keeps_columns_ = true;
  kept_some_ = false;
  size_t line = first, widened = lines_.lines.size();
  std::vector<Open> open;
  uint32_t previous = no_token;
  do {
    if (widened > line && has_wide_gap(lines_.lines[line])) {
      widened = line;
      open = open_;
      previous = previous_;
    }
    lay_line(lines_.lines[line++]);
  } while (line < lines_.lines.size() && !in_statements());
  if (!kept_some_ || has_columns(first, line)) return line;
  keeps_columns_ = false;
  open_ = std::move(open);
  previous_ = previous;
  for (size_t again = widened; again < line; ++again) lay_line(lines_.lines[again]);
  return line;
}

bool Layout::has_wide_gap(const Line& line) const {
  for (size_t i = line.first + 1; !line.kept && i < line.last; ++i) {
    const Item& item = lines_.items[i];
    if (!item.is_comment() && item.written_gap > blanks_between(lines_.items[i - 1], item, text_)) return true;
  }
  return false;
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
  uint32_t most = open_.size() > 1 ? max_blank_lines_inside : max_blank_lines;
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

Layout::Edges Layout::edges_of(const Line& line) const {
  Edges edges;
  for (size_t i = line.first; i < line.last; ++i) {
    const Item& item = lines_.items[i];
    if (item.is_comment()) continue;
    if (i > line.first) edges.begins.push_back(item.column);
    if (item.role == Role::operand) edges.operands.emplace_back(end_of(i), item.column);
  }
  std::sort(edges.begins.begin(), edges.begins.end());
  std::sort(edges.operands.begin(), edges.operands.end());
  return edges;
}

// Whether blanks in these lines put something in a column.
bool Layout::has_columns(size_t first, size_t last) const {
  std::vector<Edges> edges;
  for (size_t line = first; line < last; ++line) edges.push_back(edges_of(lines_.lines[line]));
  for (size_t number = first; number < last; ++number) {
    const Line& line = lines_.lines[number];
    for (size_t i = line.first + 1; !line.kept && i < line.last; ++i) {
      const Item& left = lines_.items[i - 1];
      const Item& right = lines_.items[i];
      const bool wide = !right.is_comment() && right.column - end_of(i - 1) > blanks_between(left, right, text_);
      if (!wide) continue;
      if (number > first && is_in_column(edges[number - 1 - first], i)) return true;
      if (number + 1 < last && is_in_column(edges[number + 1 - first], i)) return true;
    }
  }
  return false;
}

// Something in that line begins where the item begins, or ends where it ends. A sign belongs to its number.
bool Layout::is_in_column(const Edges& edges, size_t item) const {
  const std::vector<Item>& items = lines_.items;
  const uint32_t column = items[item].column;
  if (std::binary_search(edges.begins.begin(), edges.begins.end(), column)) return true;
  const bool sign = items[item].role == Role::prefix && item + 1 < items.size();
  const size_t operand = sign ? item + 1 : item;
  if (items[operand].role != Role::operand) return false;
  const auto found = std::lower_bound(edges.operands.begin(), edges.operands.end(), std::pair(end_of(operand), 0U));
  return found != edges.operands.end() && found->first == end_of(operand) && found->second != column;
}

}  // namespace covec::format
