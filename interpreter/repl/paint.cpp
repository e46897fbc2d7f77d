#include "interpreter/repl/paint.hpp"

#include <algorithm>

#include "interpreter/repl/editor/clusters.hpp"
#include "interpreter/repl/editor/terminal.hpp"

namespace covec {

using editor::Style;

namespace {

std::string in_style(std::string_view text, Style style) {
  return std::string(editor::style_on(style)) + std::string(text) + std::string(editor::style_off);
}

struct Opening {
  std::string_view word;
  Style style;
};
constexpr Opening openings[] = {{"error:", Style::wrong}, {"warning:", Style::warning}, {"  hint:", Style::hint}};

std::string painted_line(std::string_view line) {
  for (const Opening& opening : openings) {
    if (!line.starts_with(opening.word)) continue;
    return in_style(opening.word, opening.style) + std::string(line.substr(opening.word.size()));
  }
  const size_t bar = line.find_first_not_of(' ');
  const size_t caret = bar != line.npos && line[bar] == '|' ? line.find_first_not_of(' ', bar + 1) : line.npos;
  if (caret == line.npos || line[caret] != '^') return std::string(line);
  return std::string(line.substr(0, caret)) + in_style(line.substr(caret), Style::wrong);
}

}  // namespace

std::string painted(std::string_view text, Style style, int descriptor) {
  return editor::shows_colours(descriptor) ? in_style(text, style) : std::string(text);
}

std::string painted_diagnostics(std::string_view rendered, int descriptor) {
  if (!editor::shows_colours(descriptor)) return std::string(rendered);
  std::string out;
  while (!rendered.empty()) {
    const size_t end = std::min(rendered.find('\n'), rendered.size());
    out += painted_line(rendered.substr(0, end));
    if (end < rendered.size()) out += '\n';
    rendered.remove_prefix(std::min(end + 1, rendered.size()));
  }
  return out;
}

std::string wrapped(std::string_view line, unsigned columns, unsigned indent) {
  std::string out;
  unsigned column = 0;
  while (!line.empty()) {
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    const unsigned spaces = static_cast<unsigned>(begin), width = editor::width_of(word);
    if (column > indent && column + spaces + width > columns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else {
      out += line.substr(0, begin);
      column += spaces;
    }
    out += word;
    column += width;
    line.remove_prefix(end);
  }
  return out;
}

std::string shortened(std::string_view line, unsigned columns) {
  if (editor::width_of(line) <= columns) return std::string(line);
  size_t end = 0;
  for (unsigned width = 1; end < line.size();) {  // the ellipsis
    const editor::Cluster cluster = editor::cluster_at(line, end);
    if ((width += cluster.width) > columns) break;
    end += cluster.length;
  }
  return std::string(line.substr(0, end)) + "…";
}

unsigned text_columns() {
  constexpr unsigned comfortable = 100, least = 20;  // columns
  return std::clamp(editor::size_of_terminal().columns, least, comfortable);
}

}  // namespace covec
