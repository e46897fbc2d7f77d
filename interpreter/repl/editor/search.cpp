// Ctrl-R: searches the history for the typed text, and Ctrl-R again searches further back; Ctrl-S goes the other way.
// Enter runs the match, Ctrl-G and Ctrl-C cancel, any other key edits it.
#include <algorithm>

#include "interpreter/repl/editor/clusters.hpp"
#include "interpreter/repl/editor/editor.hpp"

namespace covec::editor {

namespace {

class Search {
 public:
  Search(const History& history, size_t from) : history_(history), start_(from), place_(from) {}
  const std::string& wanted() const { return wanted_; }
  bool found() const { return found_; }
  size_t place() const { return place_; }  // where it is; at first, where the search began

  void next(bool older) {
    if (!wanted_.empty()) look(older ? place_ - 1 : place_ + 1, older);
  }
  void add(const std::string& text) {
    wanted_ += text;
    look(place_, true);
  }
  void shorten() {
    wanted_.erase(previous_cluster(wanted_, wanted_.size()));
    place_ = start_;
    look(place_, true);
  }

 private:
  void look(size_t from, bool older) {
    if (older && from == history_.size() && from > 0) --from;
    const std::optional<size_t> at = wanted_.empty() ? start_ : history_.find(wanted_, from, older);
    found_ = at.has_value();
    place_ = at.value_or(place_);
  }

  const History& history_;
  const size_t start_;
  std::string wanted_;
  size_t place_;
  bool found_ = true;
};

}  // namespace

std::optional<Outcome> Editor::search() {
  const size_t start = recall_.place(), cursor = buffer_.cursor();
  Search search(history_, start);
  for (;;) {
    draw((search.found() ? "search: " : "not found: ") + search.wanted());
    const Input input = read_key();
    switch (input.key) {
      case Key::text: search.add(input.text); break;
      case Key::backspace: search.shorten(); break;
      case Key::search_older: search.next(true); break;
      case Key::search_newer: search.next(false); break;
      case Key::cancel:
      case Key::give_up:
        recall(start);
        buffer_.move_to(std::min(cursor, buffer_.text().size()));
        return std::nullopt;
      case Key::none:
      case Key::resized: window(input.key); break;
      default: return act(input);
    }
    recall(search.place());
    buffer_.move_to(std::min(buffer_.text().find(search.wanted()), buffer_.text().size()));
  }
}

}  // namespace covec::editor
