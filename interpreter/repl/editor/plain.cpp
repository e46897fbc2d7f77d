// Reads lines from terminals that cannot move their cursor, or if the output is not a terminal. It writes only prompts
// and text.
#include <algorithm>

#include "interpreter/repl/editor/editor.hpp"

namespace covec::editor {

Outcome Editor::read_plain() {
  const Watch watch;
  for (;;) {
    write_to_terminal(buffer_.text().empty() ? screen_.first_prompt() : screen_.next_prompt());
    if (const std::optional<Outcome> outcome = plain_line()) return *outcome;
    if (language_.is_whole(buffer_.text())) return Outcome::text;
    if (gives_up()) return Outcome::given_up;
    buffer_.insert("\n");
  }
}

// Adds a line to the text; nothing where it came to its end.
std::optional<Outcome> Editor::plain_line() {
  std::string line;
  for (int byte = read_byte(); byte != '\n'; byte = read_byte()) {
    if (byte == interrupted || (byte == end_of_input && line.empty())) {
      write_to_terminal("\n");
      return byte == interrupted ? Outcome::cancelled : Outcome::end;
    }
    if (byte == end_of_input) break;
    if (byte >= 0) line += static_cast<char>(byte);
  }
  buffer_.insert(line);
  return std::nullopt;
}

}  // namespace covec::editor
