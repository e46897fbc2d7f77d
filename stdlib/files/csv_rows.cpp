// A line is found first, its fields in it; a quoted field that may go on takes further lines to its row.
#include "stdlib/files/csv_rows.hpp"

#include <algorithm>
#include <charconv>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::files {

std::string_view CsvRows::trimmed(std::string_view text) const {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view CsvRows::take_line() {
  if (++line_ % 1024 == 0) kernels::poll_interrupt(file_.context());
  const size_t end = text_.find('\n');
  const std::string_view line = text_.substr(0, end);
  text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
  return line;
}

void CsvRows::skip_line() {
  if (!text_.empty()) take_line();
}

bool CsvRows::next_row() {
  while (!text_.empty()) {
    row_ = trimmed(take_line());
    if (!row_.empty() && (rules_.comment == '\0' || row_.front() != rules_.comment)) return true;
  }
  return false;
}

void CsvRows::fail_quotes(int64_t column, std::string why) const {
  fail(message("csv_quotes"), {file_.path(), std::to_string(line_), std::to_string(column), std::move(why)});
}

// The row goes on with the next line; false at the end of the text.
bool CsvRows::append_line() {
  if (!rules_.across || text_.empty()) return false;
  const std::string_view line = take_line();
  row_ = {row_.data(), static_cast<size_t>(line.data() + line.size() - row_.data())};
  return true;
}

// Takes the content of a quoted field off the row, up to the separator.
std::string_view CsvRows::take_quoted(int64_t column) {
  unquoted_.clear();
  const int64_t first_line = line_;
  for (size_t at = 1;;) {
    const size_t quote = row_.find('"', at);
    unquoted_.append(row_, at, std::min(quote, row_.size()) - at);
    if (quote == std::string_view::npos) {
      const size_t size = row_.size();
      if (!append_line()) {
        line_ = first_line;
        fail_quotes(column, rules_.across ? "its quotes are not closed" : "its quotes are not closed in this line");
      }
      at = size;
    } else if (row_.substr(quote + 1).starts_with('"')) {  // two stand for one
      unquoted_ += '"';
      at = quote + 2;
    } else {
      row_.remove_prefix(quote + 1);
      break;
    }
  }
  const size_t end = row_.find(rules_.separator);
  if (!trimmed(row_.substr(0, end)).empty()) fail_quotes(column, "something follows its quotes");
  more_ = end != std::string_view::npos;
  row_.remove_prefix(more_ ? end + 1 : row_.size());
  return unquoted_;
}

std::string_view CsvRows::take_field(int64_t column) {
  size_t begin = 0;
  while (begin < row_.size() && is_blank(row_[begin])) ++begin;
  quoted_ = begin < row_.size() && row_[begin] == '"';
  if (quoted_) {
    row_.remove_prefix(begin);
    return take_quoted(column);
  }
  const size_t end = row_.find(rules_.separator, begin);
  more_ = end != std::string_view::npos;
  const std::string_view field = trimmed(row_.substr(begin, end - begin));
  row_.remove_prefix(more_ ? end + 1 : row_.size());
  return field;
}

int64_t CsvRows::count_fields() {
  int64_t count = 0;
  do {
    take_field(++count);
  } while (more_);
  return count;
}

Reading number_of(std::string_view digits, double& value) {
  if (digits.size() > 1 && digits.front() == '+' && digits[1] != '-') digits.remove_prefix(1);
  const char* const last = digits.data() + digits.size();
  const auto [end, code] = std::from_chars(digits.data(), last, value);
  if (code == std::errc() && end == last) return Reading::number;
  if (code != std::errc::result_out_of_range || end != last) return Reading::none;
  if (!is_tiny(digits)) return Reading::too_large;
  value = digits.front() == '-' ? -0.0 : 0.0;
  return Reading::number;
}

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

bool is_missing(std::string_view field) {
  constexpr std::string_view words[] = {"", "na", "n/a", "nan", "null"};
  if (field.size() > 4) return false;
  return std::any_of(std::begin(words), std::end(words), [&](auto word) { return equal_ignoring_case(field, word); });
}

std::string_view table_text(const File& file, const Scratch& bytes) {
  file.read(0, bytes.data(), file.size());
  std::string_view text = bytes.text();
  const size_t prefix = utf8_prefix(text);
  if (prefix < text.size()) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(prefix), '\n') + 1;
    fail(message("file_not_utf8"), {file.path(), std::to_string(line)});
  }
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte-order mark
  // Lines of old Macintoshes end with a carriage return alone.
  if (text.find('\n') == std::string_view::npos)
    std::replace(bytes.as<char>(), bytes.as<char>() + file.size(), '\r', '\n');
  return text;
}

}  // namespace covec::files
