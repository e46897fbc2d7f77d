// Columns side by side, names and kinds above, numbers under each other. Start reading at Page.
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

constexpr int widest_cell = 40, significant = 6;  // columns, and digits of a number; chosen, not measured
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

// --- the page ---

struct ShownColumn {
  std::vector<std::string> cells;  // the name and the kind first
  int width = 0;
  bool right = false;

  ShownColumn(const std::string& name, const Value& column, const std::vector<int64_t>& rows)
      : cells{one_cell(name), files::kind_of_column(column)}, right(column.is_tensor()) {
    for (std::string& cell : cells_of_column(column, rows)) cells.push_back(std::move(cell));
    for (const std::string& cell : cells) width = std::max(width, cells_of(cell));
  }
};

class Page {
 public:
  Page(const Record& table, int64_t rows, int64_t max_rows, int width) : table_(table), count_(rows), width_(width) {
    head_ = rows <= max_rows ? rows : (max_rows + 1) / 2;
    for (int64_t row = 0; row < head_; ++row) rows_.push_back(row);
    for (int64_t row = rows - (rows <= max_rows ? 0 : max_rows / 2); row < rows; ++row) rows_.push_back(row);
    numbers_ = static_cast<int>(std::to_string(std::max<int64_t>(rows - 1, 0)).size());
    choose_columns();
  }

  std::string text() const {
    std::string out;
    for (size_t line = 0; line < rows_.size() + 2; ++line) {
      out += line_text(line);
      if (line == static_cast<size_t>(head_) + 1 && rows_.size() < static_cast<size_t>(count_)) out += gap_text();
    }
    const size_t all = table_.items.size(), hidden = all - left_.size() - right_.size();
    out += std::to_string(count_) + (count_ == 1 ? " row, " : " rows, ") + std::to_string(all) +
           (all == 1 ? " column" : " columns");
    return hidden == 0 ? out : out + ", " + std::to_string(hidden) + " not shown";
  }

 private:
  ShownColumn shown(size_t i) const { return {table_.layout->names[i], table_.items[i], rows_}; }

  // From both sides in turn, as long as there is room.
  void choose_columns() {
    const size_t all = table_.items.size();
    int used = numbers_;
    for (size_t first = 0, last = all; first < last;) {
      const bool from_left = left_.size() <= right_.size();
      ShownColumn column = shown(from_left ? first : last - 1);
      const int mark = first + 1 < last ? 3 : 0;  // of what is not shown
      if (used + 2 + column.width + mark > width_ && !left_.empty()) break;
      used += 2 + column.width;
      (from_left ? left_ : right_).push_back(std::move(column));
      from_left ? ++first : --last;
    }
  }

  std::string line_text(size_t line) const {
    std::string out = padded(line < 2 ? "" : std::to_string(rows_[line - 2]), numbers_, true);
    const auto add = [&](const ShownColumn& column) {
      out += "  " + padded(column.cells[line], column.width, column.right);
    };
    for (const ShownColumn& column : left_) add(column);
    if (left_.size() + right_.size() < table_.items.size()) out += line == 0 ? "  …" : "   ";
    for (size_t i = right_.size(); i-- > 0;) add(right_[i]);
    while (out.ends_with(' ')) out.pop_back();
    return out + '\n';
  }

  std::string gap_text() const { return padded("⋮", numbers_, true) + '\n'; }

  const Record& table_;
  const int64_t count_;
  const int width_;
  int64_t head_ = 0;
  int numbers_ = 1;  // the width of rows' numbers
  std::vector<int64_t> rows_;
  std::vector<ShownColumn> left_, right_;
};

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

std::string table_text(const Value& table, int64_t max_rows, int width) {
  return Page(table.record(), files::rows_of(table), max_rows, width).text();
}

}  // namespace covec::plot
