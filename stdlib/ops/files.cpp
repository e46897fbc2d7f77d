// What comes from outside a program: tables in files, the arguments of the command line.
//
// read_csv: a table of numbers from a text file. The file is read whole and checked (regular, UTF-8, within the memory
// limit) before a field is looked at; then every line becomes a row, and every complaint names its line. Trade-off:
// fields are numbers, nothing else; in exchange the result is one tensor. Start reading at read_csv().
#include "stdlib/ops/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/attributes.hpp"
#include "stdlib/ops/families.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

[[noreturn]] void fail_to_read(const std::string& path, std::string why, std::string hint = {}) {
  fail(message("file_unreadable"), {path, std::move(why)}, {}, std::move(hint));
}

[[noreturn]] void fail_to_open(const std::string& path) {
  const int code = errno;
  std::string hint;
  char directory[4096];
  if (code == ENOENT && !path.empty() && path.front() != '/' && getcwd(directory, sizeof directory)) {
    hint = "the path is relative to the working directory, " + std::string(directory);
  }
  fail_to_read(path, std::strerror(code), std::move(hint));
}

class File {
 public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) fail_to_open(path);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(descriptor_); }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Pipes and devices may have no end: only regular files are read.
size_t regular_size(const File& file, const std::string& path, const Pool& pool) {
  struct stat facts {};
  if (fstat(file.descriptor(), &facts) != 0) fail_to_read(path, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) fail_to_read(path, "it is a directory");
  if (!S_ISREG(facts.st_mode)) fail_to_read(path, "it is not a regular file");
  const auto size = static_cast<uint64_t>(facts.st_size);
  const PoolAccount& account = pool.account();
  if (size > account.limit - std::min(account.used, account.limit)) {
    fail(message("out_of_memory"), {std::to_string(size) + " bytes", std::to_string(account.limit) + " bytes"});
  }
  return size;
}

std::string read_file(const std::string& path, const Pool& pool) {
  if (path.find('\0') != std::string::npos) fail_to_read(path.substr(0, path.find('\0')), "its name has a zero byte");
  const File file(path);
  std::string text(regular_size(file, path, pool), '\0');
  size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t count = read(file.descriptor(), text.data() + filled, text.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(path, std::strerror(errno));
    if (count == 0) break;  // it has become shorter meanwhile
    filled += static_cast<size_t>(count);
  }
  text.resize(filled);
  return text;
}

// Bytes that the UTF-8 sequence at `text` takes, 0 when there is none. Overlong forms, surrogates and zero bytes are
// none.
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t count) {
    for (size_t i = 1; i < count; ++i) {
      if ((byte(i) & 0xc0u) != 0x80u) return false;
    }
    return true;
  };
  const unsigned first = byte(0), second = byte(1);
  if (first >= 1 && first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return follows(2) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0);
    return !bad && follows(3) ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    const bool bad = (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
    return !bad && follows(4) ? 4 : 0;
  }
  return 0;
}

void require_text(std::string_view text, const std::string& path) {
  int64_t line = 1;
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequence_length(text.substr(i));
    if (length == 0) fail(message("file_not_utf8"), {path, std::to_string(line)});
    line += text[i] == '\n';
    i += length;
  }
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Takes what stands before `separator` (or all) off the front of `text`.
std::string_view take_until(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

// As much of a field as a message should show; never half a code point.
std::string shown(std::string_view field) {
  constexpr size_t limit = 24;
  size_t end = std::min(field.size(), limit);
  while (end < field.size() && end > 0 && (static_cast<unsigned char>(field[end]) & 0xc0u) == 0x80u) --end;
  return std::string(field.substr(0, end)) + (end < field.size() ? "…" : "");
}

class Table {
 public:
  Table(Builder& builder, const std::string& path) : builder_(builder), path_(path) {}

  void read(std::string_view text, bool header) {
    for (int64_t line = 1; !text.empty(); ++line) {
      if (line % 1024 == 0) kernels::poll_interrupt(builder_.context());
      const std::string_view row = trimmed(take_until(text, '\n'));
      if (row.empty()) continue;
      if (header) {
        header = false;
        continue;
      }
      read_row(row, line);
    }
  }

  Value tensor() const {
    if (rows_ == 0) fail(message("csv_empty"), {path_});
    const Value result = make_tensor(builder_.pool(), Dtype::f64, Shape{Dim(rows_), Dim(columns_)});
    std::memcpy(result.tensor().data(), numbers_.data(), numbers_.size() * sizeof(double));
    return result;
  }

 private:
  void read_row(std::string_view row, int64_t line) {
    int64_t column = 0;
    for (bool more = true; more;) {
      more = row.find(',') != std::string_view::npos;
      numbers_.push_back(number(trimmed(take_until(row, ',')), line, ++column));
    }
    if (rows_++ == 0) {
      columns_ = column;
      first_line_ = line;
    } else if (column != columns_) {
      fail(message("csv_ragged"), {path_, std::to_string(columns_), std::to_string(first_line_), std::to_string(column),
                                   std::to_string(line)});
    }
  }

  double number(std::string_view field, int64_t line, int64_t column) const {
    std::string_view digits = field;
    if (digits.size() > 1 && digits.front() == '+' && digits[1] != '-') digits.remove_prefix(1);
    double value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code == std::errc() && end == digits.data() + digits.size()) return value;
    const std::array where = {path_, std::to_string(line), std::to_string(column)};
    if (field.empty())
      fail(message("csv_empty_field"), {where[0], where[1], where[2]}, {}, "write nan for a missing number");
    if (code == std::errc::result_out_of_range)
      fail(message("csv_range"), {where[0], where[1], where[2], shown(field)});
    fail(message("csv_not_a_number"), {where[0], where[1], where[2], shown(field)}, {},
         line == 1 ? "header=true skips the first line" : "");
  }

  Builder& builder_;
  const std::string& path_;
  std::vector<double> numbers_;
  int64_t rows_ = 0, columns_ = 0, first_line_ = 0;
};

Value read_csv(Builder& builder, Call& call) {
  if (!call.args[0].is(ObjectKind::string)) fail_attribute(call, 0, "a path in a string");
  const std::string& path = call.args[0].string().text;
  const bool header = flag_argument(call, 1);
  const std::string bytes = read_file(path, builder.pool());
  std::string_view text = bytes;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte-order mark
  require_text(text, path);
  Table table(builder, path);
  table.read(text, header);
  return table.tensor();
}

Value args(Builder& builder, Call&) {
  std::vector<Value> items;
  for (const std::string& argument : builder.context().arguments) items.push_back(make_string(argument));
  return make_tuple(std::move(items));
}

}  // namespace

const Entry& read_csv_entry() {
  static const Entry entry{
      .name = "read_csv",
      .doc =
          "A table of numbers from a text file, as f64[rows, columns].\n\n"
          "Fields are separated by commas; blank lines are skipped; `header=true` skips the first line. Every row must "
          "have as "
          "many fields as the first, and every field must be a number (`nan` and `inf` are). A relative path starts at "
          "the working directory.",
      .parameters = {attribute("path"), attribute("header", Value(false))},
      .eager = read_csv,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .reads_files = true},
  };
  return entry;
}

const Entry& args_entry() {
  static const Entry entry{
      .name = "args",
      .doc = "The arguments that stood after the program on the command line, as a tuple of strings.",
      .parameters = {},
      .eager = args,
      .derivative = Derivative::none("gives strings"),
      .effects = {.reads_files = true},  // the command line, like a file, is outside
  };
  return entry;
}

Family files_family() {
  static const Entry* const entries[] = {&read_csv_entry(), &args_entry()};
  return entries;
}

}  // namespace covec::ops
