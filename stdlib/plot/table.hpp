// Writes a table, a record of columns (stdlib/files/columns.hpp), as text. Of many rows it shows the first and the
// last; of many columns, those at both sides that fit the width.
#pragma once

#include <string>

#include "stdlib/value/value.hpp"

namespace covec::plot {

inline constexpr int64_t usual_rows = 20;  // shown by the REPL; chosen, not measured

bool is_table(const Value& value);
// It has columns of text or dates, as records of parameters do not.
bool has_words(const Value& table);
std::string table_text(const Value& table, int64_t max_rows, int width);

}  // namespace covec::plot
