// Writes a table, a record of columns (stdlib/files/columns.hpp), as text. Of many rows it shows the first and the
// last; of many columns, those at both sides that fit the width.
#pragma once

#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "stdlib/value/value.hpp"

namespace covec::plot {

inline constexpr int64_t usual_rows = 20;  // shown by the REPL

// One column as it is shown: its name and kind first, then a cell for each row that is shown.
struct ShownColumn {
  std::vector<std::string> cells;
  int width = 0;       // of the widest, in characters
  bool right = false;  // numbers
};

struct ShownTable {
  int64_t count = 0;                     // rows of the table
  std::vector<int64_t> rows;             // those that are shown
  int64_t head = 0;                      // of these stand before those that are left out
  std::vector<ShownColumn> left, right;  // the right ones from the last on
  size_t all = 0, hidden = 0;            // columns of the table, and those that are left out

  int64_t rows_left_out() const { return count - static_cast<int64_t>(rows.size()); }
  std::string sizes() const;  // "3 rows, 30 columns, 10 not shown"
};

struct TableRoom {
  int64_t rows;
  int width = INT_MAX;  // characters of a line
  size_t columns = SIZE_MAX;
};
ShownTable shown_table(const Value& table, const TableRoom& room);

bool is_table(const Value& value);
// It has columns of text or dates, as records of parameters do not.
bool has_words(const Value& table);
std::string table_text(const Value& table, int64_t max_rows, int width);

}  // namespace covec::plot
