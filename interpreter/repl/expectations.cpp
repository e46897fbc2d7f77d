#include "interpreter/repl/expectations.hpp"

#include <algorithm>

namespace covec {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// What follows the words in a line's comment.
std::optional<std::string> after(std::string_view line, std::string_view words) {
  const size_t at = line.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view text = line.substr(at + words.size());
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return std::string(text);
}

std::string line_or_end(const auto& lines, size_t at) {
  return at < lines.size() ? "\"" + std::string(lines[at]) + "\"" : "nothing";
}

}  // namespace

Expectations expectations_in(std::string_view program) {
  Expectations found;
  for (const std::string_view line : lines_of(program)) {
    if (auto text = after(line, "# expect:")) found.lines.push_back(std::move(*text));
    if (auto text = after(line, "# expect error:")) found.error = std::move(text);
  }
  return found;
}

std::string unexpected(const Expectations& expected, std::string_view printed, const Ending& ending) {
  const std::vector<std::string_view> lines = lines_of(printed);
  for (size_t i = 0; i < std::max(lines.size(), expected.lines.size()); ++i) {
    if (i < lines.size() && i < expected.lines.size() && lines[i] == expected.lines[i]) continue;
    const std::string text = "line " + std::to_string(i + 1) + " of what it prints is " + line_or_end(lines, i) +
                             ", expected is " + line_or_end(expected.lines, i) + "\n";
    return expected.error ? text : text + ending.shown;
  }
  if (!expected.error) return ending.shown;
  if (ending.shown.empty()) return "it ends without the error that is expected: " + *expected.error + "\n";
  if (ending.messages.find(*expected.error) != std::string::npos) return "";
  return "it ends with another error than the one expected, " + *expected.error + "\n" + ending.shown;
}

}  // namespace covec
