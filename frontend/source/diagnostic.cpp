// Renders a diagnostic for a terminal. Labels are grouped by line. A line is drawn once (tabs expanded, control
// characters replaced, long lines clipped around the spans), with a row of carets per label under it. Columns are those
// of the terminal, so carets stand under wide characters too. Start reading at render, at the end.
#include "frontend/source/diagnostic.hpp"

#include <algorithm>

#include "frontend/source/unicode.hpp"

namespace covec {

namespace {

constexpr size_t kTabWidth = 4;        // columns
constexpr size_t kLongestLine = 120;   // columns; longer lines are clipped
constexpr size_t kLongestQuote = 200;  // columns of one that is clipped, where what is marked is long
constexpr size_t kContext = 40;        // columns kept before a span in a clipped line

// One source line as columns: cell i is the text drawn in column i ("" for the second half of a wide character).
struct DrawnLine {
  std::vector<std::string> cells;
  std::vector<size_t> column_of_byte;  // one more than bytes

  explicit DrawnLine(std::string_view line) {
    column_of_byte.reserve(line.size() + 1);
    for (size_t i = 0; i < line.size();) i += draw(line, i);
    column_of_byte.push_back(cells.size());
  }

  size_t draw(std::string_view line, size_t i) {
    unicode::Decoded d = unicode::decode(line, i);
    size_t length = d.length == 0 ? 1 : d.length;
    column_of_byte.insert(column_of_byte.end(), length, cells.size());
    if (d.length == 0 || (d.character < 0x20 && d.character != '\t') || (d.character >= 0x7F && d.character < 0xA0)) {
      cells.push_back("\uFFFD");
    } else if (d.character == '\t') {
      do cells.push_back(" ");
      while (cells.size() % kTabWidth != 0);
    } else {
      add(std::string(line.substr(i, length)), unicode::width(d.character));
    }
    return length;
  }

  void add(std::string text, int width) {
    if (width == 0 && !cells.empty()) {
      cells.back() += text;
      return;
    }
    cells.push_back(std::move(text));
    if (width == 2) cells.emplace_back();
  }

  size_t column(size_t byte) const { return column_of_byte[std::min(byte, column_of_byte.size() - 1)]; }
};

// The columns of a line that are shown.
struct Window {
  size_t begin = 0;
  size_t end = 0;
};

struct Mark {
  size_t begin = 0;  // columns
  size_t end = 0;
  std::string text;
};

Window window_around(const DrawnLine& line, size_t first, size_t last) {
  size_t width = line.cells.size();
  if (width <= kLongestLine) return {0, width};
  size_t begin = first > kContext ? first - kContext : 0;
  size_t end = std::min(width, std::max(begin + kLongestLine, std::min(last, begin + kLongestQuote)));
  return {begin, end};
}

std::string source_text(const DrawnLine& line, Window window) {
  std::string out;
  if (window.begin > 0) out += "…";
  for (size_t i = window.begin; i < window.end; ++i) out += line.cells[i];
  if (window.end < line.cells.size()) out += "…";
  return out;
}

// Carets for `marks` (sorted, disjoint) in one row; only the last may have a text.
std::string caret_row(const std::vector<Mark>& marks, Window window) {
  std::string out;
  if (window.begin > 0) out += " ";
  size_t column = window.begin;
  for (const Mark& mark : marks) {
    size_t begin = std::clamp(mark.begin, window.begin, window.end);
    size_t end = std::max(begin + 1, std::min(mark.end, window.end));
    if (begin > column) out.append(begin - column, ' ');
    out.append(end - std::max(begin, std::min(column, end)), '^');
    column = end;
  }
  if (!marks.back().text.empty()) out += " " + marks.back().text;
  return out;
}

bool fits_in_one_row(const std::vector<Mark>& marks) {
  for (size_t i = 0; i + 1 < marks.size(); ++i) {
    if (!marks[i].text.empty() || marks[i].end > marks[i + 1].begin) return false;
  }
  return true;
}

std::string pad_left(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string place(const SourceMap& sources, Span span) {
  Position p = sources.position(span);
  return sources.file(span.file).name() + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

// The labels on one line of one file.
struct LineGroup {
  uint32_t file = 0;
  uint32_t line = 0;
  std::vector<const Label*> labels;
};

std::vector<LineGroup> group_by_line(const std::vector<Label>& labels, const SourceMap& sources) {
  std::vector<LineGroup> groups;
  for (const Label& label : labels) {
    if (!label.span.known()) continue;
    uint32_t line = sources.position(label.span).line;
    auto same = [&](const LineGroup& g) { return g.file == label.span.file && g.line == line; };
    auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) found = groups.insert(groups.end(), LineGroup{label.span.file, line, {}});
    found->labels.push_back(&label);
  }
  // Within the primary's file in order of lines; other files follow.
  if (groups.empty()) return groups;
  uint32_t primary = groups.front().file;
  std::stable_sort(groups.begin(), groups.end(), [&](const LineGroup& a, const LineGroup& b) {
    bool a_here = a.file == primary, b_here = b.file == primary;
    if (a_here != b_here) return a_here;
    return a_here && a.line < b.line;
  });
  return groups;
}

// The bytes of a line that may be shown: a long line is not drawn as a whole.
std::string_view part_around(std::string_view line, const LineGroup& group, const SourceFile& file) {
  constexpr size_t margin = 2000, longest = 2 * margin;  // bytes: more than the columns that are shown can have
  if (line.size() <= longest) return line;
  size_t first = line.size();
  const auto start = static_cast<size_t>(line.data() - file.text().data());
  for (const Label* label : group.labels) first = std::min<size_t>(first, label->span.begin - start);
  size_t begin = first > margin ? first - margin : 0;
  while (begin > 0 && (static_cast<unsigned char>(line[begin]) & 0xC0) == 0x80) --begin;  // a whole character
  return line.substr(begin, first - begin + margin);
}

std::vector<Mark> marks_of(const LineGroup& group, const DrawnLine& drawn, std::string_view part,
                           const SourceFile& file) {
  const size_t start = part.empty() ? 0 : static_cast<size_t>(part.data() - file.text().data());
  std::vector<Mark> marks;
  for (const Label* label : group.labels) {
    size_t begin = part.empty() ? 0 : label->span.begin - start;
    size_t end = part.empty() ? 0 : std::max<size_t>(label->span.end, start) - start;
    marks.push_back({drawn.column(begin), drawn.column(end), label->text});
    marks.back().end = std::max(marks.back().end, marks.back().begin + 1);
  }
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.begin < b.begin; });
  return marks;
}

void render_group(std::string& out, const LineGroup& group, const SourceMap& sources, size_t gutter) {
  const SourceFile& file = sources.file(group.file);
  const std::string_view part = part_around(file.line(group.line), group, file);
  DrawnLine drawn(part);
  std::vector<Mark> marks = marks_of(group, drawn, part, file);
  Window window = window_around(drawn, marks.front().begin, marks.back().end);
  out += pad_left(std::to_string(group.line), gutter) + " | " + source_text(drawn, window) + "\n";
  std::string empty_gutter = std::string(gutter, ' ') + " | ";
  if (fits_in_one_row(marks)) {
    out += empty_gutter + caret_row(marks, window) + "\n";
    return;
  }
  for (const Mark& mark : marks) out += empty_gutter + caret_row({mark}, window) + "\n";
}

void render_places(std::string& out, const Diagnostic& diagnostic, const SourceMap& sources) {
  std::vector<LineGroup> groups = group_by_line(diagnostic.labels, sources);
  if (groups.empty()) return;
  size_t gutter = 4;
  for (const LineGroup& group : groups) gutter = std::max(gutter, std::to_string(group.line).size());
  auto known = [](const Label& label) { return label.span.known(); };
  Span primary = std::find_if(diagnostic.labels.begin(), diagnostic.labels.end(), known)->span;
  out += "  --> " + place(sources, primary) + "\n";
  uint32_t file = primary.file;
  for (const LineGroup& group : groups) {
    if (group.file != file) out += "  --> " + place(sources, group.labels.front()->span) + "\n";
    file = group.file;
    render_group(out, group, sources, gutter);
  }
}

void render_stack(std::string& out, const std::vector<CallFrame>& stack, const SourceMap& sources) {
  constexpr size_t kShown = 12;  // of a deep recursion, the ends say enough
  for (size_t i = 0; i < stack.size(); ++i) {
    if (stack.size() > 2 * kShown && i == kShown) {
      size_t skipped = stack.size() - 2 * kShown;
      out += "  … " + std::to_string(skipped) + " more calls …\n";
      i += skipped;
    }
    out += "  in " + stack[i].function;
    if (stack[i].site.known()) out += ", called from " + place(sources, stack[i].site);
    out += "\n";
  }
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::string out = diagnostic.severity == Severity::error ? "error: " : "warning: ";
  out += diagnostic.message + "\n";
  render_places(out, diagnostic, sources);
  for (const std::string& note : diagnostic.notes) out += "  " + note + "\n";
  if (!diagnostic.hint.empty()) out += "  hint: " + diagnostic.hint + "\n";
  render_stack(out, diagnostic.stack, sources);
  return out;
}

}  // namespace covec
