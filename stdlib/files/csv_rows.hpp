// Reads a text as rows of fields: lines with a separator between fields, which may be in double quotes. It skips blank
// lines. If a comment mark is given, it also skips lines that begin with it. A quoted field ends with its line; with
// `across` it may span several lines.
#pragma once

#include <string>
#include <string_view>

#include "stdlib/files/file.hpp"

namespace covec::files {

// What stands between fields: a text, or with `run` one or more of its one character. A run of spaces may have tabs in
// it, or be tabs alone: in columns that are aligned for the eye nobody sees which they are.
struct CsvSeparator {
  std::string text = ",";
  bool run = false;

  CsvSeparator() = default;
  CsvSeparator(char c) : text(1, c) {}
  explicit CsvSeparator(std::string_view written) : text(written) {
    run = text.size() == 2 && text[1] == '+';
    if (run) text.pop_back();
  }
  bool is(char c) const { return text.size() == 1 && text[0] == c; }
  bool is_blanks() const { return run && text[0] == ' '; }
  bool has_blank_end() const {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    return text.size() > 1 && (blank(text.front()) || blank(text.back()));
  }
};

struct CsvRules {
  CsvSeparator separator = {};
  char comment = '\0';  // '\0': there are none
  bool across = false;
  char quote = '"', escape = '\0';  // '\0': there are none
  bool lenient = false;  // text behind closing quotes belongs to the field, quotes that never close begin none
};

enum class TextEncoding : uint8_t { utf8, latin1, utf16 };

class CsvRows {
 public:
  CsvRows(const File& file, std::string_view text, CsvRules rules) : file_(file), text_(text), rules_(rules) {}

  bool next_row();  // to the next one that holds something
  void skip_line();
  // The next field of the row; more() says whether another follows. `column` counts from 1, for complaints. The text is
  // there until the next field is taken.
  std::string_view take_field(int64_t column);
  bool more() const { return more_; }
  bool was_quoted() const { return quoted_; }
  bool was_lenient() const { return was_lenient_; }  // some row so far would be an error without `lenient`
  int64_t line() const;                              // in the file
  std::string_view row() const { return row_; }      // what is left of it
  std::string_view rest() const { return text_; }    // what follows it
  int64_t count_fields();                            // of the row, which it takes

  struct RowPosition {
    std::string_view text;
    int64_t line;
    uint64_t before = 0;  // bytes of the file whose lines `line` does not count: errors count them
  };
  RowPosition place() const { return {text_, line_, before_}; }
  void go_to(RowPosition place) {
    text_ = place.text;
    line_ = place.line;
    before_ = place.before;
  }
  // Without the blanks at its ends.
  std::string_view trimmed(std::string_view text) const;

 private:
  bool is_blank(char c) const {
    return (c == ' ' || c == '\t' || c == '\r') && (rules_.separator.run || !rules_.separator.is(c));
  }
  std::string_view without_blank_end(std::string_view row) const;
  std::string_view with_escaped_end(std::string_view part, std::string_view line) const;
  size_t find_separator() const;
  std::string_view take_until_separator();
  bool goes_on(char c) const { return c == rules_.separator.text[0] || (rules_.separator.is_blanks() && c == '\t'); }
  std::string_view take_line();
  std::string_view take_quoted(int64_t column);
  std::string_view take_unquoted();
  bool take_quotes();
  void append_unescaped(std::string_view text);
  bool append_line();
  [[noreturn]] void fail_quotes(int64_t column, std::string why, std::string hint) const;

  const File& file_;
  std::string_view text_, row_;
  const CsvRules rules_;
  int64_t line_ = 0;
  uint64_t before_ = 0;
  std::string unquoted_;
  const char* open_ = nullptr;  // quotes that the text does not close: any behind them are closed in their line
  bool more_ = false, quoted_ = false, was_lenient_ = false;
};

// Digits as a number, a sign in front of it allowed; whether they are one. `tiny` is what no number is near: it is 0,
// as in a program.
enum class Reading : uint8_t { number, none, too_large };
Reading number_of(std::string_view digits, double& value);

bool equal_ignoring_case(std::string_view text, std::string_view lower);
// Empty, or NA, N/A, nan, null.
bool is_missing(std::string_view field);

// A text that was in another encoding, which counts as memory.
struct Converted {
  std::string text;
  MemoryCharge charge{0};
};

// The text of a file of tables: UTF-8, without a byte-order mark. `converted` keeps one that was in another encoding.
std::string_view table_text(const File& file, const Scratch& bytes, TextEncoding encoding, Converted& converted);

// A part of a file of tables in UTF-8, from the byte `begin` on: as many bytes as `bytes` has.
struct TextPart {
  uint64_t begin = 0;
  bool old_lines = false;  // lines of the file end with a carriage return alone
};
std::string_view table_text(const File& file, const Scratch& bytes, TextPart part, Converted& converted);
// Where the first line begins that begins at `at` or behind it.
uint64_t next_line(const File& file, uint64_t at);
// Behind so many lines that are not blank, or behind more: a line of separators alone does not count.
uint64_t end_of_rows(const File& file, int rows);
// Line ends in the first bytes of a file.
int64_t count_lines(const File& file, uint64_t bytes);
// What bytes seem to be encoded in.
TextEncoding encoding_of(std::string_view bytes);
const char* name_of(TextEncoding encoding);  // "utf-8", "latin-1", "utf-16"

}  // namespace covec::files
