#include "interpreter/command/expectations.hpp"

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
  if (at == std::string_view::npos || (at > 0 && line[at - 1] == '`')) return std::nullopt;
  std::string_view text = line.substr(at + words.size());
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return std::string(text);
}

std::string quoted_or_nothing(const std::optional<std::string>& text) { return text ? "\"" + *text + "\"" : "nothing"; }

std::string place_of(const std::string& file, const Expectation& expectation) {
  return file + ":" + std::to_string(expectation.line) + ": ";
}

// `…` stands for anything.
bool fits(std::string_view text, std::string_view wanted) {
  constexpr std::string_view anything = "…";
  const size_t first = wanted.find(anything);
  if (first == std::string_view::npos) return text == wanted;
  if (!text.starts_with(wanted.substr(0, first))) return false;
  text.remove_prefix(first);
  wanted.remove_prefix(first + anything.size());
  for (size_t next = wanted.find(anything); next != std::string_view::npos; next = wanted.find(anything)) {
    const size_t at = text.find(wanted.substr(0, next));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + next);
    wanted.remove_prefix(next + anything.size());
  }
  return text.ends_with(wanted);
}

std::string joined(const std::vector<Expectation>& lines) {
  std::string text;
  for (const Expectation& line : lines) text += line.text + "\n";
  return text;
}

std::string unexpected_line(const Expectations& expected, std::string_view printed, const std::string& file) {
  if (fits(printed, joined(expected.lines))) return "";
  const std::vector<std::string_view> lines = lines_of(printed);
  for (size_t i = 0; i < std::max(lines.size(), expected.lines.size()); ++i) {
    const bool is_printed = i < lines.size(), is_expected = i < expected.lines.size();
    if (is_printed && is_expected && fits(lines[i], expected.lines[i].text)) continue;
    const auto is = is_printed ? std::optional(std::string(lines[i])) : std::nullopt;
    const auto should = is_expected ? std::optional(expected.lines[i].text) : std::nullopt;
    return (is_expected ? place_of(file, expected.lines[i]) : file + ": ") + "line " + std::to_string(i + 1) +
           " of its output is " + quoted_or_nothing(is) + ", expected " + quoted_or_nothing(should) + "\n";
  }
  return "";
}

// Warnings are compared where one is expected.
std::string unexpected_warning(const Expectations& expected, const std::vector<std::string>& warnings,
                               const std::string& file) {
  for (size_t i = 0; i < expected.warnings.size(); ++i) {
    const Expectation& wanted = expected.warnings[i];
    if (i < warnings.size() && fits(warnings[i], "…" + wanted.text + "…")) continue;
    const auto is = i < warnings.size() ? std::optional(warnings[i]) : std::nullopt;
    return place_of(file, wanted) + "warning " + std::to_string(i + 1) + " is " + quoted_or_nothing(is) +
           ", expected \"" + wanted.text + "\"\n";
  }
  return "";
}

}  // namespace

Expectations expectations_in(std::string_view program) {
  Expectations found;
  size_t number = 0;
  for (const std::string_view line : lines_of(program)) {
    ++number;
    if (auto text = after(line, "# expect:")) found.lines.push_back({std::move(*text), number});
    if (auto text = after(line, "# expect warning:")) found.warnings.push_back({std::move(*text), number});
    if (auto text = after(line, "# expect error:")) found.error = Expectation{std::move(*text), number};
  }
  return found;
}

std::string unexpected(const Expectations& expected, const Outcome& outcome, const std::string& file) {
  if (const std::string problem = unexpected_line(expected, outcome.printed, file); !problem.empty()) {
    return expected.error ? problem : problem + outcome.shown;
  }
  if (const std::string problem = unexpected_warning(expected, outcome.warnings, file); !problem.empty())
    return problem;
  if (!expected.error) return outcome.shown;
  const std::string place = place_of(file, *expected.error);
  if (outcome.shown.empty())
    return place + "it ends without the error that is expected: " + expected.error->text + "\n";
  if (fits(outcome.messages, "…" + expected.error->text + "…")) return "";
  return place + "it ends with another error than the one expected, " + expected.error->text + "\n" + outcome.shown;
}

}  // namespace covec
