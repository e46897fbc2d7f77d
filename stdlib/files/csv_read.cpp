// Reads a table of numbers. The file is read whole and checked for UTF-8. Its lines are counted, so the result is
// allocated before the first number is read. Then every line becomes a row, and every error names its line. A field may
// be quoted, but a line always ends a row. Start reading at Table::read().
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "stdlib/files/csv.hpp"
#include "stdlib/files/csv_rows.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

class Table {
 public:
  Table(const File& file, std::string_view text, const CsvReading& how)
      : file_(file), rows_(file, text, {.separator = how.separator}), how_(how) {}

  Value read() {
    read_header();
    return read_rows(false);
  }

  // Reads what comes before a part, so that all parts have the columns of the first row. The text ends behind that row,
  // or at a later line. Returns where the header ends.
  CsvRows::RowPosition read_head() {
    read_header();
    const CsvRows::RowPosition behind = rows_.place();
    if (columns_ > 0 || how_.header == CsvHeader::names) return behind;
    if (!rows_.next_row()) fail_empty();
    count_columns();
    return behind;
  }
  Value read_part(CsvRows::RowPosition rows) {
    rows_.go_to(rows);
    return read_rows(true);
  }

 private:
  [[noreturn]] void fail_empty() const { fail(message("csv_empty"), {file_.path()}); }

  void read_header() {
    if (how_.header != CsvHeader::none && rows_.next_row() && how_.header == CsvHeader::names) read_names();
  }

  Value read_rows(bool may_be_none) {
    make_room(may_be_none || how_.header == CsvHeader::names);
    while (rows_.next_row()) read_row();
    return result();
  }

  void count_columns() {
    first_line_ = rows_.line();
    columns_ = rows_.count_fields();
  }

  void read_names() {
    std::unordered_set<std::string> seen;
    first_line_ = rows_.line();
    do {
      const int64_t column = ++columns_;
      names_.emplace_back(rows_.take_field(column));
      if (names_.back().empty())
        fail_to_read(file_.path(),
                     "line " + std::to_string(rows_.line()) + ", field " + std::to_string(column) + " has no name");
      if (!seen.insert(names_.back()).second)
        fail_to_read(file_.path(), "line " + std::to_string(rows_.line()) + ", field " + std::to_string(column) +
                                       " has the name of another field");
    } while (rows_.more());
  }

  // Counts what is left and allocates for it. A table that has more fields than bytes must be ragged: it gets no room,
  // and reading will say where.
  void make_room(bool may_be_none) {
    const CsvRows::RowPosition begin = rows_.place();
    int64_t rows = 0;
    for (; rows_.next_row(); ++rows) {
      if (rows == 0 && columns_ == 0) count_columns();
    }
    if (rows == 0 && !may_be_none) fail_empty();
    rows_.go_to(begin);
    choose_columns();
    if (rows > 0 && static_cast<uint64_t>(columns_) > (begin.text.size() + 1) / static_cast<uint64_t>(rows)) return;
    if (how_.header != CsvHeader::names) {
      tensors_.push_back(make_tensor(file_.pool(), Dtype::f64, Shape{Dim(rows), Dim(chosen_)}));
      return;
    }
    for (int64_t i = 0; i < chosen_; ++i) {
      tensors_.push_back(make_tensor(file_.pool(), Dtype::f64, Shape{Dim(rows)}));
      by_column_.push_back(tensors_.back().tensor().as<double>());
    }
  }

  // Where each column of the file goes: −1 when it is not asked for.
  void choose_columns() {
    chosen_ = columns_;
    place_of_.resize(static_cast<size_t>(columns_));
    for (int64_t i = 0; i < columns_; ++i) place_of_[static_cast<size_t>(i)] = i;
    if (!how_.columns) return;
    std::fill(place_of_.begin(), place_of_.end(), -1);
    chosen_ = 0;
    std::vector<std::string> names;
    for (const CsvColumn& column : *how_.columns) {
      const size_t at = column_number(column);
      if (place_of_[at] >= 0) fail_to_read(file_.path(), "column " + text_of(column) + " is asked for twice");
      place_of_[at] = chosen_++;
      if (!names_.empty()) names.push_back(names_[at]);
    }
    names_ = std::move(names);
  }

  static std::string text_of(const CsvColumn& column) {
    const auto* name = std::get_if<std::string>(&column);
    return name != nullptr ? shown(*name) : std::to_string(std::get<int64_t>(column));
  }

  size_t column_number(const CsvColumn& column) const {
    if (const auto* name = std::get_if<std::string>(&column)) {
      const auto found = std::find(names_.begin(), names_.end(), *name);
      if (found != names_.end()) return static_cast<size_t>(found - names_.begin());
      fail_to_read(file_.path(),
                   "it has no column " + shown(*name) + (names_.empty() ? " without header=\"names\"" : ""));
    }
    const int64_t number = std::get<int64_t>(column), at = number < 0 ? number + columns_ : number;
    if (at >= 0 && at < columns_) return static_cast<size_t>(at);
    fail_to_read(file_.path(),
                 "it has " + std::to_string(columns_) + " columns, but no column " + std::to_string(number));
  }

  void put(int64_t column, double number) {
    if (tensors_.empty()) return;
    if (by_column_.empty()) {
      tensors_[0].tensor().as<double>()[row_ * chosen_ + column] = number;
    } else {
      by_column_[static_cast<size_t>(column)][row_] = number;
    }
  }

  void read_row() {
    int64_t column = 0;
    do {
      const std::string_view field = rows_.take_field(column + 1);
      if (column >= columns_) continue;
      const int64_t place = place_of_[static_cast<size_t>(column)];
      if (place >= 0) put(place, number(field, column + 1));
    } while (++column, rows_.more());
    if (column != columns_) {
      fail(message("csv_ragged"),
           {file_.path(), std::to_string(columns_), std::to_string(first_line_), std::to_string(column),
            std::to_string(rows_.line())},
           {}, "table.read_csv with ragged=\"pad\" or ragged=\"skip\" reads it");
    }
    ++row_;
  }

  double number(std::string_view field, int64_t column) {
    const std::string_view digits = rows_.trimmed(field);
    double value = 0;
    const Reading reading = number_of(digits, value);
    const bool read = reading == Reading::number;
    if (how_.missing && (!read || std::isnan(value)) && is_missing(digits)) return *how_.missing;
    if (!read) fail_number(field, column, reading);
    holds_numbers_ = true;
    if (!warned_ && is_long_integer(digits, value)) {
      warned_ = true;
      warn_of_long_integer(file_.context(), file_.path() + ", line " + std::to_string(rows_.line()) + ", column " +
                                                std::to_string(column));
    }
    return value;
  }

  // A field is shown where the file has been seen to hold numbers. Any other may be a key or a list of passwords, read
  // with the rights of a host whose program's author is not to see it.
  [[noreturn]] void fail_number(std::string_view field, int64_t column, Reading reading) const {
    const std::array where = {file_.path(), std::to_string(rows_.line()), std::to_string(column)};
    if (field.empty())
      fail(message("csv_empty_field"), {where[0], where[1], where[2]}, {}, "missing=nan reads it as nan");
    if (reading == Reading::too_large) fail(message("csv_range"), {where[0], where[1], where[2], abridged(field)});
    std::string hint = rows_.line() == 1 ? "header=true skips the first line" : "table.read_csv reads columns of text";
    if (is_missing(rows_.trimmed(field))) hint = "missing=nan reads it as nan";
    fail(message("csv_not_a_number"), {where[0], where[1], where[2], holds_numbers_ ? abridged(field) : "…"}, {},
         std::move(hint));
  }

  Value result() {
    if (how_.header != CsvHeader::names) return std::move(tensors_[0]);
    return make_record(std::make_shared<RecordLayout>(RecordLayout{std::move(names_)}), std::move(tensors_));
  }

  const File& file_;
  CsvRows rows_;
  const CsvReading& how_;
  bool holds_numbers_ = false, warned_ = false;
  std::vector<std::string> names_;
  std::vector<Value> tensors_;
  std::vector<double*> by_column_;
  std::vector<int64_t> place_of_;  // by the file's columns
  int64_t row_ = 0, columns_ = 0, chosen_ = 0, first_line_ = 0;
};

uint64_t share_of(uint64_t size, int64_t i, int64_t n) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(size) * static_cast<uint64_t>(i) /
                               static_cast<uint64_t>(n));
}

Value read_part(const File& file, const CsvReading& how) {
  const uint64_t head_end = end_of_rows(file, how.header == CsvHeader::skipped ? 2 : 1);
  const Scratch head_bytes(file.pool(), head_end);
  Converted head, body;
  const std::string_view head_text = table_text(file, head_bytes, TextPart{}, head);
  const bool old_lines = head_text.find('\n') == std::string_view::npos;
  Table table(file, old_lines ? table_text(file, head_bytes, TextPart{0, true}, head) : head_text, how);
  const CsvRows::RowPosition first = table.read_head();
  const uint64_t rows = head_end - first.text.size();
  const uint64_t begin = std::max(rows, next_line(file, share_of(file.size(), how.part->i, how.part->n)));
  const uint64_t end = std::max(begin, next_line(file, share_of(file.size(), how.part->i + 1, how.part->n)));
  const Scratch bytes(file.pool(), end - begin);
  const std::string_view text = table_text(file, bytes, TextPart{begin, old_lines}, body);
  return table.read_part(begin == rows ? CsvRows::RowPosition{text, first.line} : CsvRows::RowPosition{text, 0, begin});
}

}  // namespace

Value read_csv(const File& file, const CsvReading& how) {
  if (how.part) return read_part(file, how);
  const Scratch bytes(file.pool(), file.size());
  Converted converted;
  return Table(file, table_text(file, bytes, TextEncoding::utf8, converted), how).read();
}

}  // namespace covec::files
