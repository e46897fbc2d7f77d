#include "interpreter/repl/editor/editor.hpp"

#include <algorithm>
#include <utility>

#include "interpreter/repl/editor/clusters.hpp"

namespace covec::editor {

namespace {

constexpr size_t step = 4;  // of indentation

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == text.npos; }

std::string without_end(const std::string& text) {
  const size_t last = text.find_last_not_of(" \t\n");
  return last == text.npos ? "" : text.substr(0, last + 1);
}

}  // namespace

Editor::Editor(std::string history_path, Language language, std::string prompt)
    : language_(std::move(language)),
      history_(std::move(history_path)),
      recall_(history_),
      colours_(shows_colours(1)),
      screen_(colours_, std::move(prompt)) {
  use_utf8();
}

Outcome Editor::read(std::string& text) {
  buffer_.reset("");
  recall_.begin();
  const Outcome outcome = record_in_history(can_edit() ? edit() : read_plain());
  text = without_end(buffer_.text());
  return outcome;
}

// What is given up can be called back.
Outcome Editor::record_in_history(Outcome outcome) {
  if (outcome == Outcome::text || outcome == Outcome::given_up) history_.add(without_end(buffer_.text()));
  return outcome;
}

// The row ends when Ctrl-C is a signal again: who sees the text run can stop it.
Outcome Editor::edit() {
  const Outcome outcome = read_keys();
  screen_.leave();
  return outcome;
}

Outcome Editor::read_keys() {
  const Watch watch;
  RawMode raw;
  raw_ = &raw;
  std::optional<Outcome> outcome;
  while (!outcome) {
    if (!key_is_waiting()) draw();
    outcome = act(read_key());
  }
  finish(*outcome == Outcome::cancelled ? "^C" : "");
  return *outcome;
}

void Editor::draw(std::string below) {
  Picture picture{buffer_.text(), buffer_.cursor(), {}, std::move(below)};
  if (colours_) picture.styles = language_.styles(picture.text, picture.cursor);
  screen_.draw(picture);
}

// Leaves the text on the terminal as it was run, no bracket standing out.
void Editor::finish(std::string_view after) {
  buffer_.move_to(buffer_.text().size());
  Picture picture{buffer_.text(), buffer_.cursor()};
  if (colours_) picture.styles = language_.styles(picture.text, picture.text.size() + 1);
  screen_.draw(picture);
  write_to_terminal(after);
}

std::optional<Outcome> Editor::act(const Input& input) {
  switch (input.key) {
    case Key::enter: return enter();
    case Key::cancel: return Outcome::cancelled;
    case Key::closed: return Outcome::end;
    case Key::search_older:
    case Key::search_newer: return search();
    case Key::end:
      if (buffer_.text().empty()) return Outcome::end;
      buffer_.erase(buffer_.cursor(), next_cluster(buffer_.text(), buffer_.cursor()));
      break;
    default:
      if (!move(input.key) && !change(input)) window(input.key);
  }
  return std::nullopt;
}

bool Editor::move(Key key) {
  const std::string& text = buffer_.text();
  switch (key) {
    case Key::left: buffer_.left(); break;
    case Key::right: buffer_.right(); break;
    case Key::up:
      if (!buffer_.up()) recall_next(true);
      break;
    case Key::down:
      if (!buffer_.down()) recall_next(false);
      break;
    case Key::older: recall(recall_.place() - 1); break;
    case Key::newer: recall(recall_.place() + 1); break;
    case Key::word_left: buffer_.move_to(previous_word(text, buffer_.cursor())); break;
    case Key::word_right: buffer_.move_to(next_word(text, buffer_.cursor())); break;
    case Key::line_begin: buffer_.move_to(buffer_.line_begin()); break;
    case Key::line_end: buffer_.move_to(buffer_.line_end()); break;
    case Key::text_begin: buffer_.move_to(0); break;
    case Key::text_end: buffer_.move_to(text.size()); break;
    default: return false;
  }
  return true;
}

bool Editor::change(const Input& input) {
  const std::string& text = buffer_.text();
  const size_t cursor = buffer_.cursor();
  switch (input.key) {
    case Key::text: type(input.text); break;
    case Key::paste: paste(input.text); break;
    case Key::open_line: open_line(); break;
    case Key::tab: complete(); break;
    case Key::backspace: backspace(); break;
    case Key::erase: buffer_.erase(cursor, next_cluster(text, cursor)); break;
    case Key::cut_to_begin: buffer_.cut(buffer_.line_begin(), cursor); break;
    case Key::cut_to_end: buffer_.cut(cursor, std::max(buffer_.line_end(), next_cluster(text, cursor))); break;
    case Key::cut_word_left: buffer_.cut(previous_word(text, cursor), cursor); break;
    case Key::cut_word_right: buffer_.cut(cursor, next_word(text, cursor)); break;
    case Key::paste_cut: buffer_.paste_cut(); break;
    case Key::transpose: buffer_.transpose(); break;
    case Key::undo: buffer_.undo(); break;
    default: return false;
  }
  return true;
}

void Editor::window(Key key) {
  switch (key) {
    case Key::redraw: screen_.clear(); break;
    case Key::resized: screen_.resized(); break;
    case Key::suspend:
      screen_.leave();
      stopped_ = true;
      raw_->stop();
      break;
    case Key::resumed:  // after a stop from elsewhere, others have written here since
      if (!std::exchange(stopped_, false)) screen_.forget();
      raw_->enter();
      break;
    default: break;
  }
}

// --- lines ---

// In the middle of a text of several lines it opens a line: the text runs from its last.
std::optional<Outcome> Editor::enter() {
  if (!buffer_.on_last_line()) {
    open_line();
  } else if (language_.is_whole(buffer_.text())) {
    return Outcome::text;
  } else if (gives_up()) {
    return Outcome::given_up;
  } else {
    open_line();
  }
  return std::nullopt;
}

// On the second of two empty lines; text that is pasted without brackets may have them.
bool Editor::gives_up() const {
  const std::string_view before = buffer_.before();
  const size_t last = before.find_last_not_of(" \t\n");
  const std::string_view blank = before.substr(last == before.npos ? 0 : last + 1);
  return std::count(blank.begin(), blank.end(), '\n') >= 2 && !key_is_waiting();
}

void Editor::open_line() {
  if (key_is_waiting()) return buffer_.insert("\n");  // pasted: it has its own indentation
  if (is_blank(buffer_.before().substr(buffer_.line_begin()))) buffer_.erase(buffer_.line_begin(), buffer_.cursor());
  const std::string& text = buffer_.text();
  const bool closing =
      buffer_.cursor() < text.size() && std::string_view(")]}").find(text[buffer_.cursor()]) != text.npos;
  const size_t indent = (closing ? language_.indent_of_closing : language_.indent)(buffer_.before());
  buffer_.insert("\n" + std::string(indent, ' '));
}

// A bracket that closes, as the first of its line, goes below the line that it closes.
void Editor::type(const std::string& text) {
  const size_t begin = buffer_.line_begin();
  const bool closing = text == ")" || text == "]" || text == "}";
  if (!closing || begin == 0 || !is_blank(buffer_.before().substr(begin))) return buffer_.type(text);
  buffer_.erase(begin, buffer_.cursor());
  buffer_.insert(std::string(language_.indent_of_closing(buffer_.before()), ' ') + text);
}

void Editor::paste(const std::string& text) {
  const std::string plain = language_.pasted(buffer_.before(), text);
  buffer_.insert(plain.ends_with('\n') ? without_end(plain) : plain);
}

void Editor::backspace() {
  const size_t cursor = buffer_.cursor(), begin = buffer_.line_begin();
  const bool indentation = cursor > begin && buffer_.before().substr(begin).find_first_not_of(' ') == std::string::npos;
  const size_t spaces = indentation ? (cursor - begin - 1) % step + 1 : 0;
  buffer_.erase(indentation ? cursor - spaces : previous_cluster(buffer_.text(), cursor), cursor);
}

// --- history ---

void Editor::recall(size_t place) {
  if (std::optional<std::string> text = recall_.to(place, buffer_.text())) buffer_.reset(std::move(*text));
}

void Editor::recall_next(bool older) {
  std::optional<std::string> text = recall_.next(older, buffer_.text(), buffer_.before());
  if (text)
    buffer_.reset(std::move(*text));
  else if (older)
    write_to_terminal("\a");
}

}  // namespace covec::editor
