#include "interpreter/repl/editor/screen.hpp"

#include <algorithm>

#include "interpreter/repl/editor/clusters.hpp"

namespace covec::editor {

// Breaks a text into rows.
class Screen::Layout {
 public:
  Layout(unsigned columns, bool colours) : columns_(columns), colours_(colours) { rows.emplace_back(); }

  void add(const Picture& picture, std::string_view first_prompt, std::string_view next_prompt) {
    put(first_prompt, Style::prompt);
    const std::string_view text = picture.text;
    for (size_t at = 0; at <= text.size();) {
      if (at == picture.cursor) mark_cursor();
      if (at == text.size()) break;
      const Cluster cluster = cluster_at(text, at, column_of_text_);
      if (text[at] == '\n') {
        break_line();
        put(next_prompt, Style::prompt);
      } else {
        put(text.substr(at, cluster.length), cluster, picture.styles.empty() ? Style::plain : picture.styles[at]);
      }
      at += cluster.length;
    }
    style(Style::plain);
    if (!picture.below.empty()) {
      break_line();
      put(picture.below, Style::plain);
    }
  }
  std::vector<Row> rows;
  ScreenPosition cursor;

 private:
  // A row that is full leaves no place for the cursor: it waits at the beginning of the next.
  void mark_cursor() {
    if (rows.back().width >= columns_) break_row();
    cursor = {rows.size() - 1, rows.back().width};
  }
  void break_row() {
    const Style now = style_;
    style(Style::plain);
    rows.emplace_back();
    style(now);
  }
  void break_line() {
    break_row();
    column_of_text_ = 0;
  }
  void style(Style wanted) {
    if (wanted == style_ || !colours_) return;
    if (style_ != Style::plain) rows.back().bytes += style_off;
    rows.back().bytes += style_on(wanted);
    style_ = wanted;
  }
  void put(std::string_view bytes, const Cluster& cluster, Style wanted) {
    if (rows.back().width + cluster.width > columns_) break_row();
    style(wanted);
    rows.back().bytes += shown(bytes, cluster);
    rows.back().width += cluster.width;
    column_of_text_ += cluster.width;
  }
  void put(std::string_view line, Style wanted) {
    for (size_t at = 0; at < line.size();) {
      const Cluster cluster = cluster_at(line, at);
      put(line.substr(at, cluster.length), cluster, wanted);
      at += cluster.length;
    }
    column_of_text_ = 0;
  }

  const unsigned columns_;
  const bool colours_;
  Style style_ = Style::plain;
  unsigned column_of_text_ = 0;  // without the prompt: where tabs count from
};

namespace {

std::string moved(size_t count, char letter) { return count == 0 ? "" : "\033[" + std::to_string(count) + letter; }

}  // namespace

std::string Screen::to_first_row() const { return "\r" + (rows_.empty() ? "" : moved(cursor_.row, 'A')); }

void Screen::keep_in_window(std::vector<Row> rows, ScreenPosition cursor) {
  const size_t height = std::max(1u, size_.rows);
  if (cursor.row < first_shown_) first_shown_ = cursor.row;
  if (cursor.row >= first_shown_ + height) first_shown_ = cursor.row - height + 1;
  first_shown_ = std::min(first_shown_, rows.size() > height ? rows.size() - height : 0);
  rows.erase(rows.begin(), rows.begin() + static_cast<long>(first_shown_));
  if (rows.size() > height) rows.resize(height);
  cursor_ = {cursor.row - first_shown_, cursor.column};
  rows_ = std::move(rows);
}

void Screen::draw(const Picture& picture) {
  std::string out = to_first_row() + "\033[J";
  size_ = size_of_terminal();
  Layout layout(std::max(4u, size_.columns), colours_);
  layout.add(picture, first_prompt_, next_prompt_);
  keep_in_window(std::move(layout.rows), layout.cursor);
  for (size_t i = 0; i < rows_.size(); ++i) out += (i == 0 ? "" : "\r\n") + rows_[i].bytes;
  out += moved(rows_.size() - 1 - cursor_.row, 'A') + "\r" + moved(cursor_.column, 'C');
  write_to_terminal(out);
}

// Most terminals break rows that have become too long, which moves the cursor down.
void Screen::resized() {
  const unsigned columns = std::max(1u, size_of_terminal().columns);
  size_t row = 0;
  for (size_t i = 0; i < cursor_.row && i < rows_.size(); ++i) {
    row += std::max(1u, (rows_[i].width + columns - 1) / columns);
  }
  cursor_.row = row + cursor_.column / columns;
}

void Screen::leave() {
  if (!rows_.empty()) write_to_terminal(moved(rows_.size() - 1 - cursor_.row, 'B') + "\r\n");
  rows_.clear();
  first_shown_ = 0;
}

void Screen::clear() {
  write_to_terminal("\033[H\033[2J");
  forget();
}

}  // namespace covec::editor
