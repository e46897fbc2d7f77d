// Reads a text of one or more lines from a terminal. The text is edited as a whole. Enter runs it if it is complete,
// and begins a new line if it is not. It has history, search, completion, pasted text and undo. If the terminal cannot
// move its cursor, or the output goes elsewhere, lines are read as the terminal gives them.
//
// Why an editor of our own: of what Debian 12 packages, two were tried. The library `libedit` edits one line at a time,
// knows neither pasted blocks nor colours, and recalls an entry of several lines as one line. The library `libtecla`
// takes no letter beyond ASCII and runs pasted lines as they come. GNU `readline` is under the GPL, which Covec's
// licence cannot join. Other libraries (linenoise, replxx, isocline) are not packaged.
//
// The parts: keys (bytes to keys), buffer (the text), history, screen (draws), terminal (raw mode, signals). Start
// reading at Editor::act().
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/repl/editor/buffer.hpp"
#include "interpreter/repl/editor/completion.hpp"
#include "interpreter/repl/editor/history.hpp"
#include "interpreter/repl/editor/keys.hpp"
#include "interpreter/repl/editor/recall.hpp"
#include "interpreter/repl/editor/screen.hpp"

namespace covec::editor {

// What the editor asks of the language.
struct Language {
  std::function<Completion(std::string_view before_cursor)> complete;
  std::function<bool(std::string_view text)> is_whole;  // more lines would not make it right
  std::function<std::vector<Style>(std::string_view text, size_t cursor)> styles;
  std::function<size_t(std::string_view before)> indent, indent_of_closing;
  // A pasted text as it is inserted.
  std::function<std::string(std::string_view before, std::string_view pasted)> pasted;
};

enum class Outcome { text, cancelled, given_up, end };  // Ctrl-C; two empty lines; Ctrl-D

class Editor {
 public:
  Editor(std::string history_path, Language language, std::string prompt = "> ");
  Outcome read(std::string& text);
  const History& history() const { return history_; }

 private:
  Outcome edit();
  Outcome read_keys();
  Outcome read_plain();
  std::optional<Outcome> plain_line();
  void draw(std::string below = {});
  std::optional<Outcome> act(const Input& input);
  bool move(Key key);
  bool change(const Input& input);
  void window(Key key);
  std::optional<Outcome> enter();
  std::optional<Outcome> search();
  bool gives_up() const;
  void open_line();
  void type(const std::string& text);
  void backspace();
  void complete();
  void paste(const std::string& text);
  void list(const Completion& completion);
  void recall(size_t place);
  void recall_next(bool older);
  void finish(std::string_view after);
  Outcome record_in_history(Outcome outcome);

  Language language_;
  History history_;
  Recall recall_;
  const bool colours_;
  Screen screen_;
  Buffer buffer_;
  RawMode* raw_ = nullptr;  // while editing
  bool stopped_ = false;    // by Ctrl-Z here: the editor knows what was drawn
};

}  // namespace covec::editor
