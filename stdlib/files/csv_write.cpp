// Writes tables of numbers. Numbers have the shortest form that reads back (std::to_chars); NaN has no sign. Text is
// collected in a buffer and written in large pieces.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "stdlib/files/csv.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/text/calendar.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

// Bytes; an f64 takes up to 24.
constexpr size_t buffer_bytes = size_t{1} << 18, longest_number = 40;

char* put_number(char* to, char* end, bool value, int) { return std::to_chars(to, end, static_cast<int>(value)).ptr; }

template <class T>
char* put_number(char* to, char* end, T value, int digits) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_chars(to, end, value).ptr;
  } else {
    if (std::isnan(value)) return std::copy_n("nan", 3, to);
    if (digits == 0) return std::to_chars(to, end, value).ptr;
    return std::to_chars(to, end, value, std::chars_format::general, digits).ptr;
  }
}

void append_number(std::string& text, const Tensor& tensor, int64_t at, int digits) {
  char number[longest_number];
  char* const end = number + longest_number;
  if (is_half(tensor.dtype())) {
    const double shown = shown_half(Value::scalar(tensor.dtype(), tensor.as<uint16_t>() + at));
    text.append(number, put_number(number, end, shown, digits));
  } else {
    with_element(tensor.dtype(),
                 [&]<class T>(T) { text.append(number, put_number(number, end, tensor.as<T>()[at], digits)); });
  }
}

void append_quoted(std::string& text, std::string_view name) {
  text += '"';
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

void append_field(std::string& text, std::string_view field, char separator) {
  const char special[] = {separator, '"', ' ', '\t', '\r', '\n'};
  if (field.find_first_of(special, 0, sizeof special) == std::string::npos) {
    text += field;
  } else {
    append_quoted(text, field);
  }
}

// Quoted also where a reader would find another separator in the first row, or a byte order mark before it.
void append_name(std::string& text, std::string_view name, char separator) {
  const bool misread = name.find_first_of(",;|") != std::string::npos || name.starts_with("\xef\xbb\xbf");
  misread ? append_quoted(text, name) : append_field(text, name, separator);
}

void append_header(std::string& text, const std::string& path, const CsvWriting& how) {
  for (size_t i = 0; i < how.names.size(); ++i) {
    const std::string& name = how.names[i];
    if (name.empty() || name.find_first_of("\r\n") != std::string::npos || utf8_prefix(name) != name.size())
      fail_to_write(path, "a column cannot be named " + shown(name));
    if (i > 0) text += how.separator;
    append_name(text, name, how.separator);
  }
  if (!how.names.empty()) text += '\n';
}

}  // namespace

void write_csv(AtomicFile& file, Pool& pool, const CsvTable& table, const CsvWriting& how) {
  std::vector<Value> whole;
  for (const Value& tensor : table.tensors) whole.push_back(contiguous(pool, tensor));
  const bool matrix = whole.size() == 1;
  std::string text;
  append_header(text, file.path(), how);
  for (int64_t row = 0; row < table.rows; ++row) {
    for (int64_t column = 0; column < table.columns; ++column) {
      if (column > 0) text += how.separator;
      const Tensor& tensor = whole[matrix ? 0 : static_cast<size_t>(column)].tensor();
      append_number(text, tensor, matrix ? row * table.columns + column : row, how.digits);
      if (text.size() < buffer_bytes) continue;
      file.write(text);
      text.clear();
    }
    text += '\n';
  }
  file.write(text);
}

namespace {

// A column of a table and what its cells are written with.
class ColumnText {
 public:
  explicit ColumnText(const Value& column) {
    const Value* seconds = seconds_of_dates(column);
    if (column.is(ObjectKind::list)) {
      texts_ = &column.list().items();
      return;
    }
    numbers_ =
        contiguous((seconds != nullptr ? *seconds : column).tensor().pool(), seconds != nullptr ? *seconds : column);
    if (seconds == nullptr) return;
    dates_ = true;
    const auto* all = numbers_.tensor().as<double>();
    clock_ = std::any_of(all, all + numbers_.tensor().size(),
                         [](double s) { return std::fmod(s, 86400) != 0 && !std::isnan(s); });
  }

  // False where the cell is missing.
  bool append(std::string& text, int64_t row, const CsvWriting& how) const {
    if (texts_ != nullptr) {
      const Value& item = (*texts_)[static_cast<size_t>(row)];
      if (item.is_none()) return false;
      append_field(text, item.string().text, how.separator);
      return true;
    }
    const Tensor& tensor = numbers_.tensor();
    if (dates_ && std::isnan(tensor.as<double>()[row])) return false;
    if (dates_) {
      text += iso_date(tensor.as<double>()[row], clock_);
    } else if (tensor.dtype() == Dtype::boolean) {
      text += tensor.as<bool>()[row] ? "true" : "false";
    } else if (is_missing(tensor, row)) {
      return false;
    } else {
      append_number(text, tensor, row, how.digits);
    }
    return true;
  }

 private:
  static bool is_missing(const Tensor& tensor, int64_t row) {
    const auto bytes = static_cast<int64_t>(size_of(tensor.dtype()));
    return is_float(tensor.dtype()) && std::isnan(real_at(tensor.dtype(), tensor.data() + row * bytes));
  }

  const std::vector<Value>* texts_ = nullptr;
  Value numbers_;
  bool dates_ = false, clock_ = false;
};

}  // namespace

void write_csv_columns(AtomicFile& file, const Value& table, const CsvWriting& how) {
  std::vector<ColumnText> columns;
  for (const Value& column : table.record().items) columns.emplace_back(column);
  std::string text;
  append_header(text, file.path(), how);
  const int64_t rows = rows_of(table);
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += how.separator;
      // A line with nothing in it would be no row.
      if (!columns[i].append(text, row, how) && columns.size() == 1) text += "\"\"";
    }
    text += '\n';
    if (text.size() < buffer_bytes) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
}

}  // namespace covec::files
