// Input and output of programs: tables and tensors in files. The formats are in stdlib/files; here are the entries, and
// the checks of their arguments. A value under a derivative is written as its plain value. Inside vmap, where there is
// no single value, nothing is written.
#include "stdlib/ops/files/files.hpp"

#include <optional>
#include <string>
#include <utility>

#include "stdlib/cluster/ranks.hpp"
#include "stdlib/files/csv.hpp"
#include "stdlib/files/leaves.hpp"
#include "stdlib/files/npy.hpp"
#include "stdlib/files/npz.hpp"
#include "stdlib/files/safetensors.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/files/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

const std::string& path_argument(const Call& call) {
  if (!call.args[0].is(ObjectKind::string)) fail_attribute(call, 0, "a path in a string");
  return call.args[0].string().text;
}

// Entries are shared by threads, so no default is a counted object: none stands for a comma.
char separator_argument(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (value.is_none()) return ',';
  const auto usable = [](const std::string& text) {
    if (text.size() != 1) return false;
    const auto c = static_cast<unsigned char>(text[0]);
    const bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    return c != 0 && !letter && std::string_view("\"+-.\r\n").find(text[0]) == std::string_view::npos;
  };
  if (!value.is(ObjectKind::string) || !usable(value.string().text))
    fail_attribute(call, operand, "a string of one character that is not part of numbers or quotes");
  return value.string().text[0];
}

files::CsvHeader header_argument(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (value.is(ObjectKind::string) && value.string().text == "names") return files::CsvHeader::names;
  if (value.tag() != Tag::boolean) fail_attribute(call, operand, "true, false or \"names\"");
  return value.boolean() ? files::CsvHeader::skipped : files::CsvHeader::none;
}

std::optional<std::vector<files::CsvColumn>> columns_argument(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (value.is_none()) return std::nullopt;
  const auto refuse = [&] { fail_attribute(call, operand, "a tuple or list of names and numbers of columns"); };
  if (!value.is(ObjectKind::tuple) && !value.is(ObjectKind::list)) refuse();
  std::vector<files::CsvColumn> columns;
  for (const Value& item : *children(value)) {
    if (item.is(ObjectKind::string)) {
      columns.emplace_back(item.string().text);
    } else if (is_integer(item)) {
      columns.emplace_back(integer_of(item));
    } else {
      refuse();
    }
  }
  if (columns.empty()) refuse();
  return columns;
}

std::optional<std::pair<int64_t, int64_t>> pair_argument(const Call& call, unsigned operand, const char* must_be,
                                                         bool (*fits)(int64_t, int64_t)) {
  if (call.operand(operand).is_none()) return std::nullopt;
  const std::vector<int64_t> pair = integer_list_argument(call, operand);
  if (pair.size() != 2 || !fits(pair[0], pair[1])) fail_attribute(call, operand, must_be);
  return std::pair(pair[0], pair[1]);
}

Value read_csv(Builder& builder, Call& call) {
  const std::string& path = path_argument(call);
  files::CsvReading how;
  how.header = header_argument(call, 1);
  if (!call.args[2].is_none()) how.missing = number_argument(call, 2);
  how.separator = separator_argument(call, 3);
  how.columns = columns_argument(call, 4);
  const auto part = pair_argument(call, 5, "two integers (i, n) with 0 <= i < n",
                                  [](int64_t i, int64_t n) { return 0 <= i && i < n; });
  if (part) how.part = files::CsvPart{part->first, part->second};
  return files::read_csv(files::File(path, builder.context()), how);
}

std::vector<std::string> strings_argument(const Call& call, unsigned operand) {
  const std::vector<Value>* items = children(call.operand(operand));
  const auto refuse = [&] { fail_attribute(call, operand, "a tuple or list of strings"); };
  if (items == nullptr || call.operand(operand).is(ObjectKind::record)) refuse();
  std::vector<std::string> names;
  for (const Value& item : *items) {
    if (!item.is(ObjectKind::string)) refuse();
    names.push_back(item.string().text);
  }
  return names;
}

[[noreturn]] void fail_table(const std::string& path, const std::string& what) {
  files::fail_to_write(path, "a table is a vector, a matrix, or a record of vectors of one length; " + what);
}

files::CsvTable table_of(const std::string& path, const Value& x) {
  if (x.is_tensor() && x.tensor().rank() <= 2) {
    const Tensor& tensor = x.tensor();
    return {{x}, tensor.dim(0), tensor.rank() == 2 ? tensor.dim(1) : 1};
  }
  if (!x.is(ObjectKind::record) || x.record().items.empty()) fail_table(path, "this is " + describe(x));
  files::CsvTable table{x.record().items, 0, static_cast<int64_t>(x.record().items.size())};
  for (size_t i = 0; i < table.tensors.size(); ++i) {
    const Value& column = table.tensors[i];
    const bool vector = column.is_tensor() && column.tensor().rank() == 1;
    if (!vector || column.tensor().dim(0) != table.tensors[0].tensor().dim(0))
      fail_table(path, x.record().layout->names[i] + " is " + describe(column));
  }
  table.rows = table.tensors[0].tensor().dim(0);
  return table;
}

std::vector<std::string> column_names(const Call& call, const std::string& path, const files::CsvTable& table) {
  const Value &x = call.args[1], &header = call.args[2];
  if (header.tag() == Tag::boolean && !header.boolean()) return {};
  if (header.is_none()) return x.is(ObjectKind::record) ? x.record().layout->names : std::vector<std::string>();
  std::vector<std::string> names = strings_argument(call, 2);
  if (names.size() != static_cast<size_t>(table.columns))
    files::fail_to_write(path,
                         std::to_string(names.size()) + " names for " + std::to_string(table.columns) + " columns");
  return names;
}

Value write_csv(Builder& builder, Call& call) {
  const std::string& path = path_argument(call);
  call.args[1] = files::plain_tree(call.entry.name, call.args[1]);
  const files::CsvTable table = table_of(path, call.args[1]);
  files::CsvWriting how;
  how.names = column_names(call, path, table);
  how.separator = separator_argument(call, 3);
  if (!call.args[4].is_none()) {
    const int64_t digits = integer_argument(call, 4);
    if (digits < 1 || digits > 17) fail(message("digits_range"), {std::to_string(digits)}, {label_of(call, 4)});
    how.digits = static_cast<int>(digits);
  }
  if (table.columns == 0 || (table.rows == 0 && how.names.empty()))
    files::fail_to_write(path, "a table without " + std::string(table.columns == 0 ? "columns" : "rows and names") +
                                   " leaves nothing to read back");
  files::AtomicFile file(path, builder.context());
  files::write_csv(file, builder.pool(), table, how);
  file.commit();
  return Value();
}

// Ranks that run the same program write the same file. In a part each file is written once.
void warn_of_ranks(Context& context) {
  const int ranks = context.ranks->size();
  if (ranks == 1 || context.in_part || context.output == nullptr) return;
  const std::string text = "save: each rank that comes here writes the file, and there are " + std::to_string(ranks) +
                           "; parallel.save writes it once, on rank 0";
  if (context.warned.insert(text).second) context.output->warn(text);
}

Value save(Builder& builder, Call& call) {
  const files::TreeFile file(call.entry.name, path_argument(call), call.args[1]);
  warn_of_ranks(builder.context());
  file.write(builder.context());
  return Value();
}

// The rows from a up to b. The file says whether it has them.
std::optional<files::RowRange> rows_argument(const Call& call, unsigned operand) {
  const auto rows = pair_argument(call, operand, "two integers (a, b) with 0 <= a <= b",
                                  [](int64_t a, int64_t b) { return 0 <= a && a <= b; });
  return rows ? std::optional(files::RowRange{rows->first, rows->second}) : std::nullopt;
}

files::SafetensorsPart part_argument(const Call& call, files::Format format) {
  files::SafetensorsPart part;
  part.rows = rows_argument(call, 2);
  if (!call.args[3].is_none()) part.names = strings_argument(call, 3);
  const std::string& path = path_argument(call);
  if (part.names && format != files::Format::safetensors) {
    files::fail_to_read(path, "names= reads a part of a .safetensors file only", "load it whole and take the fields");
  }
  if (part.rows && format == files::Format::npz)
    files::fail_to_read(path, "rows= reads a part of .npy and .safetensors files only", "load it whole and slice it");
  return part;
}

Value load_npy(const files::File& file, const std::optional<files::RowRange>& rows) {
  if (rows) return files::read_npy_rows(file, *rows);
  files::FileSource source(file, 0, file.size());
  return files::read_npy(file.pool(), source);
}

Value load(Builder& builder, Call& call) {
  const std::string& path = path_argument(call);
  const files::Format format = files::format_of(call.entry.name, path);
  const files::SafetensorsPart part = part_argument(call, format);
  const Value& like = call.args[1];
  const files::File file(path, builder.context());
  if (format == files::Format::npy) {
    Value tensor = load_npy(file, part.rows);
    return like.is_none() ? tensor : files::tensor_like(builder.pool(), path, tensor, like);
  }
  const files::NamedTensors leaves =
      format == files::Format::npz ? files::read_npz(file) : files::read_safetensors(file, part);
  if (!like.is_none()) return files::tree_like(builder.pool(), path, leaves, like);
  return files::tree_of(builder.pool(), leaves);
}

}  // namespace

const Entry& read_csv_entry() {
  static const Entry entry{
      .name = "read_csv",
      .doc =
          "A table of numbers from a text file, as f64[rows, columns].\n\n"
          "A line is a row, blank lines are skipped, and `separator` (none: a comma) stands between fields, which may "
          "be in "
          "double quotes. `header=true` skips the first line; `header=\"names\"` takes the names of the columns from "
          "it and gives a record of them, f64[rows] each. Every row must have as many fields as the first, and every "
          "field must be a number (`nan` and `inf` are); with `missing=x` a field that is empty, `NA`, `N/A`, `null` "
          "or `nan` reads as x. `columns=(\"x\", \"y\")`, or their numbers from 0, reads only these, so that others "
          "may "
          "hold text. `part=(i, n)` reads the i-th of n parts, those lines that begin in the i-th of n equal ranges of "
          "the file's bytes, with the header and the columns of the whole: the rows of all parts, one after the other, "
          "are those of the file. A relative path starts at the working directory.",
      .parameters = {attribute("path"), attribute("header", Value(false)), attribute("missing", Value()),
                     attribute("separator", Value()), attribute("columns", Value()), attribute("part", Value())},
      .eager = read_csv,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(write_csv("points.csv", {x: [1.0, 2.0], y: [0.5, nan]})
print(read_csv("points.csv", header="names"))  # expect: {x: [1.0, 2.0], y: [0.5, nan]}
print(read_csv("points.csv", header="names", columns=("y",)))  # expect: {y: [0.5, nan]}
print(read_csv("points.csv", header=true, missing=0.0))
# expect: [[1.0, 0.5],
# expect:  [2.0, 0.0]])",
  };
  return entry;
}

const Entry& write_csv_entry() {
  static const Entry entry{
      .name = "write_csv",
      .doc =
          "Writes a table of numbers to a text file.\n\n"
          "`x` is a matrix, a vector (one column), or a record of vectors of one length, whose names become the first "
          "line. `header=(\"a\", \"b\")` gives the columns of a tensor names, `header=false` leaves those of a record "
          "out. `separator` is a comma where it is none. Numbers are written in the shortest form that reads back as "
          "the same number, or with `digits` "
          "significant digits; bools as 1 and 0. The file is replaced as a whole, or stays as it was when anything "
          "goes wrong.",
      .parameters = {attribute("path"), any_parameter("x"), attribute("header", Value()),
                     attribute("separator", Value()), attribute("digits", Value())},
      .eager = write_csv,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .example = R"(write_csv("table.csv", [[1.0, 2.5], [3.0, 4.0]], header=("a", "b"))
print(read_csv("table.csv", header=true))
# expect: [[1.0, 2.5],
# expect:  [3.0, 4.0]])",
  };
  return entry;
}

const Entry& save_entry() {
  static const Entry entry{
      .name = "save",
      .doc =
          "Writes tensors to a file: `.npy` (one tensor), `.npz` or `.safetensors` (a tree of tensors).\n\n"
          "A leaf is named by the way to it, `layers.0.w`; dtypes, shapes and bits are kept, but for NaNs, which all "
          "become one. `load` gives the same tree back. The file is replaced as a whole, or stays as it was when "
          "anything goes wrong. Under a derivative the plain values are written.",
      .parameters = {attribute("path"), any_parameter("tree")},
      .eager = save,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .example = R"(p = {w: ones(2, 2), b: (0.5, i32([1, 2]))}
save("model.safetensors", p)
print(load("model.safetensors") == p)  # expect: true)",
  };
  return entry;
}

const Entry& load_entry() {
  static const Entry entry{
      .name = "load",
      .doc =
          "What a `.npy`, `.npz` or `.safetensors` file holds: a tensor, or a tree of tensors.\n\n"
          "Names make the tree: `layers.0.w` is the field w of the first item of layers. Dtypes that the language does "
          "not have are widened (u64 to i64). `like=tree` gives the structure of that tree, "
          "and asks that the file has just its leaves, with their dtypes and shapes; where one is bf16, which `.npy` "
          "and `.npz` hold as f32, it is bf16 again.\n\n"
          "`rows=(a, b)` reads the rows from a up to b of each tensor and no other bytes: of `.safetensors`, and of "
          "`.npy` in row-major order. `names=(\"layers.0.w\",)` reads only these tensors of a `.safetensors` file.",
      .parameters = {attribute("path"),
                     {.name = "like", .kind = ParameterKind::any, .required = false, .fallback = {}},
                     attribute("rows", Value()),
                     attribute("names", Value())},
      .eager = load,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(save("x.npy", [1.5, 2.5])
print(load("x.npy"))               # expect: [1.5, 2.5]
print(load("x.npy", rows=(1, 2)))  # expect: [2.5])",
  };
  return entry;
}

Family files_entries() {
  static const Entry* const entries[] = {&read_csv_entry(), &write_csv_entry(), &save_entry(), &load_entry()};
  return entries;
}

}  // namespace covec::ops
