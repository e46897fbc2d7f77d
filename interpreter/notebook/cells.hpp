// The pieces of a cell: programs, and between them the commands of the REPL, which have lines of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interpreter/session/session.hpp"

namespace covec::notebook {

struct Piece {
  std::string text;
  bool is_command = false;
  size_t lines_before = 0;  // of the cell
};

// Without those that are blank. A command ends with its line, but `:time` with the statement that it measures.
std::vector<Piece> pieces_of(const Session& session, std::string_view cell);

}  // namespace covec::notebook
