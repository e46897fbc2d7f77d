#include "stdlib/sparse_files/mtx.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::files {

namespace {

constexpr std::string_view banner = "%%MatrixMarket";
constexpr uint64_t least_entry = 4;                        // bytes of a line: "1 1" and its end
constexpr int64_t lines_between_polls = int64_t{1} << 14;  // lines

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

enum class Symmetry : uint8_t { general, symmetric, skew };

class Reader {
 public:
  explicit Reader(const File& file) : file_(file), room_(file.pool(), std::max<uint64_t>(1, file.size())) {
    file.read(0, room_.data(), file.size());
    text_ = std::string_view(room_.as<char>(), static_cast<size_t>(file.size()));
  }

  Coordinates read() {
    read_banner();
    skip_comments();
    const int64_t height = size("rows"), width = size("columns"), count = size("entries");
    end_of_line();
    if (static_cast<uint64_t>(count) > file_.size() / least_entry + 1)
      fail("it announces " + std::to_string(count) + " entries, more than the file can hold");
    Coordinates matrix{vector(Dtype::i64, count), vector(Dtype::i64, count), vector(Dtype::f64, count), height, width};
    for (int64_t k = 0; k < count; ++k) read_entry(matrix, k, count);
    if (next_line())
      fail("there is more behind the " + std::to_string(count) + " entries that line " + std::to_string(sizes_line_) +
           " announces");
    return symmetry_ == Symmetry::general ? matrix : mirrored(matrix);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    fail_to_read(file_.path(), "line " + std::to_string(number_) + ": " + why);
  }

  Value vector(Dtype dtype, int64_t count) const { return make_tensor(file_.pool(), dtype, {Dim(count)}); }

  // The next line that is not blank; false at the end.
  bool next_line() {
    while (!text_.empty()) {
      ++number_;
      const size_t end = std::min(text_.find('\n'), text_.size());
      line_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      skip_blanks();
      if (!line_.empty()) return true;
    }
    return false;
  }
  void skip_blanks() {
    while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
  }
  void end_of_line() {
    skip_blanks();
    if (!line_.empty()) fail(shown(line_) + " is too much");
  }

  std::string word() {
    skip_blanks();
    const size_t end = static_cast<size_t>(std::find_if(line_.begin(), line_.end(), is_blank) - line_.begin());
    std::string word(line_.substr(0, end));
    line_.remove_prefix(end);
    std::ranges::transform(word, word.begin(), lower);
    return word;
  }

  size_t choice(std::initializer_list<std::string_view> words, std::string_view what) {
    const std::string found = word();
    const auto* at = std::find(words.begin(), words.end(), found);
    if (at != words.end()) return static_cast<size_t>(at - words.begin());
    std::string all;
    for (const std::string_view one : words) all += (all.empty() ? "" : ", ") + std::string(one);
    fail("the " + std::string(what) + " is " + shown(found) + "; read are: " + all);
  }

  void read_banner() {
    if (!text_.starts_with(banner)) {
      ++number_;
      fail("it does not begin with " + std::string(banner));
    }
    next_line();
    line_.remove_prefix(banner.size());
    choice({"matrix"}, "object");
    choice({"coordinate"}, "format");
    has_numbers_ = choice({"real", "integer", "double", "pattern"}, "field") != 3;
    symmetry_ = static_cast<Symmetry>(choice({"general", "symmetric", "skew-symmetric"}, "symmetry"));
    end_of_line();
  }

  void skip_comments() {
    do {
      if (!next_line()) fail("the file ends before the sizes");
    } while (line_.front() == '%');
    sizes_line_ = number_;
  }

  int64_t integer(std::string_view what) {
    skip_blanks();
    int64_t number = 0;
    const auto [end, code] = std::from_chars(line_.data(), line_.data() + line_.size(), number);
    if (code != std::errc() || !ends_word(end)) fail(shown(line_) + " is no " + std::string(what));
    line_.remove_prefix(static_cast<size_t>(end - line_.data()));
    return number;
  }
  bool ends_word(const char* end) const { return end == line_.data() + line_.size() || is_blank(*end); }

  int64_t size(std::string_view of) {
    const int64_t number = integer("number of " + std::string(of));
    constexpr int64_t most = int64_t{1} << 40;  // rows or columns; chosen so that no sum of sizes overflows
    if (number < 0 || number > most) fail("there cannot be " + std::to_string(number) + " " + std::string(of));
    return number;
  }

  int64_t place(std::string_view what, int64_t size) {
    const int64_t number = integer(what);
    if (number < 1 || number > size) {
      fail(std::string(what) + " " + std::to_string(number) + " is outside the matrix, which has " +
           std::to_string(size));
    }
    return number - 1;
  }

  double real() {
    skip_blanks();
    if (line_.starts_with('+') && !line_.starts_with("+-")) line_.remove_prefix(1);
    double number = 0;
    const auto [end, code] = std::from_chars(line_.data(), line_.data() + line_.size(), number);
    if (code == std::errc::result_out_of_range) fail(shown(line_) + " is too large or too small for f64");
    if (code == std::errc() && end != line_.data() + line_.size() && (*end == 'd' || *end == 'D'))
      return fortran_real();
    if (code != std::errc() || !ends_word(end)) fail(shown(line_) + " is no number");
    line_.remove_prefix(static_cast<size_t>(end - line_.data()));
    return number;
  }

  // A number as Fortran writes it, 1.5D-3.
  double fortran_real() {
    const std::string_view given = line_;
    std::string digits = word();
    std::ranges::replace(digits, 'd', 'e');
    double number = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (code == std::errc::result_out_of_range) fail(shown(given) + " is too large or too small for f64");
    if (code != std::errc() || end != digits.data() + digits.size()) fail(shown(given) + " is no number");
    return number;
  }

  void read_entry(const Coordinates& matrix, int64_t k, int64_t count) {
    if (k % lines_between_polls == 0) kernels::poll_interrupt(file_.context());
    if (!next_line()) {
      fail("the file ends after " + std::to_string(k) + " of the " + std::to_string(count) + " entries that line " +
           std::to_string(sizes_line_) + " announces");
    }
    const int64_t row = place("row", matrix.height), column = place("column", matrix.width);
    const double number = has_numbers_ ? real() : 1.0;
    end_of_line();
    if (symmetry_ == Symmetry::skew && row == column) fail("a skew-symmetric matrix has no entries on its diagonal");
    off_diagonal_ += row != column ? 1 : 0;
    if (symmetry_ != Symmetry::general && (row >= matrix.width || column >= matrix.height))
      fail("the matrix has no mirror image of this entry: it is not square");
    matrix.rows.tensor().as<int64_t>()[k] = row;
    matrix.columns.tensor().as<int64_t>()[k] = column;
    matrix.data.tensor().as<double>()[k] = number;
  }

  Coordinates mirrored(const Coordinates& half) const {
    const int64_t count = half.rows.tensor().size(), all = count + off_diagonal_;
    Coordinates whole{vector(Dtype::i64, all), vector(Dtype::i64, all), vector(Dtype::f64, all), half.height,
                      half.width};
    const auto *rows = half.rows.tensor().as<int64_t>(), *columns = half.columns.tensor().as<int64_t>();
    const auto* data = half.data.tensor().as<double>();
    auto *to_rows = whole.rows.tensor().as<int64_t>(), *to_columns = whole.columns.tensor().as<int64_t>();
    auto* to_data = whole.data.tensor().as<double>();
    const auto put = [&](int64_t at, int64_t row, int64_t column, double number) {
      to_rows[at] = row;
      to_columns[at] = column;
      to_data[at] = number;
    };
    int64_t next = count;
    for (int64_t k = 0; k < count; ++k) {
      put(k, rows[k], columns[k], data[k]);
      if (rows[k] != columns[k]) put(next++, columns[k], rows[k], symmetry_ == Symmetry::skew ? -data[k] : data[k]);
    }
    return whole;
  }

  const File& file_;
  Scratch room_;
  std::string_view text_, line_;
  int64_t number_ = 0, sizes_line_ = 0, off_diagonal_ = 0;
  bool has_numbers_ = true;
  Symmetry symmetry_ = Symmetry::general;
};

// Text that goes out in pieces.
class Lines {
 public:
  explicit Lines(Sink& to) : to_(to) {}
  ~Lines() = default;
  template <class T>
  void number(T number, char behind) {
    constexpr size_t longest = 40;  // characters of a number
    char text[longest];
    const auto [end, code] = std::to_chars(text, text + longest, number);
    piece_.append(text, end);
    piece_ += behind;
    if (piece_.size() > piece_bytes) flush();
  }
  void flush() {
    to_.write(piece_);
    piece_.clear();
  }

 private:
  static constexpr size_t piece_bytes = size_t{1} << 16;  // bytes
  Sink& to_;
  std::string piece_;
};

template <class T>
void write_entries(Lines& lines, const Coordinates& matrix) {
  const auto *rows = matrix.rows.tensor().as<int64_t>(), *columns = matrix.columns.tensor().as<int64_t>();
  const T* data = matrix.data.tensor().as<T>();
  for (int64_t k = 0; k < matrix.rows.tensor().size(); ++k) {
    lines.number(rows[k] + 1, ' ');
    lines.number(columns[k] + 1, ' ');
    lines.number(data[k], '\n');
  }
}

}  // namespace

Coordinates read_mtx(const File& file) { return Reader(file).read(); }

void write_mtx(Sink& to, const Coordinates& matrix) {
  to.write("%%MatrixMarket matrix coordinate real general\n");
  Lines lines(to);
  lines.number(matrix.height, ' ');
  lines.number(matrix.width, ' ');
  lines.number(matrix.rows.tensor().size(), '\n');
  if (matrix.data.tensor().dtype() == Dtype::f32) {
    write_entries<float>(lines, matrix);
  } else {
    write_entries<double>(lines, matrix);
  }
  lines.flush();
}

}  // namespace covec::files
