// Reads a table with columns of any type. A column starts with the type of its first cell. Integers become reals if a
// real or an empty cell comes. A column that turns out to be text is read again, as text, in a second pass. Every error
// names its line. Start reading at ColumnsReader::read().
#include <algorithm>
#include <charconv>

#include "stdlib/files/csv.hpp"
#include "stdlib/files/csv_rows.hpp"
#include "stdlib/text/calendar.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

constexpr size_t longest_number = 400;  // bytes; an f64 has up to 309 digits before the point

std::string_view after_lines(std::string_view text, int64_t skip) {
  for (; skip > 0 && !text.empty(); --skip) {
    const size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text;
}

// The first line that is neither blank nor a comment.
std::string_view first_row(std::string_view text, const CsvColumnsReading& how) {
  for (text = after_lines(text, how.skip); !text.empty(); text = after_lines(text, 1)) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && (how.comment == '\0' || line[begin] != how.comment)) return line;
  }
  return {};
}

// , ; tab or |: the one that the first row has most of, a comma where it has none.
CsvSeparator separator_of(std::string_view text, const CsvColumnsReading& how) {
  if (how.separator) return *how.separator;
  constexpr std::string_view candidates = ",;\t|";
  size_t counts[4] = {};
  bool inside = false;
  for (const char c : first_row(text, how)) {
    if (c == how.quote) inside = !inside;
    const bool other = c == how.decimal || c == how.quote || c == how.escape;
    const size_t at = other ? std::string_view::npos : candidates.find(c);
    if (!inside && at != std::string_view::npos) ++counts[at];
  }
  return candidates[static_cast<size_t>(std::max_element(std::begin(counts), std::end(counts)) - std::begin(counts))];
}

std::optional<int64_t> integer_in(std::string_view digits) {
  if (digits.size() > 1 && digits.front() == '+' && digits[1] != '-') digits.remove_prefix(1);
  int64_t value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, code] = std::from_chars(digits.data(), last, value);
  if (code != std::errc() || end != last) return std::nullopt;
  return value;
}

std::optional<bool> boolean_in(std::string_view field) {
  if (field.size() == 4 && equal_ignoring_case(field, "true")) return true;
  if (field.size() == 5 && equal_ignoring_case(field, "false")) return false;
  return std::nullopt;
}

// A year alone is a number.
std::optional<double> date_in(std::string_view field) {
  return field.size() < 7 || field[4] != '-' ? std::nullopt : parsed_date(field);
}

struct ReadColumn {
  std::string name;
  CsvKind asked;
  GrowingColumn cells;
  int64_t place = -1;     // in the result; -1: it is not asked for
  int64_t long_line = 0;  // of the first integer that f64 does not hold
  bool truths = false;    // numbers that began as bools
  bool again = false;     // it turned out to be text: the next pass reads it
  std::string beyond;     // the first cell that is outside the range of f64
  int64_t beyond_line = 0;
  bool words = false;  // a cell behind it is no number
};

class ColumnsReader {
 public:
  ColumnsReader(const File& file, std::string_view text, const CsvColumnsReading& how)
      : file_(file),
        how_(how),
        rows_(file, text,
              {.separator = separator_of(text, how),
               .comment = how.comment,
               .across = true,
               .quote = how.quote,
               .escape = how.escape,
               .lenient = how.lenient}) {}

  Value read() {
    for (int64_t i = 0; i < how_.skip; ++i) rows_.skip_line();
    read_names();
    choose_columns();
    const CsvRows::RowPosition begin = rows_.place();
    read_rows(false);
    const bool again = std::any_of(columns_.begin(), columns_.end(), [](const auto& column) { return column.again; });
    if (again) {
      rows_.go_to(begin);
      read_rows(true);
    }
    return result();
  }

 private:
  void read_names() {
    const CsvRows::RowPosition begin = rows_.place();
    if (!rows_.next_row()) fail_to_read(file_.path(), "it has no rows");
    first_line_ = rows_.line();
    std::vector<std::string> names;
    do {
      const std::string_view field = rows_.take_field(static_cast<int64_t>(names.size()) + 1);
      names.emplace_back(how_.names ? field : std::string_view());
    } while (rows_.more());
    if (!how_.names) rows_.go_to(begin);
    names = distinct_names(std::move(names));
    columns_ = std::vector<ReadColumn>(names.size());
    for (size_t i = 0; i < names.size(); ++i) columns_[i].name = std::move(names[i]);
  }

  size_t column_named(const std::string& name) const {
    const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const auto& c) { return c.name == name; });
    if (found == columns_.end()) fail_to_read(file_.path(), "it has no column " + shown(name), names_hint());
    return static_cast<size_t>(found - columns_.begin());
  }

  std::string names_hint() const {
    constexpr size_t most = 12;  // names in a hint
    std::string text = "it has ";
    for (size_t i = 0; i < std::min(most, columns_.size()); ++i)
      text += (i > 0 ? ", " : "") + abridged(columns_[i].name);
    return text + (columns_.size() > most ? ", …" : "");
  }

  size_t column_number(const CsvColumn& column) const {
    if (const auto* name = std::get_if<std::string>(&column)) return column_named(*name);
    const auto count = static_cast<int64_t>(columns_.size());
    const int64_t number = std::get<int64_t>(column), at = number < 0 ? number + count : number;
    if (at >= 0 && at < count) return static_cast<size_t>(at);
    fail_to_read(file_.path(), "it has " + std::to_string(count) + " columns, but no column " + std::to_string(number));
  }

  void choose_columns() {
    for (const auto& [name, kind] : how_.kinds) {
      ReadColumn& column = columns_[column_named(name)];
      column.asked = kind;
      column.cells.restart(kind.kind);
    }
    if (!how_.columns) {
      for (ReadColumn& column : columns_) column.place = chosen_++;
      return;
    }
    for (const CsvColumn& asked : *how_.columns) {
      ReadColumn& column = columns_[column_number(asked)];
      if (column.place >= 0) fail_to_read(file_.path(), "column " + shown(column.name) + " is asked for twice");
      column.place = chosen_++;
    }
  }

  // All columns, or those that turned out to be text.
  void read_rows(bool again) {
    for (int64_t row = 0; (how_.limit < 0 || row < how_.limit) && next_row(); ++row) {
      size_t at = 0;
      do {
        const std::string_view field = rows_.take_field(static_cast<int64_t>(at) + 1);
        if (at >= columns_.size() || columns_[at].place < 0) continue;
        if (again) {
          if (columns_[at].again) add_text(columns_[at].cells, field);
        } else if (!columns_[at].again) {
          add(at, field);
        }
        if (columns_[at].beyond_line > 0) look_for_words(columns_[at], field);
      } while (++at, rows_.more());
      if (at > columns_.size() || (at < columns_.size() && how_.ragged != CsvRagged::pad)) fail_ragged(at);
      for (; at < columns_.size(); ++at) {
        if (columns_[at].place >= 0 && columns_[at].again == again) columns_[at].cells.add_missing();
      }
    }
  }

  // To the next one that is taken.
  bool next_row() {
    if (how_.ragged != CsvRagged::skip) return rows_.next_row();
    while (true) {
      const CsvRows::RowPosition begin = rows_.place();
      if (!rows_.next_row()) return false;
      if (rows_.count_fields() != static_cast<int64_t>(columns_.size())) continue;
      rows_.go_to(begin);
      return rows_.next_row();
    }
  }

  [[noreturn]] void fail_ragged(size_t count) const {
    const char mark = how_.comment == '\0' && !columns_.front().name.empty() ? columns_.front().name.front() : ' ';
    const std::string hint =
        mark == '#' || mark == '%' ? std::string("comment=\"") + mark + "\" skips lines that begin with it"
        : how_.separator && how_.separator->has_blank_end() && count < columns_.size() ? hint_of_blanks()
        : count < columns_.size() ? "ragged=\"pad\" fills short rows, ragged=\"skip\" leaves them out"
                                  : "ragged=\"skip\" leaves such rows out, skip=n lines before the table";
    fail(message("csv_ragged"),
         {file_.path(), std::to_string(columns_.size()), std::to_string(first_line_), std::to_string(count),
          std::to_string(rows_.line())},
         {}, hint);
  }

  // A separator is taken as it stands, and the blank at its end may be missing where a line ends.
  std::string hint_of_blanks() const {
    const std::string_view text = rows_.trimmed(how_.separator->text);
    return "separator=\"" + (text.empty() ? " +" : std::string(text)) + "\" allows blanks next to it or none";
  }

  bool stands_for_nothing(std::string_view field) const {
    return how_.missing ? how_.missing->find(field) != how_.missing->end() : is_missing(field);
  }

  void add_text(GrowingColumn& cells, std::string_view field) const {
    if (stands_for_nothing(field)) {
      cells.add_missing();
    } else {
      cells.add(field);
    }
  }

  void add(size_t at, std::string_view field) {
    ReadColumn& column = columns_[at];
    field_ = at + 1;
    if (stands_for_nothing(field)) {
      column.cells.add_missing();
    } else if (!add_as(column, field)) {
      if (column.asked.kind != ColumnKind::unknown) fail_kind(at, field);
      column.cells.restart(ColumnKind::text);
      column.again = true;
    }
    if (column.long_line == 0 && column.cells.long_integer_seen()) column.long_line = rows_.line();
  }

  bool add_as(ReadColumn& column, std::string_view field) {
    GrowingColumn& cells = column.cells;
    switch (cells.kind()) {
      case ColumnKind::text: return cells.add(field);
      case ColumnKind::boolean: return add_boolean(column, field);
      case ColumnKind::date: return add_date(column, field);
      case ColumnKind::real:
        if (column.truths || column.asked.kind == ColumnKind::boolean) return add_boolean(column, field);
        return column.asked.kind == ColumnKind::integer ? add_integer(column, field) : add_real(cells, field);
      case ColumnKind::integer:
        return add_integer(column, field) || (column.asked.kind == ColumnKind::unknown && add_real(cells, field));
      case ColumnKind::unknown:
        return add_integer(column, field) || add_real(cells, field) || add_boolean(column, field) ||
               add_date(column, field) || cells.add(field);
    }
    return false;
  }

  static bool add_boolean(ReadColumn& column, std::string_view field) {
    const auto truth = boolean_in(field);
    if (!truth || !column.cells.add(*truth)) return false;
    return column.truths = true;
  }

  static bool add_integer(ReadColumn& column, std::string_view field) {
    const auto number = integer_in(field);
    const bool signed_zero = number == 0 && field.front() == '-';  // no integer has that sign
    return number && (!signed_zero || column.asked.kind == ColumnKind::integer) && column.cells.add(*number);
  }

  bool add_real(GrowingColumn& cells, std::string_view field) {
    char digits[longest_number];
    if (!with_point(field, digits)) return false;
    double number = 0;
    const Reading reading = number_of(field, number);
    if (reading == Reading::too_large) beyond_range(field);
    if (reading != Reading::number) return false;
    if (is_long_integer(field, number)) cells.note_long_integer();
    return cells.add(number);
  }

  // Digits as a program has them, in `digits` where they are others; false for what is no number.
  bool with_point(std::string_view& field, char (&digits)[longest_number]) const {
    if (how_.decimal == '.') return true;
    if (field.size() > longest_number || field.find('.') != std::string_view::npos) return false;
    std::replace_copy(field.begin(), field.end(), digits, how_.decimal, '.');
    field = {digits, field.size()};
    return true;
  }

  // Such a cell may be a hash, 12e4567: its column is read as text, unless numbers were asked for.
  void beyond_range(std::string_view field) {
    ReadColumn& column = columns_[field_ - 1];
    if (column.asked.kind != ColumnKind::unknown) {
      fail(message("csv_range"), {file_.path(), std::to_string(rows_.line()), std::to_string(field_), abridged(field)},
           {}, "kinds={name: \"text\"} reads the column as text");
    }
    column.beyond = abridged(field);
    column.beyond_line = rows_.line();
  }

  void look_for_words(ReadColumn& column, std::string_view field) const {
    char digits[longest_number];
    double number = 0;
    column.words = column.words || (!stands_for_nothing(field) &&
                                    (!with_point(field, digits) || number_of(field, number) == Reading::none));
  }

  // Where all other cells are numbers the column is text for this one alone.
  void warn_beyond_range(const ReadColumn& column) const {
    if (column.beyond_line == 0 || column.words) return;
    ops::Context& context = file_.context();
    const std::string text = file_.path() + ", line " + std::to_string(column.beyond_line) + ", column " +
                             shown(column.name) + ": " + column.beyond +
                             " is outside the range of f64: the column is read as text";
    if (context.output != nullptr && context.warned.insert(text).second) context.output->warn(text);
  }

  static bool add_date(ReadColumn& column, std::string_view field) {
    const CsvKind& asked = column.asked;
    const auto date = asked.kind != ColumnKind::date ? date_in(field)
                      : asked.format.empty()         ? parsed_date(field)
                                                     : parsed_date(field, asked.format);
    return date && column.cells.add_date(*date);
  }

  [[noreturn]] void fail_kind(size_t at, std::string_view field) const {
    constexpr const char* kinds[] = {"", "true or false", "an integer", "a number", "a date", "text"};
    const ReadColumn& column = columns_[at];
    std::string must_be = kinds[static_cast<size_t>(column.asked.kind)];
    if (!column.asked.format.empty()) must_be += " of the form " + shown(column.asked.format);
    fail_to_read(file_.path(), "line " + std::to_string(rows_.line()) + ", column " + shown(column.name) + ": " +
                                   shown(field) + " is not " + must_be);
  }

  Value result() {
    std::vector<std::string> names(static_cast<size_t>(chosen_));
    std::vector<Value> values(names.size());
    for (ReadColumn& column : columns_) {
      if (column.place < 0) continue;
      warn_beyond_range(column);
      if (column.cells.long_integer() >= 0) {
        warn_of_long_integer(file_.context(), file_.path() + ", line " + std::to_string(column.long_line) +
                                                  ", column " + shown(column.name));
      }
      const auto place = static_cast<size_t>(column.place);
      names[place] = std::move(column.name);
      values[place] = column.cells.finish(file_.pool());
    }
    return make_record(std::make_shared<const RecordLayout>(RecordLayout{std::move(names)}), std::move(values));
  }

  const File& file_;
  const CsvColumnsReading& how_;
  CsvRows rows_;
  std::vector<ReadColumn> columns_;
  int64_t chosen_ = 0, first_line_ = 0;
  size_t field_ = 0;  // that is read, from 1
};

}  // namespace

Value read_csv_columns(const File& file, const CsvColumnsReading& how) {
  const Scratch bytes(file.pool(), file.size());
  Converted converted;
  return ColumnsReader(file, table_text(file, bytes, how.encoding, converted), how).read();
}

}  // namespace covec::files
