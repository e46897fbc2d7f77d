// Splits text into rows. It first finds a line, then its fields. A quoted field that may span lines takes further lines
// into its row.
#include "stdlib/files/csv_rows.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

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

int64_t CsvRows::line() const { return line_ + (before_ == 0 ? 0 : count_lines(file_, before_)); }

void CsvRows::skip_line() {
  if (!text_.empty()) take_line();
}

bool CsvRows::next_row() {
  while (!text_.empty()) {
    const std::string_view line = take_line(), text = trimmed(line);
    if (text.empty() || (rules_.comment != '\0' && text.front() == rules_.comment)) continue;
    row_ = rules_.separator.has_blank_end() ? without_blank_end(line) : with_escaped_end(text, line);
    return true;
  }
  return false;
}

// Blanks at the end of a row may be its last separator's.
std::string_view CsvRows::without_blank_end(std::string_view row) const {
  const bool kept = rules_.separator.has_blank_end();
  const std::string_view whole = row;
  while (!row.empty() && (kept ? row.back() == '\r' : is_blank(row.back()))) row.remove_suffix(1);
  return with_escaped_end(row, whole);
}

// The part of a line, which ends before blanks, with the first of them where that is escaped.
std::string_view CsvRows::with_escaped_end(std::string_view part, std::string_view line) const {
  if (rules_.escape == '\0' || !part.ends_with(rules_.escape)) return part;
  const size_t before = part.find_last_not_of(rules_.escape);  // npos + 1 is 0
  const char* const end = part.data() + part.size();
  const bool escaped = (part.size() - (before + 1)) % 2 == 1;
  const bool blank = end < line.data() + line.size() && *end != '\r';
  return escaped && blank ? std::string_view(part.data(), part.size() + 1) : part;
}

void CsvRows::fail_quotes(int64_t column, std::string why, std::string hint) const {
  fail(message("csv_quotes"), {file_.path(), std::to_string(line()), std::to_string(column), std::move(why)}, {},
       rules_.across ? std::move(hint) : "table.read_csv takes quote=, escape= and lenient=");
}

// The row goes on with the next line; false at the end of the text, and where quotes before have come to it.
bool CsvRows::append_line() {
  if (!rules_.across || text_.empty() || (open_ != nullptr && row_.data() >= open_)) return false;
  const std::string_view line = take_line();
  row_ = {row_.data(), static_cast<size_t>(line.data() + line.size() - row_.data())};
  return true;
}

// Where the next separator of the row begins, behind what is escaped. The search for escapes ends at the separator: a
// row is gone through once, however many fields it has.
size_t CsvRows::find_separator() const {
  const std::string& separator = rules_.separator.text;
  const auto find = [&](size_t from) {
    if (rules_.separator.is_blanks()) return row_.find_first_of(" \t", from);
    return separator.size() == 1 ? row_.find(separator[0], from) : row_.find(separator, from);
  };
  size_t end = find(0);
  for (size_t at = 0; rules_.escape != '\0' && at < row_.size();) {
    const size_t escape = row_.substr(at, end - at).find(rules_.escape);
    if (escape == std::string_view::npos) break;
    at += escape + 2;
    if (at > end) end = find(at);
  }
  return end;
}

// Takes the row's next separator off with what is before it, which it gives.
std::string_view CsvRows::take_until_separator() {
  const CsvSeparator& separator = rules_.separator;
  const size_t end = find_separator();
  more_ = end != std::string_view::npos;
  const std::string_view taken = row_.substr(0, end);
  size_t next = more_ ? end + separator.text.size() : row_.size();
  if (separator.run) {
    while (next < row_.size() && goes_on(row_[next])) ++next;
  }
  row_.remove_prefix(next);
  return taken;
}

// Takes quotes and what is in them off the row, which begins with them; false where they are not closed. Escapes are
// searched up to the next quote alone, so that a row is gone through once.
bool CsvRows::take_quotes() {
  unquoted_.clear();
  const int64_t line = line_;
  size_t quote = 0;
  for (size_t at = 1;;) {
    if (quote < at) quote = row_.find(rules_.quote, at);
    const size_t escape =
        rules_.escape == '\0' ? std::string_view::npos : row_.substr(at, quote - at).find(rules_.escape);
    if (escape != std::string_view::npos) {  // what is escaped stands for itself
      unquoted_.append(row_, at, escape);
      at += escape;
      if (at + 1 < row_.size()) unquoted_ += row_[at + 1];
      at = std::min(at + 2, row_.size());
      continue;
    }
    unquoted_.append(row_, at, std::min(quote, row_.size()) - at);
    if (quote == std::string_view::npos) {
      at = row_.size();
      quote = 0;
      if (!append_line()) return false;
    } else if (row_.substr(quote + 1).starts_with(rules_.quote)) {  // two stand for one
      unquoted_ += rules_.quote;
      at = quote + 2;
    } else {
      row_.remove_prefix(quote + 1);
      if (line_ > line) row_ = without_blank_end(row_);
      return true;
    }
  }
}

// Takes the content of a quoted field off the row, up to the separator.
std::string_view CsvRows::take_quoted(int64_t column) {
  const std::tuple begin(row_, text_, line_);
  if (!take_quotes()) {
    std::tie(row_, text_, line_) = begin;
    if (rules_.lenient) {
      was_lenient_ = true;
      if (open_ == nullptr) open_ = row_.data();
      return take_unquoted();
    }
    fail_quotes(column, rules_.across ? "its quotes are not closed" : "its quotes are not closed in this line",
                "quote=\"\" reads quotes as text, lenient=true accepts unclosed quotes");
  }
  const bool escaped = !unquoted_.empty() && unquoted_.back() == '\\';
  const std::string_view behind = take_until_separator();
  if (trimmed(behind).empty()) return unquoted_;
  if (!rules_.lenient) {
    fail_quotes(
        column, "text follows its closing quote",
        escaped ? "escape=\"\\\\\" reads \\\" as a quote within quotes" : "lenient=true reads it as part of the field");
  }
  was_lenient_ = true;
  append_unescaped(behind);
  return unquoted_;
}

// A text without the blanks at its end, but for one that is escaped.
void CsvRows::append_unescaped(std::string_view text) {
  size_t least = unquoted_.size();
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escapes = rules_.escape != '\0' && text[i] == rules_.escape && i + 1 < text.size();
    unquoted_ += text[escapes ? ++i : i];  // at the end it stands for itself
    if (escapes) least = unquoted_.size();
  }
  while (unquoted_.size() > least && is_blank(unquoted_.back())) unquoted_.pop_back();
}

std::string_view CsvRows::take_unquoted() {
  std::string_view text = take_until_separator();
  if (rules_.escape == '\0' || text.find(rules_.escape) == std::string_view::npos) return trimmed(text);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  unquoted_.clear();
  append_unescaped(text);
  return unquoted_;
}

std::string_view CsvRows::take_field(int64_t column) {
  size_t begin = 0;
  const auto separates = [&] {
    return rules_.separator.has_blank_end() && row_.substr(begin).starts_with(rules_.separator.text);
  };
  while (begin < row_.size() && is_blank(row_[begin]) && !separates()) ++begin;
  quoted_ = rules_.quote != '\0' && begin < row_.size() && row_[begin] == rules_.quote;
  if (!quoted_) return take_unquoted();
  row_.remove_prefix(begin);
  return take_quoted(column);
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

namespace {

void append_utf8(std::string& text, uint32_t code) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | code >> 12);
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xf0 | code >> 18);
    tail(12), tail(6), tail(0);
  }
}

std::string from_latin1(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) append_utf8(text, static_cast<unsigned char>(c));
  return text;
}

// Without a mark of the order of bytes the zeros tell: most text is ASCII, whose high bytes they are.
bool has_high_bytes_first(std::string_view bytes) {
  if (bytes.starts_with("\xfe\xff")) return true;
  if (bytes.starts_with("\xff\xfe")) return false;
  size_t zeros[2] = {};
  for (size_t i = 0; i < bytes.size(); ++i) zeros[i % 2] += bytes[i] == '\0';
  return zeros[0] > zeros[1];
}

std::string from_utf16(const File& file, std::string_view bytes) {
  const bool big = has_high_bytes_first(bytes);
  const auto unit = [&](size_t i) {
    const auto low = static_cast<unsigned char>(bytes[i + (big ? 1 : 0)]);
    const auto high = static_cast<unsigned char>(bytes[i + (big ? 0 : 1)]);
    return static_cast<uint32_t>(high << 8 | low);
  };
  const auto fail_at = [&](size_t i) { fail_damaged(file.path(), i, "it is not UTF-16 from here on"); };
  std::string text;
  if (bytes.size() % 2 != 0) fail_at(bytes.size() - 1);
  for (size_t i = 0; i < bytes.size(); i += 2) {
    uint32_t code = unit(i);
    if (code >= 0xd800 && code < 0xe000) {
      const uint32_t second = code < 0xdc00 && i + 3 < bytes.size() ? unit(i + 2) : 0;
      if (second < 0xdc00 || second >= 0xe000) fail_at(i);
      code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
      i += 2;
    }
    append_utf8(text, code);
  }
  return text;
}

}  // namespace

TextEncoding encoding_of(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return TextEncoding::utf16;
  const auto zeros = static_cast<size_t>(std::count(bytes.begin(), bytes.end(), '\0'));
  if (bytes.size() % 2 == 0 && zeros > bytes.size() / 4) return TextEncoding::utf16;
  return utf8_prefix(bytes) == bytes.size() ? TextEncoding::utf8 : TextEncoding::latin1;
}

const char* name_of(TextEncoding encoding) {
  constexpr const char* names[] = {"utf-8", "latin-1", "utf-16"};
  return names[static_cast<size_t>(encoding)];
}

namespace {

// A text whose first `prefix` bytes are UTF-8. An encoding that would not read it either is not named.
[[noreturn]] void fail_not_text(const File& file, std::string_view bytes, TextEncoding encoding, std::string_view text,
                                size_t prefix, int64_t lines_before) {
  const auto lines = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(prefix), '\n') + 1;
  const std::string line = std::to_string(lines_before + lines);
  const TextEncoding seems = encoding_of(bytes);
  if (seems != encoding && (seems == TextEncoding::utf16 || text.find('\0') == std::string_view::npos)) {
    fail(message("file_not_utf8"), {file.path(), line}, {},
         std::string("table.read_csv with encoding=\"") + name_of(seems) + "\" reads it");
  }
  if (text[prefix] == '\0') fail(message("file_zero_byte"), {file.path(), line});
  fail(message("file_not_utf8"), {file.path(), line});
}

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::string_view with_new_lines(std::string_view text, Converted& converted) {
  if (text.find('\r') == std::string_view::npos) return text;
  converted.charge.change(2 * text.size());
  converted.text = std::string(text);
  std::replace(converted.text.begin(), converted.text.end(), '\r', '\n');
  return converted.text;
}

}  // namespace

std::string_view table_text(const File& file, const Scratch& bytes, TextEncoding encoding, Converted& converted) {
  file.read(0, bytes.data(), file.size());
  std::string_view text = bytes.text();
  if (encoding != TextEncoding::utf8) {
    converted.charge.change(2 * text.size());
    converted.text = encoding == TextEncoding::latin1 ? from_latin1(text) : from_utf16(file, text);
    text = converted.text;
  }
  if (const size_t prefix = utf8_prefix(text); prefix < text.size())
    fail_not_text(file, bytes.text(), encoding, text, prefix, 0);
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  // Lines of old Macintoshes end with a carriage return alone.
  if (text.find('\n') == std::string_view::npos) text = with_new_lines(text, converted);
  return text;
}

std::string_view table_text(const File& file, const Scratch& bytes, TextPart part, Converted& converted) {
  file.read(part.begin, bytes.data(), bytes.text().size());
  std::string_view text = bytes.text();
  if (const size_t prefix = utf8_prefix(text); prefix < text.size()) {
    fail_not_text(file, text, TextEncoding::utf8, text, prefix, count_lines(file, part.begin));
  }
  if (part.begin == 0 && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return part.old_lines ? with_new_lines(text, converted) : text;
}

}  // namespace covec::files
