#include "interpreter/notebook/cursor.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <optional>
#include <sstream>

#include "frontend/common/trimmed.hpp"
#include "interpreter/assist/commands.hpp"
#include "interpreter/assist/completion.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/repl/language.hpp"

namespace covec::notebook {

namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// The byte at which that character begins; the text's end where there are fewer.
size_t byte_of(std::string_view text, size_t character) {
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    if (begins_character(text[at]) && seen++ == character) break;
  }
  return at;
}

size_t characters_in(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, begins_character));
}

// Standard output or standard error, into a text for a while.
class Redirected {
 public:
  explicit Redirected(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  ~Redirected() { stream_.rdbuf(before_); }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostream& stream_;
  std::ostringstream text_;
  std::streambuf* before_;
};

std::string page(Help& help, std::string_view name) {
  const Redirected output(std::cout), error(std::cerr);
  help.answer_of_name(name, false);
  return output.text();
}

// "optim.adam", with what follows the cursor of its last word; "" where there is no name.
std::string_view name_at(std::string_view text, size_t cursor) {
  size_t end = cursor;
  while (end < text.size() && is_in_name(text[end])) ++end;
  const std::string_view name = chain_before(text, end);
  const bool is_name = !name.empty() && name[0] != '.' && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
  return is_name ? name : "";
}

// ":time CODE  measures …", where the line up to there is the name of a command.
std::string page_of_command(std::string_view line) {
  for (const ReplCommand& command : repl_commands) {
    if (command.name.starts_with(':') && line == command.name)
      return std::string(command.name) + " " + std::string(command.argument) + "\n    " + std::string(command.does) +
             "\n";
  }
  return "";
}

// `axis` of `mean(x, axis=0)`.
bool names_argument(std::string_view text, std::string_view name) {
  const auto begin = static_cast<size_t>(name.data() - text.data());
  const std::string_view before = trimmed(text.substr(0, begin)), behind = trimmed(text.substr(begin + name.size()));
  return (before.ends_with('(') || before.ends_with(',')) && behind.starts_with('=') && !behind.starts_with("==");
}

}  // namespace

Json completions(const Session& session, const std::string& cell, size_t cursor) {
  const size_t end = byte_of(cell, cursor);
  std::string_view before = std::string_view(cell).substr(0, end);
  const size_t line = before.rfind('\n') + 1;
  const size_t begin = is_command(before.substr(line)) ? line : 0;  // a command is completed where it begins a text
  before.remove_prefix(begin);
  const editor::Completion completion = complete(session, before);
  return {{"matches", completion.candidates},
          {"from", characters_in(cell.substr(0, begin + completion.from))},
          {"to", characters_in(cell.substr(0, end))}};
}

std::string description(Help& help, const std::string& cell, size_t cursor) {
  const size_t at = byte_of(cell, cursor);
  const std::string_view before = std::string_view(cell).substr(0, at);
  if (!open_string(before)) {
    const std::string_view name = name_at(cell, at);
    const size_t line = before.rfind('\n') + 1;
    const size_t end = name.empty() ? at : static_cast<size_t>(name.data() - cell.data()) + name.size();
    if (const std::string found = page_of_command(trimmed(std::string_view(cell).substr(line, end - line)));
        !found.empty())
      return found;
    const bool is_page = !name.empty() && !names_argument(cell, name);
    if (const std::string found = is_page ? page(help, name) : ""; !found.empty()) return found;
  }
  const std::optional<OpenBracket> bracket = open_bracket(before);
  if (!bracket || cell[bracket->at] != '(') return "";
  const std::string_view callee = chain_before(cell, bracket->at);
  return callee.empty() ? "" : page(help, callee);
}

}  // namespace covec::notebook
