// Reads JSON event by event. No tree is built, so JSON that is nested too deep is refused at its opening bracket. Start
// reading at Handler: which events may come where.
#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>

#include "stdlib/files/columns.hpp"
#include "stdlib/files/json.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/scratch.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

constexpr size_t cells_between_polls = 4096;  // cells of a table

// How far the parser has read the text. Lines are counted on demand, from the last one asked for on.
class Progress {
 public:
  explicit Progress(std::string_view text) : text_(text) {}
  std::string_view text() const { return text_; }
  std::string_view rest() const { return text_.substr(read_); }
  size_t read() const { return read_; }
  void read_to(size_t position) { read_ = position; }

  // The line of the last character read. A number's is the one behind it, which may be the end of its line.
  int64_t line() {
    const size_t last = std::max<size_t>(read_, 1) - 1;
    for (; counted_ < last; ++counted_) line_ += text_[counted_] == '\n';
    return line_;
  }

 private:
  std::string_view text_;
  size_t read_ = 0, counted_ = 0;
  int64_t line_ = 1;
};

// What the parser reads through. It copies its iterators, so the progress lies outside of them.
class Cursor {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor() = default;
  Cursor(Progress& progress, size_t at) : progress_(&progress), at_(at) {}
  reference operator*() const { return progress_->text()[at_]; }
  Cursor& operator++() {
    progress_->read_to(++at_);
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }

 private:
  Progress* progress_ = nullptr;
  size_t at_ = 0;
};

class Handler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(const File& file, Progress& progress) : file_(file), progress_(progress) {}
  const std::string& problem() const { return problem_; }
  // It began as an object of columns and went on as one row, or had nothing in it: more of them may follow.
  bool may_be_lines() const { return may_be_lines_; }
  void expect_row() { place_ = Section::rows; }

  bool start_array(size_t) override {
    if (place_ == Section::outside) return go(Section::rows);
    if (place_ != Section::columns) return unexpected("an array");
    row_ = 0;
    return go(Section::column);
  }
  bool end_array() override {
    if (place_ != Section::column) return go(Section::outside);
    if (column_ > 0 && row_ != rows_) {
      return refuse("columns differ in length: " + shown(columns_[0].name) + " has " + std::to_string(rows_) + ", " +
                    shown(columns_[column_].name) + " has " + std::to_string(row_));
    }
    rows_ = row_;
    return go(Section::columns);
  }
  bool start_object(size_t) override {
    if (place_ == Section::outside) return go(Section::columns);
    if (place_ != Section::rows) return unexpected("an object");
    next_ = 0;
    return go(Section::row);
  }
  bool end_object() override {
    if (place_ == Section::columns) {
      may_be_lines_ = columns_.empty();
      return go(Section::outside);
    }
    ++row_;
    rows_ = row_;
    return go(Section::rows);
  }
  // Rows most often have their keys in one order: the column after the last one is tried first.
  bool key(string_t& name) override {
    if (next_ >= columns_.size() || columns_[next_].name != name) next_ = column_named(name);
    column_ = next_++;
    if (place_ == Section::columns && columns_[column_].cells.size() > 0) return refuse("there are two " + shown(name));
    return true;
  }

  bool null() override {
    return cell("null", [](GrowingColumn& cells) {
      cells.add_missing();
      return true;
    });
  }
  bool boolean(bool truth) override {
    return cell("a bool", [&](GrowingColumn& cells) { return add(cells, truth); });
  }
  bool number_integer(number_integer_t number) override {  // one with a sign
    return number == 0 ? number_float(-0.0, {}) : integer(number);
  }
  bool number_unsigned(number_unsigned_t number) override {
    if (number > static_cast<uint64_t>(INT64_MAX))
      return number_float(static_cast<double>(number), std::to_string(number));
    return integer(static_cast<int64_t>(number));
  }
  bool number_float(number_float_t number, const string_t& digits) override {
    return cell("a number", [&](GrowingColumn& cells) {
      const bool is_long = !digits.empty() && is_long_integer(digits, number);
      if (is_long && cells.kind() == ColumnKind::text) return cells.add(std::string_view(digits));
      if (is_long) cells.note_long_integer();
      const bool added = add(cells, number);
      note_line();
      return added;
    });
  }
  bool string(string_t& text) override {
    if (text.find('\0') != std::string::npos) return refuse("a text holds a zero character");
    return cell("a string", [&](GrowingColumn& cells) {
      cells.become_text();
      return cells.add(std::string_view(text));
    });
  }
  bool binary(binary_t&) override { return unexpected("bytes"); }
  bool parse_error(size_t, const std::string& token, const nlohmann::detail::exception& error) override {
    const bool range = error.id == 406;
    if (!range) return refuse("it is not JSON from here on");
    const std::string where = column_ < columns_.size() ? "column " + shown(columns_[column_].name) + ": " : "";
    return refuse(where + abridged(token) + " is outside the range of f64");
  }

  Value result() {
    std::vector<std::string> names;
    std::vector<Value> values;
    for (Column& column : columns_) {
      pad(column.cells, rows_);
      column.cells.become_dates();
      if (column.cells.long_integer() >= 0) {
        warn_of_long_integer(file_.context(), file_.path() + ", line " + std::to_string(column.long_line) +
                                                  ", column " + shown(column.name));
      }
      names.push_back(std::move(column.name));
      values.push_back(column.cells.finish(file_.pool()));
    }
    return make_record(std::make_shared<const RecordLayout>(RecordLayout{std::move(names)}), std::move(values));
  }

 private:
  bool integer(int64_t number) {
    return cell("a number", [&](GrowingColumn& cells) {
      const bool added = add(cells, number);
      note_line();
      return added;
    });
  }
  void note_line() {
    Column& column = columns_[column_];
    if (column.long_line == 0 && column.cells.long_integer_seen()) column.long_line = progress_.line();
  }
  enum class Section : uint8_t { outside, rows, row, columns, column };
  struct Column {
    std::string name;
    GrowingColumn cells;
    int64_t long_line = 0;  // of the first integer that f64 does not hold
  };

  bool go(Section place) {
    place_ = place;
    return true;
  }
  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool unexpected(const char* what) {
    switch (place_) {
      case Section::outside:
        return refuse(std::string("a table is an array of objects or an object of arrays, not ") + what);
      case Section::rows: return refuse(std::string("a row is an object, not ") + what);
      case Section::columns:
        return refuse("column " + shown(columns_[column_].name) + " is " + what + ", not an array");
      default:
        return refuse("a cell of column " + shown(columns_[column_].name) + " is " + what +
                      ": cells are numbers, texts, bools and null");
    }
  }

  size_t column_named(const std::string& name) {
    const auto [at, added] = places_.try_emplace(name, columns_.size());
    if (added) columns_.emplace_back().name = name;
    return at->second;
  }

  // A cell of another kind makes texts of the others.
  template <class T>
  static bool add(GrowingColumn& cells, T item) {
    if (cells.add(item)) return true;
    if (cells.kind() != ColumnKind::text) cells.become_text();
    return cells.add(std::string_view(covec::number_text(Value(item))));
  }

  // Missing cells up to a row.
  void pad(GrowingColumn& cells, int64_t rows) {
    for (; cells.size() < static_cast<size_t>(rows); cells.add_missing()) look();
  }
  void look() {
    if (++looks_ % cells_between_polls == 0) kernels::poll_interrupt(file_.context());
  }

  template <class F>
  bool cell(const char* what, F put) {
    may_be_lines_ = place_ == Section::columns && columns_.size() == 1;
    if (place_ != Section::row && place_ != Section::column) return unexpected(what);
    look();
    GrowingColumn& cells = columns_[column_].cells;
    if (place_ == Section::row) {
      if (cells.size() > static_cast<size_t>(row_)) return refuse("a row has two " + shown(columns_[column_].name));
      pad(cells, row_);
    } else {
      ++row_;
    }
    return put(cells);
  }

  const File& file_;
  Progress& progress_;
  Section place_ = Section::outside;
  std::deque<Column> columns_;
  std::unordered_map<std::string, size_t> places_;
  size_t column_ = 0, next_ = 0, looks_ = 0;
  int64_t row_ = 0, rows_ = 0;
  bool may_be_lines_ = false;
  std::string problem_;
};

[[noreturn]] void fail_json(const File& file, Progress& progress, const std::string& why) {
  fail_to_read(file.path(), (progress.read() > 0 ? "line " + std::to_string(progress.line()) + ": " : "") + why);
}

bool parse(Progress& progress, Handler& handler, bool whole) {
  const Cursor begin(progress, progress.read()), end(progress, progress.text().size());
  return nlohmann::json::sax_parse(begin, end, &handler, nlohmann::json::input_format_t::json, whole);
}

// Rows one after the other, most often one on each line (JSON Lines).
Value read_lines(const File& file, std::string_view text) {
  Progress progress(text);
  Handler handler(file, progress);
  while (true) {
    const std::string_view rest = progress.rest();
    const size_t blanks = std::min(rest.find_first_not_of(" \t\r\n"), rest.size());
    progress.read_to(progress.read() + blanks);
    if (blanks == rest.size()) return handler.result();
    handler.expect_row();
    if (!parse(progress, handler, false)) fail_json(file, progress, handler.problem());
  }
}

}  // namespace

Value read_json_columns(const File& file) {
  const Scratch bytes(file.pool(), file.size());
  file.read(0, bytes.data(), file.size());
  std::string_view text = bytes.text();
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Progress progress(text);
  // The JSON reader takes a zero byte for the end of its text.
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos) {
    progress.read_to(zero + 1);
    fail_json(file, progress, "it is not JSON from here on");
  }
  Handler handler(file, progress);
  if (parse(progress, handler, true)) return handler.result();
  if (handler.may_be_lines()) return read_lines(file, text);
  fail_json(file, progress, handler.problem());
}

}  // namespace covec::files
