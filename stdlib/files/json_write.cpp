// Writes numbers in the shortest form that reads back. Text is collected in a buffer and written in large pieces.
#include <charconv>
#include <cmath>

#include "stdlib/files/columns.hpp"
#include "stdlib/files/json.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/text/calendar.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

// Bytes; an f64 takes up to 24.
constexpr size_t buffer_bytes = size_t{1} << 18, longest_number = 40;

void append_text(std::string& out, std::string_view text) {
  constexpr const char* hex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += hex[c >> 4];
      out += hex[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

template <class T>
void append_number(std::string& out, T number) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(number)) {
      out += "null";
      return;
    }
  }
  char digits[longest_number];
  out.append(digits, std::to_chars(digits, digits + longest_number, number).ptr);
}

void append_cell(std::string& out, const Tensor& tensor, int64_t row) {
  if (is_half(tensor.dtype()))
    return append_number(out, shown_half(Value::scalar(tensor.dtype(), tensor.as<uint16_t>() + row)));
  with_element(tensor.dtype(), [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>)
      out += tensor.as<bool>()[row] ? "true" : "false";
    else
      append_number(out, tensor.as<T>()[row]);
  });
}

// Its tensors are contiguous.
void append_cell(std::string& out, const Value& column, int64_t row) {
  if (column.is(ObjectKind::list)) {
    const Value& item = column.list().items()[static_cast<size_t>(row)];
    if (item.is_none()) {
      out += "null";
    } else {
      append_text(out, item.string().text);
    }
    return;
  }
  const Value* dates = seconds_of_dates(column);
  if (dates == nullptr) return append_cell(out, column.tensor(), row);
  const double seconds = dates->tensor().as<double>()[row];
  out += std::isnan(seconds) ? "null" : '"' + iso_date(seconds, std::fmod(seconds, 86400) != 0) + '"';
}

class Writer {
 public:
  Writer(AtomicFile& file, const Value& table) : file_(file), names_(table.record().layout->names) {
    for (const Value& column : table.record().items) {
      const Value* dates = seconds_of_dates(column);
      if (column.is(ObjectKind::list)) {
        columns_.push_back(column);
      } else if (dates != nullptr) {
        columns_.push_back(date_column(contiguous(dates->tensor().pool(), *dates)));
      } else {
        columns_.push_back(contiguous(column.tensor().pool(), column));
      }
    }
  }

  void write_rows(int64_t rows) {
    out_ += '[';
    for (int64_t row = 0; row < rows; ++row) {
      out_ += row > 0 ? ",\n{" : "\n{";
      for (size_t i = 0; i < columns_.size(); ++i) {
        append_key(i);
        append_cell(out_, columns_[i], row);
      }
      out_ += '}';
      flush(buffer_bytes);
    }
    out_ += "\n]\n";
    flush(0);
  }

  void write_columns(int64_t rows) {
    out_ += '{';
    for (size_t i = 0; i < columns_.size(); ++i) {
      append_key(i);
      out_ += '[';
      for (int64_t row = 0; row < rows; ++row) {
        if (row > 0) out_ += ',';
        append_cell(out_, columns_[i], row);
        flush(buffer_bytes);
      }
      out_ += "]\n";
    }
    out_ += "}\n";
    flush(0);
  }

 private:
  void append_key(size_t i) {
    if (i > 0) out_ += ',';
    append_text(out_, names_[i]);
    out_ += ':';
  }
  void flush(size_t most) {
    if (out_.size() < most) return;
    file_.write(out_);
    out_.clear();
  }

  AtomicFile& file_;
  const std::vector<std::string>& names_;
  std::vector<Value> columns_;
  std::string out_;
};

}  // namespace

void write_json_columns(AtomicFile& file, const Value& table, bool rows) {
  Writer writer(file, table);
  if (rows) {
    writer.write_rows(rows_of(table));
  } else {
    writer.write_columns(rows_of(table));
  }
}

}  // namespace covec::files
