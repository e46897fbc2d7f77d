// The text being edited, of one or more lines, with its cursor: moves, changes, the last cut, and undo. It does not
// know the terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace covec::editor {

class Buffer {
 public:
  const std::string& text() const { return now_.text; }
  size_t cursor() const { return now_.cursor; }
  std::string_view before() const { return std::string_view(now_.text).substr(0, now_.cursor); }
  size_t line_begin() const;
  size_t line_end() const;
  bool on_last_line() const { return line_end() == now_.text.size(); }

  void reset(std::string text);  // the cursor behind it; nothing to undo
  void move_to(size_t place);
  void left();
  void right();
  bool up();  // false: there is no line
  bool down();

  void insert(std::string_view text);
  void type(std::string_view text);  // the same; letters in a row are undone together
  void erase(size_t begin, size_t end);
  void cut(size_t begin, size_t end);
  void paste_cut() { insert(cut_); }
  void transpose();
  bool undo();

 private:
  struct State {
    std::string text;
    size_t cursor = 0;
  };
  void about_to_change();
  void move_to_column(size_t line_begin);

  State now_;
  std::vector<State> before_;
  std::string cut_;
  std::optional<unsigned> column_;  // where up and down go, across shorter lines
  bool typing_ = false;
};

}  // namespace covec::editor
