// The file is read whole and checked for UTF-8; its lines are counted, so that the result has its place before the
// first number is read; then every line becomes a row, and every complaint names its line. A field may be quoted, but a
// line always ends a row. Start reading at Table::read().
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "stdlib/files/csv.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

bool is_missing(std::string_view field) {
  constexpr std::string_view words[] = {"", "na", "n/a", "nan", "null"};
  return std::any_of(std::begin(words), std::end(words), [&](auto word) { return equal_ignoring_case(field, word); });
}

class Table {
 public:
  Table(const File& file, std::string_view text, const CsvReading& how) : file_(file), text_(text), how_(how) {}

  Value read() {
    CsvHeader header = how_.header;
    std::string_view row;
    if (header != CsvHeader::none && next_row(row) && header == CsvHeader::names) read_names(row);
    make_room();
    while (next_row(row)) read_row(row);
    return result();
  }

 private:
  bool is_blank(char c) const { return (c == ' ' || c == '\t' || c == '\r') && c != how_.separator; }

  std::string_view trimmed(std::string_view text) const {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
  }

  // The next line that is not blank.
  bool next_row(std::string_view& row) {
    while (!text_.empty()) {
      if (++line_ % 1024 == 0) kernels::poll_interrupt(file_.context());
      const size_t end = text_.find('\n');
      row = trimmed(text_.substr(0, end));
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      if (!row.empty()) return true;
    }
    return false;
  }

  [[noreturn]] void fail_quotes(int64_t column, std::string why) const {
    fail(message("csv_quotes"), {file_.path(), std::to_string(line_), std::to_string(column), std::move(why)});
  }

  // Takes the content of a quoted field off `rest`, up to the separator.
  std::string_view take_quoted(std::string_view& rest, int64_t column) {
    unquoted_.clear();
    size_t at = 1;
    for (; at < rest.size(); ++at) {
      if (rest[at] == '"' && !rest.substr(at + 1).starts_with('"')) break;
      unquoted_ += rest[at];
      at += rest[at] == '"';  // two stand for one
    }
    if (at >= rest.size()) fail_quotes(column, "its quotes are not closed in this line");
    const std::string_view after = rest.substr(at + 1);
    const size_t end = after.find(how_.separator);
    if (!trimmed(after.substr(0, end)).empty()) fail_quotes(column, "something follows its quotes");
    more_ = end != std::string_view::npos;
    rest = more_ ? after.substr(end + 1) : std::string_view();
    return unquoted_;
  }

  // The next field of a row; more_ says whether another follows.
  std::string_view take_field(std::string_view& rest, int64_t column) {
    std::string_view ahead = rest;
    while (!ahead.empty() && is_blank(ahead.front())) ahead.remove_prefix(1);
    if (ahead.starts_with('"')) {
      rest = ahead;
      return take_quoted(rest, column);
    }
    const size_t end = rest.find(how_.separator);
    more_ = end != std::string_view::npos;
    const std::string_view field = trimmed(rest.substr(0, end));
    rest.remove_prefix(more_ ? end + 1 : rest.size());
    return field;
  }

  int64_t count_fields(std::string_view row) {
    int64_t count = 0;
    do {
      take_field(row, ++count);
    } while (more_);
    return count;
  }

  void read_names(std::string_view row) {
    std::unordered_set<std::string_view> seen;
    columns_ = count_fields(row);
    first_line_ = line_;
    names_.reserve(static_cast<size_t>(columns_));
    for (int64_t column = 1; column <= columns_; ++column) {
      names_.emplace_back(take_field(row, column));
      if (names_.back().empty())
        fail_to_read(file_.path(),
                     "line " + std::to_string(line_) + ", field " + std::to_string(column) + " has no name");
      if (!seen.insert(names_.back()).second)
        fail_to_read(file_.path(), "line " + std::to_string(line_) + ", field " + std::to_string(column) +
                                       " has the name of another");
    }
  }

  // Counts what is left and allocates for it. A table that has more fields than bytes must be ragged: it gets no room,
  // and reading will say where.
  void make_room() {
    const std::string_view text = text_;
    const int64_t line = line_;
    std::string_view row;
    int64_t rows = 0;
    for (; next_row(row); ++rows) {
      if (rows > 0 || columns_ > 0) continue;
      columns_ = count_fields(row);
      first_line_ = line_;
    }
    if (rows == 0 && how_.header != CsvHeader::names) fail(message("csv_empty"), {file_.path()});
    text_ = text;
    line_ = line;
    choose_columns();
    if (rows > 0 && static_cast<uint64_t>(columns_) > (text.size() + 1) / static_cast<uint64_t>(rows)) return;
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
                 "it has " + std::to_string(columns_) + " columns, none is number " + std::to_string(number));
  }

  void put(int64_t column, double number) {
    if (tensors_.empty()) return;
    if (by_column_.empty()) {
      tensors_[0].tensor().as<double>()[row_ * chosen_ + column] = number;
    } else {
      by_column_[static_cast<size_t>(column)][row_] = number;
    }
  }

  void read_row(std::string_view row) {
    int64_t column = 0;
    do {
      const std::string_view field = take_field(row, column + 1);
      if (column >= columns_) continue;
      const int64_t place = place_of_[static_cast<size_t>(column)];
      if (place >= 0) put(place, number(field, column + 1));
    } while (++column, more_);
    if (column != columns_) {
      fail(message("csv_ragged"), {file_.path(), std::to_string(columns_), std::to_string(first_line_),
                                   std::to_string(column), std::to_string(line_)});
    }
    ++row_;
  }

  double number(std::string_view field, int64_t column) {
    std::string_view digits = trimmed(field);
    if (digits.size() > 1 && digits.front() == '+' && digits[1] != '-') digits.remove_prefix(1);
    double value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    bool read = code == std::errc() && end == digits.data() + digits.size();
    if (code == std::errc::result_out_of_range && is_tiny(digits)) {  // as a number in a program, it is 0 then
      value = digits.front() == '-' ? -0.0 : 0.0;
      read = true;
    }
    if (how_.missing && (!read || std::isnan(value)) && is_missing(digits)) return *how_.missing;
    if (!read) fail_number(field, column, code);
    holds_numbers_ = true;
    return value;
  }

  // A field is shown where the file has been seen to hold numbers. Any other may be a key or a list of passwords, read
  // with the rights of a host whose program's author is not to see it.
  [[noreturn]] void fail_number(std::string_view field, int64_t column, std::errc code) const {
    const std::array where = {file_.path(), std::to_string(line_), std::to_string(column)};
    if (field.empty())
      fail(message("csv_empty_field"), {where[0], where[1], where[2]}, {}, "missing=nan reads it as nan");
    if (code == std::errc::result_out_of_range)
      fail(message("csv_range"), {where[0], where[1], where[2], abridged(field)});
    std::string hint = line_ == 1 ? "header=true skips the first line" : "";
    if (is_missing(trimmed(field))) hint = "missing=nan reads it as nan";
    fail(message("csv_not_a_number"), {where[0], where[1], where[2], holds_numbers_ ? abridged(field) : "…"}, {},
         std::move(hint));
  }

  Value result() {
    if (how_.header != CsvHeader::names) return std::move(tensors_[0]);
    return make_record(std::make_shared<RecordLayout>(RecordLayout{std::move(names_)}), std::move(tensors_));
  }

  const File& file_;
  std::string_view text_;
  const CsvReading& how_;
  int64_t line_ = 0;
  std::string unquoted_;
  bool more_ = false;
  bool holds_numbers_ = false;
  std::vector<std::string> names_;
  std::vector<Value> tensors_;
  std::vector<double*> by_column_;
  std::vector<int64_t> place_of_;  // by the file's columns
  int64_t row_ = 0, columns_ = 0, chosen_ = 0, first_line_ = 0;
};

}  // namespace

Value read_csv(const File& file, const CsvReading& how) {
  const Scratch bytes(file.pool(), file.size());
  file.read(0, bytes.data(), file.size());
  std::string_view text = bytes.text();
  const size_t prefix = utf8_prefix(text);
  if (prefix < text.size()) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(prefix), '\n') + 1;
    fail(message("file_not_utf8"), {file.path(), std::to_string(line)});
  }
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte-order mark
  return Table(file, text, how).read();
}

}  // namespace covec::files
