// The cells of a terminal: one character each, in colours of 24 bits. Within a plot a cell is 2 × 4 dots of Braille, or
// two half blocks one above the other.
#pragma once

#include <string>
#include <vector>

#include "stdlib/canvas/canvas.hpp"

namespace covec::plot {

class Screen {
 public:
  Screen(int columns, int rows)
      : columns_(columns), rows_(rows), cells_(static_cast<size_t>(columns) * static_cast<size_t>(rows)) {}
  int columns() const { return columns_; }
  int rows() const { return rows_; }
  // Text from a place on, cut at the edge; characters of no width are left out.
  void write(int column, int row, std::string_view text, Color color = {});
  void set(int column, int row, std::string character, Color front, Color back);
  // Rows joined by newlines, without blanks at their ends; colours as escapes, or none at all.
  std::string text(bool colors) const;

 private:
  struct Cell {
    std::string character = " ";
    uint32_t front = 0, back = 0;  // 0: the terminal's own
  };
  int columns_, rows_;
  std::vector<Cell> cells_;
};

// How many cells a text takes.
int cells_of(std::string_view text);
// What areas of one more colour are filled with where there are no colours.
std::string_view area_shade(size_t number);
// As much of its beginning as takes no more.
std::string first_cells(std::string_view text, int cells);

// Paints the items of a canvas whose unit is a dot onto cells from (column, row) on.
void paint(const Canvas& canvas, Screen& screen, int column, int row, bool colors);

}  // namespace covec::plot
