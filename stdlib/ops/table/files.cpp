// Tables in files. The module passes its callers' arguments on to the formats in stdlib/files. Messages name its
// functions.
#include <algorithm>
#include <optional>
#include <span>

#include "stdlib/files/csv.hpp"
#include "stdlib/files/json.hpp"
#include "stdlib/ops/table/columns.hpp"
#include "stdlib/ops/table/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/text/calendar.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// Letters, digits, signs, points and ends of lines: what separates, quotes or escapes is none of them.
bool is_of_numbers(char item) {
  const auto c = static_cast<unsigned char>(item);
  const bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
  return letter || c == 0 || std::string_view("+-.\r\n").find(item) != std::string_view::npos;
}

// The arguments of one call, each refused in the words of the function that the program has called.
class Arguments {
 public:
  Arguments(const Call& call, std::string function) : call_(call), function_(std::move(function)) {}

  [[noreturn]] void refuse(unsigned operand, const std::string& must_be) const {
    ops::refuse({function_, std::string(operand_name(call_, operand))}, must_be, shown_value(call_.args[operand]));
  }
  const std::string& path(unsigned operand) const {
    if (!call_.args[operand].is(ObjectKind::string)) refuse(operand, "a path in a string");
    return call_.args[operand].string().text;
  }
  bool flag(unsigned operand) const {
    if (call_.args[operand].tag() != Tag::boolean) refuse(operand, "true or false");
    return call_.args[operand].boolean();
  }
  int64_t count(unsigned operand, int64_t otherwise) const {
    const Value& value = call_.args[operand];
    if (value.is_none()) return otherwise;
    if (!is_integer(value) || integer_of(value) < 0) refuse(operand, "an integer of 0 or more");
    return integer_of(value);
  }
  // One character that numbers, letters and quotes do not have.
  char mark(unsigned operand, char otherwise) const {
    const Value& value = call_.args[operand];
    if (value.is_none()) return otherwise;
    const std::string_view text = value.is(ObjectKind::string) ? std::string_view(value.string().text) : "";
    if (text.size() != 1 || is_of_numbers(text[0]) || text[0] == '"')
      refuse(operand, "a string of one character that is not part of numbers or quotes");
    return text[0];
  }
  // A text of such characters, or one with a plus behind it: a run of them.
  std::optional<files::CsvSeparator> separator(unsigned operand) const {
    const Value& value = call_.args[operand];
    if (value.is_none()) return std::nullopt;
    const std::string_view text = value.is(ObjectKind::string) ? std::string_view(value.string().text) : "";
    const files::CsvSeparator separator(text);
    const auto unfit = [](char c) { return c == '\0' || c == '\n' || c == '\r' || c == '"'; };
    const char first = separator.text.empty() ? '\0' : separator.text[0];
    const bool number =
        (first >= '0' && first <= '9') || (separator.text.size() == 1 && (first == '.' || first == '-'));
    if (separator.text.empty() || number || std::any_of(separator.text.begin(), separator.text.end(), unfit))
      refuse(operand, "a string that is not part of numbers or quotes, or \" +\" for runs of blanks");
    return separator;
  }
  // One character, or none where the text is empty.
  char quoting(unsigned operand, char otherwise) const {
    const Value& value = call_.args[operand];
    if (value.is_none()) return otherwise;
    const std::string_view text = value.is(ObjectKind::string) ? std::string_view(value.string().text) : "+";
    if (text.empty()) return '\0';
    if (text.size() != 1 || is_of_numbers(text[0]) || text[0] == ' ' || text[0] == '\t')
      refuse(operand, "a string of one character that is not part of numbers and not a blank, or an empty string");
    return text[0];
  }
  // What quotes and escapes is nothing else as well.
  void check_quoting(unsigned operand, char c, const files::CsvColumnsReading& how) const {
    if (c == '\0') return;
    if (how.separator ? how.separator->text.starts_with(c) : c == ',')
      refuse(operand,
             how.separator ? "a different character from `separator`" : "a different character from a separator");
    if (c == how.comment) refuse(operand, "a different character from `comment`");
    if (c == how.decimal) refuse(operand, "a different character from `decimal`");
  }
  // The number of one of a few words, 0 where none is given.
  size_t word(unsigned operand, std::span<const std::string_view> words, const char* must_be) const {
    const Value& value = call_.args[operand];
    if (value.is_none()) return 0;
    const std::string_view text = value.is(ObjectKind::string) ? std::string_view(value.string().text) : "";
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) refuse(operand, must_be);
    return static_cast<size_t>(found - words.begin());
  }
  char decimal(unsigned operand) const {
    const Value& value = call_.args[operand];
    if (!value.is(ObjectKind::string) || (value.string().text != "." && value.string().text != ","))
      refuse(operand, "\".\" or \",\"");
    return value.string().text[0];
  }
  const std::vector<Value>* items(unsigned operand, const char* must_be) const {
    const Value& value = call_.args[operand];
    if (value.is_none()) return nullptr;
    if (!value.is(ObjectKind::tuple) && !value.is(ObjectKind::list)) refuse(operand, must_be);
    return children(value);
  }

  std::optional<std::vector<files::CsvColumn>> columns(unsigned operand) const {
    constexpr const char* must_be = "a tuple or list of names and numbers of columns";
    const std::vector<Value>* given = items(operand, must_be);
    if (given == nullptr) return std::nullopt;
    std::vector<files::CsvColumn> columns;
    for (const Value& item : *given) {
      if (item.is(ObjectKind::string)) {
        columns.emplace_back(item.string().text);
      } else if (is_integer(item)) {
        columns.emplace_back(integer_of(item));
      } else {
        refuse(operand, must_be);
      }
    }
    if (columns.empty()) refuse(operand, must_be);
    return columns;
  }

  std::optional<std::set<std::string, std::less<>>> words(unsigned operand) const {
    constexpr const char* must_be = "a tuple or list of strings";
    const std::vector<Value>* given = items(operand, must_be);
    if (given == nullptr) return std::nullopt;
    std::set<std::string, std::less<>> words;
    for (const Value& item : *given) {
      if (!item.is(ObjectKind::string)) refuse(operand, must_be);
      words.insert(item.string().text);
    }
    return words;
  }

  std::map<std::string, files::CsvKind> kinds(unsigned operand) const {
    const Value& value = call_.args[operand];
    std::map<std::string, files::CsvKind> kinds;
    if (value.is_none()) return kinds;
    if (!has_named_children(value)) refuse(operand, "a record of columns' kinds, {when: \"date\"}");
    const Value names = keys_of(value);
    const std::vector<Value>& given = *children(value);
    for (size_t i = 0; i < given.size(); ++i) {
      const Value& name = names.list().items()[i];
      if (!name.is(ObjectKind::string)) refuse(operand, "a map with names of columns as keys");
      kinds[name.string().text] = kind(operand, given[i]);
    }
    return kinds;
  }

 private:
  files::CsvKind kind(unsigned operand, const Value& value) const {
    using files::ColumnKind;
    constexpr std::pair<std::string_view, ColumnKind> words[] = {{"text", ColumnKind::text},
                                                                 {"number", ColumnKind::real},
                                                                 {"integer", ColumnKind::integer},
                                                                 {"bool", ColumnKind::boolean},
                                                                 {"date", ColumnKind::date}};
    const std::string_view text = value.is(ObjectKind::string) ? std::string_view(value.string().text) : "";
    for (const auto& [word, kind] : words) {
      if (text == word) return {kind, {}};
    }
    if (text.find('%') != std::string_view::npos && unknown_directive(text).empty())
      return {ColumnKind::date, std::string(text)};
    ops::refuse({function_, std::string(operand_name(call_, operand))},
                "of \"number\", \"integer\", \"bool\", \"text\", \"date\" and formats of dates like \"%d.%m.%Y\"",
                shown_value(value));
  }

  const Call& call_;
  const std::string function_;
};

Value read_csv(Builder& b, Call& call) {
  const Arguments arguments(call, "read_csv");
  const std::string& path = arguments.path(0);
  files::CsvColumnsReading how;
  how.names = arguments.flag(1);
  how.columns = arguments.columns(2);
  how.kinds = arguments.kinds(3);
  how.missing = arguments.words(4);
  how.separator = arguments.separator(5);
  how.decimal = arguments.decimal(6);
  how.comment = arguments.mark(7, '\0');
  how.skip = arguments.count(8, 0);
  how.limit = arguments.count(9, -1);
  how.quote = arguments.quoting(10, '"');
  how.escape = arguments.quoting(11, '\0');
  how.lenient = arguments.flag(12);
  constexpr std::string_view ragged[] = {"error", "pad", "skip"}, encodings[] = {"utf-8", "latin-1", "utf-16"};
  how.ragged = static_cast<files::CsvRagged>(arguments.word(13, ragged, "\"error\", \"pad\" or \"skip\""));
  how.encoding =
      static_cast<files::TextEncoding>(arguments.word(14, encodings, "\"utf-8\", \"latin-1\" or \"utf-16\""));
  if (how.separator && how.separator->is(how.decimal)) arguments.refuse(6, "a different character from `separator`");
  if (how.escape == how.quote) how.escape = '\0';  // two quotes stand for one anyway
  arguments.check_quoting(10, how.quote, how);
  arguments.check_quoting(11, how.escape, how);
  return files::read_csv_columns(files::File(path, b.context()), how);
}

Value sniff(Builder& b, Call& call) {
  return files::sniff_csv(files::File(Arguments(call, "sniff").path(0), b.context()));
}

Value read_json(Builder& b, Call& call) {
  return files::read_json_columns(files::File(Arguments(call, "read_json").path(0), b.context()));
}

Value write_csv(Builder& b, Call& call) {
  const Arguments arguments(call, "write_csv");
  const std::string& path = arguments.path(0);
  const Value table = without_traces(call.args[1]);
  check_table(table, {"write_csv", "t"});
  files::CsvWriting how;
  how.names = table.record().layout->names;
  how.separator = arguments.mark(2, ',');
  const int64_t digits = arguments.count(3, 0);
  if (digits > 17) arguments.refuse(3, "at most 17");
  how.digits = static_cast<int>(digits);
  if (how.names.empty()) files::fail_to_write(path, "a table without columns leaves nothing to read back");
  files::AtomicFile file(path, b.context());
  files::write_csv_columns(file, table, how);
  file.commit();
  return Value();
}

Value write_json(Builder& b, Call& call) {
  const Arguments arguments(call, "write_json");
  const std::string& path = arguments.path(0);
  const Value table = without_traces(call.args[1]);
  check_table(table, {"write_json", "t"});
  const bool rows = arguments.flag(2);
  files::AtomicFile file(path, b.context());
  files::write_json_columns(file, table, rows);
  file.commit();
  return Value();
}

const Entry& table_read_csv_entry() {
  static const Entry entry{
      .name = "table_read_csv",
      .doc = "A table from a text file: what `table.read_csv` calls.",
      .parameters = {attribute("path"), attribute("header", Value(true)), attribute("columns", Value()),
                     any_parameter("kinds"), attribute("missing", Value()), attribute("separator", Value()),
                     attribute("decimal"), attribute("comment", Value()), attribute("skip", Value()),
                     attribute("limit", Value()), attribute("quote", Value()), attribute("escape", Value()),
                     attribute("lenient", false), attribute("ragged", Value()), attribute("encoding", Value())},
      .eager = read_csv,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(write_text("trees.csv", "name,height\noak,20.5\nyew,\n")
print(table_read_csv("trees.csv", kinds=none, decimal="."))  # expect: {name: list("oak", "yew"), height: [20.5, nan]})",
  };
  return entry;
}

const Entry& table_sniff_entry() {
  static const Entry entry{
      .name = "table_sniff",
      .doc = "How a text file looks: what `table.sniff` calls.",
      .parameters = {attribute("path")},
      .eager = sniff,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(write_text("trees.csv", "name;height\noak;20,5\n")
print(table_sniff("trees.csv").separator)  # expect: ;)",
  };
  return entry;
}

const Entry& table_read_json_entry() {
  static const Entry entry{
      .name = "table_read_json",
      .doc = "A table from a JSON file: what `table.read_json` calls.",
      .parameters = {attribute("path")},
      .eager = read_json,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(write_text("trees.json", "[{\"name\": \"oak\", \"height\": 20.5}, {\"name\": \"yew\"}]")
print(table_read_json("trees.json"))  # expect: {name: list("oak", "yew"), height: [20.5, nan]})",
  };
  return entry;
}

const Entry& table_write_csv_entry() {
  static const Entry entry{
      .name = "table_write_csv",
      .doc = "Writes a table to a text file: what `table.write_csv` calls.",
      .parameters = {attribute("path"), any_parameter("t"), attribute("separator", Value()),
                     attribute("digits", Value())},
      .eager = write_csv,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .example = R"(table_write_csv("trees.csv", {name: ["oak", "yew"], height: [20.5, nan]})
print(read_lines("trees.csv"))  # expect: list("name,height", "oak,20.5", "yew,"))",
  };
  return entry;
}

const Entry& table_write_json_entry() {
  static const Entry entry{
      .name = "table_write_json",
      .doc = "Writes a table to a JSON file: what `table.write_json` calls.",
      .parameters = {attribute("path"), any_parameter("t"), attribute("rows", Value(true))},
      .eager = write_json,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .example = R"(table_write_json("trees.json", {name: ["oak", "yew"], height: [20.5, nan]})
print(read_lines("trees.json")[1])  # expect: {"name":"oak","height":20.5},)",
  };
  return entry;
}

}  // namespace

Family table_files_entries() {
  static const Entry* const entries[] = {&table_read_csv_entry(), &table_sniff_entry(), &table_read_json_entry(),
                                         &table_write_csv_entry(), &table_write_json_entry()};
  return entries;
}

}  // namespace covec::ops
