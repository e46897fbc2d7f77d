#include "interpreter/notebook/cells.hpp"

#include <algorithm>

#include "frontend/common/trimmed.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/repl/language.hpp"

namespace covec::notebook {

namespace {

// Where the line ends that begins there, with its end.
size_t end_of_line(std::string_view text, size_t begin) {
  return std::min(text.find('\n', begin), text.size() - 1) + 1;
}

size_t end_of_command(const Session& session, std::string_view cell, size_t begin) {
  size_t end = end_of_line(cell, begin);
  const auto is_open = [&] { return wholeness(session, cell.substr(begin, end - begin)) == Wholeness::open; };
  while (end < cell.size() && is_open()) end = end_of_line(cell, end);
  return end;
}

}  // namespace

std::vector<Piece> pieces_of(const Session& session, std::string_view cell) {
  std::vector<Piece> pieces;
  const auto add = [&](size_t begin, size_t end, bool is_command) {
    const std::string_view text = cell.substr(begin, end - begin);
    const auto lines = static_cast<size_t>(std::ranges::count(cell.substr(0, begin), '\n'));
    if (!trimmed(text).empty()) pieces.push_back({std::string(text), is_command, lines});
  };
  size_t program = 0;  // where the piece begins that is read
  for (size_t begin = 0; begin < cell.size();) {
    size_t end = end_of_line(cell, begin);
    if (is_command(cell.substr(begin, end - begin)) && !open_bracket(cell.substr(program, begin - program))) {
      end = end_of_command(session, cell, begin);
      add(program, begin, false);
      add(begin, end, true);
      program = end;
    }
    begin = end;
  }
  add(program, cell.size(), false);
  return pieces;
}

}  // namespace covec::notebook
