// Draws the edited text below what the terminal already shows, and redraws it in place. Rows are broken here and not by
// the terminal, so the position of each row is known. Of a text taller than the window, it shows the part around the
// cursor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interpreter/repl/editor/style.hpp"
#include "interpreter/repl/editor/terminal.hpp"

namespace covec::editor {

struct Picture {
  std::string_view text;
  size_t cursor = 0;
  std::vector<Style> styles = {};  // of each byte; empty: all plain
  std::string below = {};          // a line of its own: what is searched for
};

class Screen {
 public:
  // `prompt` begins the first line; the others begin with a dot below its sign.
  Screen(bool colours, std::string prompt) : colours_(colours), first_prompt_(std::move(prompt)) {}
  void draw(const Picture& picture);
  void resized();                   // the terminal may have broken the rows anew
  void leave();                     // goes to a fresh row below the text, which stays
  void clear();                     // the whole window
  void forget() { rows_.clear(); }  // whatever was drawn is no longer there: draws from the start of this row

  const std::string& first_prompt() const { return first_prompt_; }
  const std::string& next_prompt() const { return next_prompt_; }

 private:
  struct Row {
    std::string bytes;
    unsigned width = 0;
  };
  struct ScreenPosition {
    size_t row = 0;
    unsigned column = 0;
  };
  class Layout;
  void keep_in_window(std::vector<Row> rows, ScreenPosition cursor);
  std::string to_first_row() const;

  const bool colours_;
  const std::string first_prompt_, next_prompt_ = std::string(first_prompt_.size() - 2, ' ') + ". ";
  std::vector<Row> rows_;  // as they are shown
  ScreenPosition cursor_;  // in them
  size_t first_shown_ = 0;
  Size size_;
};

}  // namespace covec::editor
