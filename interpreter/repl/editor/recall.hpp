// Walks through the history, as the arrows do: the place in it, entries as they were left, and the search for entries
// that begin as the text did before the cursor when the walk began.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "interpreter/repl/editor/history.hpp"

namespace covec::editor {

class Recall {
 public:
  explicit Recall(const History& history) : history_(history) {}
  void begin();                            // a new text
  size_t place() const { return place_; }  // in the history; its size: the new text
  // Each takes the text that is left and gives the one to edit.
  std::optional<std::string> to(size_t place, const std::string& left);  // nothing: there is no such place
  // The nearest entry that begins as the walk did; `before`: the text before the cursor, where a walk begins unless the
  // last one goes on. Towards newer ones the new text is the last. Nothing: there is none.
  std::optional<std::string> next(bool older, const std::string& left, std::string_view before);

 private:
  const std::string& at(size_t place) const;
  std::string go(size_t place, const std::string& left);

  const History& history_;
  size_t place_ = 0;
  std::map<size_t, std::string> edited_;  // entries as they were left
  std::string prefix_;
  std::optional<std::string> given_;  // the walk goes on while the text is this
};

}  // namespace covec::editor
