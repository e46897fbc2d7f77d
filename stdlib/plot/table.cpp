// Columns side by side, names and kinds above, numbers under each other. Start reading at shown_table.
#include "stdlib/plot/table.hpp"

#include <algorithm>
#include <cmath>

#include "stdlib/canvas/screen.hpp"
#include "stdlib/files/columns.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/text/calendar.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::plot {

namespace {

constexpr int widest_cell = 40, significant = 6;  // columns, and digits of a number
constexpr double day_seconds = 86400;             // 24 · 60 · 60: days without leap seconds, as POSIX counts

// --- cells ---

// On one line, and no wider than a cell may be.
std::string one_cell(std::string_view text) {
  std::string out;
  int width = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    const std::string_view character = text.substr(at, end - at);
    const auto first = static_cast<unsigned char>(character[0]);
    const bool control = first < 0x20 || first == 0x7f;
    width += control ? 1 : cells_of(character);
    if (width >= widest_cell && end < text.size()) return out + "…";
    out += control ? std::string_view(" ") : character;
    at = end;
  }
  return out;
}

std::string padded(const std::string& text, int width, bool right) {
  const std::string blanks(static_cast<size_t>(std::max(0, width - cells_of(text))), ' ');
  return right ? blanks + text : text + blanks;
}

double real_at(const Tensor& tensor, int64_t row) {
  return covec::real_at(tensor.dtype(), tensor.data() + row * static_cast<int64_t>(size_of(tensor.dtype())));
}

Decimal decimal_at(const Tensor& tensor, int64_t row) {
  return tensor.dtype() != Dtype::f64 ? rounded_decimal(static_cast<float>(real_at(tensor, row)), significant)
                                      : rounded_decimal(tensor.as<double>()[row], significant);
}

// Floats with one number of digits behind the point: what the numbers need, but no more than six significant ones of
// the largest ask for. Where a number would be lost so, all are in powers of ten.
std::vector<std::string> float_cells(const Tensor& tensor, const std::vector<int64_t>& rows) {
  int needed = 1, largest = -100, smallest = 100;
  for (const int64_t row : rows) {
    const double x = real_at(tensor, row);
    if (!std::isfinite(x) || x == 0) continue;
    const Decimal decimal = decimal_at(tensor, row);
    needed = std::max(needed, decimal.fraction());
    largest = std::max(largest, decimal.exponent);
    smallest = std::min(smallest, decimal.exponent);
  }
  const int fraction = std::min(needed, std::max(2, significant - largest));
  const bool fixed = largest < 12 && (largest > -5 || largest == -100) && (smallest == 100 || smallest >= -fraction);
  std::vector<std::string> cells;
  for (const int64_t row : rows) {
    const double x = real_at(tensor, row);
    if (!std::isfinite(x)) {
      cells.push_back(covec::number_text(Value(x)));
    } else if (fixed) {
      const int digits = x == 0 ? 1 : std::max(1, decimal_at(tensor, row).exponent + 1 + fraction);
      cells.push_back(fixed_text(rounded_decimal(x, digits), fraction));
    } else {
      cells.push_back(scientific_text(rounded_decimal(x, 4), 3));
    }
  }
  return cells;
}

std::vector<std::string> date_cells(const Tensor& seconds, const std::vector<int64_t>& rows) {
  const auto at = [&](int64_t row) { return seconds.as<double>()[row]; };
  const bool clock = std::any_of(rows.begin(), rows.end(), [&](int64_t row) {
    return has_date_text(at(row)) && std::fmod(at(row), day_seconds) != 0;
  });
  std::vector<std::string> cells;
  for (const int64_t row : rows) cells.push_back(has_date_text(at(row)) ? iso_date(at(row), clock) : "none");
  return cells;
}

std::string whole_cell(const Tensor& tensor, int64_t row) {
  if (tensor.dtype() == Dtype::boolean) return tensor.as<bool>()[row] ? "true" : "false";
  return std::to_string(
      integer_at(tensor.dtype(), tensor.data() + row * static_cast<int64_t>(size_of(tensor.dtype()))));
}

std::vector<std::string> cells_of_column(const Value& column, const std::vector<int64_t>& rows) {
  std::vector<std::string> cells;
  if (column.is(ObjectKind::list)) {
    for (const int64_t row : rows) {
      const Value& item = column.list().items()[static_cast<size_t>(row)];
      cells.push_back(item.is_none() ? "none" : one_cell(item.string().text));
    }
    return cells;
  }
  const Value* seconds = files::seconds_of_dates(column);
  const Value& vector = seconds != nullptr ? *seconds : column;
  const Value whole = contiguous(vector.tensor().pool(), vector);
  if (seconds != nullptr) return date_cells(whole.tensor(), rows);
  if (is_float(whole.tensor().dtype())) return float_cells(whole.tensor(), rows);
  for (const int64_t row : rows) cells.push_back(whole_cell(whole.tensor(), row));
  return cells;
}

// --- what is shown ---

ShownColumn column_of(const std::string& name, const Value& column, const std::vector<int64_t>& rows) {
  ShownColumn shown;
  shown.cells = {one_cell(name), files::kind_of_column(column)};
  shown.right = column.is_tensor();
  for (std::string& cell : cells_of_column(column, rows)) shown.cells.push_back(std::move(cell));
  for (const std::string& cell : shown.cells) shown.width = std::max(shown.width, cells_of(cell));
  return shown;
}

int width_of_numbers(const ShownTable& table) {
  return static_cast<int>(std::to_string(std::max<int64_t>(table.count - 1, 0)).size());
}

// From both sides in turn, as long as there is room; a single one that is left needs no more than the mark does.
void choose_columns(ShownTable& table, const Record& record, const TableRoom& room) {
  int used = width_of_numbers(table);
  size_t first = 0, last = table.all;
  while (first < last && (table.all - (last - first) < room.columns || first + 1 == last)) {
    const bool from_left = table.left.size() <= table.right.size();
    const size_t at = from_left ? first : last - 1;
    ShownColumn column = column_of(record.layout->names[at], record.items[at], table.rows);
    const int mark = first + 1 < last ? 3 : 0;  // of what is not shown
    if (used + 2 + column.width + mark > room.width && !table.left.empty()) break;
    used += 2 + column.width;
    (from_left ? table.left : table.right).push_back(std::move(column));
    from_left ? ++first : --last;
  }
  table.hidden = last - first;
}

std::string line_text(const ShownTable& table, size_t line) {
  std::string out = padded(line < 2 ? "" : std::to_string(table.rows[line - 2]), width_of_numbers(table), true);
  const auto add = [&](const ShownColumn& column) {
    out += "  " + padded(column.cells[line], column.width, column.right);
  };
  for (const ShownColumn& column : table.left) add(column);
  if (table.hidden > 0) out += line == 0 ? "  …" : "   ";
  for (size_t i = table.right.size(); i-- > 0;) add(table.right[i]);
  while (out.ends_with(' ')) out.pop_back();
  return out + '\n';
}

}  // namespace

bool is_table(const Value& value) {
  if (!value.is(ObjectKind::record) || value.record().items.empty()) return false;
  const std::vector<Value>& columns = value.record().items;
  const auto fits = [&](const Value& column) {
    return !files::kind_of_column(column).empty() &&
           files::length_of_column(column) == files::length_of_column(columns[0]);
  };
  return std::all_of(columns.begin(), columns.end(), fits);
}

bool has_words(const Value& table) {
  const std::vector<Value>& columns = table.record().items;
  return std::any_of(columns.begin(), columns.end(), [](const Value& column) { return !column.is_tensor(); });
}

std::string ShownTable::sizes() const {
  const std::string text = std::to_string(count) + (count == 1 ? " row, " : " rows, ") + std::to_string(all) +
                           (all == 1 ? " column" : " columns");
  return hidden == 0 ? text : text + ", " + std::to_string(hidden) + " not shown";
}

ShownTable shown_table(const Value& value, const TableRoom& room) {
  ShownTable table;
  table.count = files::rows_of(value);
  table.head = table.count <= room.rows ? table.count : (room.rows + 1) / 2;
  for (int64_t row = 0; row < table.head; ++row) table.rows.push_back(row);
  for (int64_t row = table.count - (table.count <= room.rows ? 0 : room.rows / 2); row < table.count; ++row)
    table.rows.push_back(row);
  table.all = value.record().items.size();
  choose_columns(table, value.record(), room);
  return table;
}

std::string table_text(const Value& value, int64_t max_rows, int width) {
  const ShownTable table = shown_table(value, {max_rows, width});
  std::string out;
  for (size_t line = 0; line < table.rows.size() + 2; ++line) {
    out += line_text(table, line);
    if (line == static_cast<size_t>(table.head) + 1 && table.rows_left_out() > 0)
      out += padded("⋮", width_of_numbers(table), true) + '\n';
  }
  return out + table.sizes();
}

}  // namespace covec::plot
