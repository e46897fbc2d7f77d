// See format.hpp.
#include "frontend/format/format.hpp"

#include <algorithm>

#include "frontend/format/comments.hpp"
#include "frontend/format/layout.hpp"
#include "frontend/format/lines.hpp"
#include "frontend/format/same.hpp"
#include "frontend/parse/parse.hpp"
#include "frontend/source/messages.hpp"

namespace covec {

namespace {

using format::Item;
using format::Line;
using format::Lines;

constexpr TextLimits limits_of_tools{.problems = 1000};

// Nobody knows where an open string or bracket should end.
bool leaves_open(const Diagnostic& problem) {
  for (const std::string_view code :
       {"unclosed_string", "unclosed_interpolation", "unclosed_bracket", "mismatched_bracket"}) {
    if (problem.code == code) return true;
  }
  return false;
}

// With line ends of one kind.
void append_kept(std::string& out, std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) == "\r\n") continue;
    out += text[at] == '\r' ? '\n' : text[at];
  }
}

void append_line(std::string& out, std::string_view text, const Lines& lines, const Line& line) {
  uint32_t column = 0;
  for (size_t i = line.first; i < line.last; ++i) {
    const Item& item = lines.items[i];
    out.append(item.column - column, ' ');
    const std::string_view written = text.substr(item.begin, item.end - item.begin);
    append_kept(out, written);
    column = format::column_after(item.column, written);
  }
}

std::string written(std::string_view text, const Lines& lines) {
  std::string out;
  out.reserve(text.size());
  if (text.starts_with("\xEF\xBB\xBF")) out += text.substr(0, 3);  // a byte order mark
  for (const Line& line : lines.lines) {
    out.append(line.blank_lines, '\n');
    if (line.kept) {
      append_kept(out, text.substr(line.begin, line.end - line.begin));
    } else {
      append_line(out, text, lines, line);
    }
    out += '\n';
  }
  return out;
}

std::string laid_out(std::string_view text, const TokenList& list) {
  Lines lines = format::lines_of(text, list);
  format::Layout(text, list, lines).run();
  format::align_comments(text, lines);
  return written(text, lines);
}

bool is_right(std::string_view text, const TokenList& list, const std::string& result, size_t stack) {
  SourceMap sources;
  Meter meter;
  const uint32_t file = sources.add("", result);
  return format::has_same_tokens(text, list, result, read_tokens(sources, file, stack, meter, limits_of_tools, false));
}

// Indentation makes a text that nests deeply many times as long.
Diagnostic too_large(uint32_t file, size_t bytes) {
  return messages::make(messages::message("text_too_large"), {file, 0, 0},
                        {std::to_string(bytes), std::to_string(limits_of_tools.bytes)});
}

}  // namespace

Formatted format_text(const SourceMap& sources, uint32_t file, size_t stack) {
  const std::string& text = sources.file(file).text();
  Meter meter;
  const TokenList list = read_tokens(sources, file, stack, meter, limits_of_tools, true);
  const bool open = std::any_of(list.problems.begin(), list.problems.end(), leaves_open);
  if (!list.whole || open) {
    // The parser reads such a text twice, and says better what is open.
    return {FormatOutcome::left_alone, text, parse(sources, file, false, stack, meter, limits_of_tools).problems};
  }
  std::string result = laid_out(text, list);
  if (result.size() > limits_of_tools.bytes) return {FormatOutcome::left_alone, text, {too_large(file, result.size())}};
  if (result != text && !is_right(text, list, result, stack)) return {FormatOutcome::mistaken, text, {}};
  return {FormatOutcome::formatted, std::move(result), {}};
}

}  // namespace covec
