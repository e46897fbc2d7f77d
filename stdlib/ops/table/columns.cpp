// Tables as records: inspecting them, building them, picking rows by position.
#include "stdlib/ops/table/columns.hpp"
#include "frontend/common/nearest.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "stdlib/files/columns.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/table/family.hpp"
#include "stdlib/tensor/format.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// Rows in a piece for a thread, and items.
constexpr int64_t grain = 1 << 14;
constexpr size_t items_between_polls = 1 << 14;

}  // namespace

Asker asker_argument(const Call& call, unsigned function, unsigned argument) {
  for (const unsigned operand : {function, argument}) {
    if (!call.args[operand].is(ObjectKind::string)) fail_attribute(call, operand, "a string");
  }
  return {call.args[function].string().text, call.args[argument].string().text};
}

void refuse(const Asker& asker, const std::string& must_be, const std::string& got) {
  fail(message("table_argument"), {asker.function, asker.argument, must_be, got});
}

std::string shown_value(const Value& value) {
  return value.is_scalar() || value.is(ObjectKind::string) ? repr_of(value) : describe(value);
}

int64_t check_table(const Value& value, const Asker& asker) {
  constexpr const char* must_be = "a table, a record of columns of one length";
  if (!value.is(ObjectKind::record)) refuse(asker, must_be, shown_value(value));
  const Record& record = value.record();
  int64_t rows = 0;
  for (size_t i = 0; i < record.items.size(); ++i) {
    const std::string& name = record.layout->names[i];
    if (files::kind_of_column(record.items[i]).empty())
      refuse(asker, must_be, "one whose `" + name + "` is " + describe(record.items[i]));
    const int64_t length = files::length_of_column(record.items[i]);
    if (i == 0) rows = length;
    if (length != rows)
      refuse(asker, must_be,
             "`" + record.layout->names[0] + "` of " + std::to_string(rows) + " rows and `" + name + "` of " +
                 std::to_string(length));
  }
  return rows;
}

Value i64_argument(const Call& call, unsigned operand) {
  const Value value = concrete(call.args[operand]);
  if (!value.is_tensor() || value.tensor().rank() != 1 || value.tensor().dtype() != Dtype::i64)
    fail_attribute(call, operand, "a vector of i64");
  return contiguous(value.tensor().pool(), value);
}

const std::vector<Value>& texts_argument(const Call& call, unsigned operand) {
  if (!files::is_text_column(call.args[operand])) fail_attribute(call, operand, "a list of strings");
  return call.args[operand].list().items();
}

Value without_traces(const Value& value) {
  if (value.is(ObjectKind::list)) return value;
  return value.is(ObjectKind::record) ? map_parts(value, without_traces) : plain_tree(value);
}

namespace {

// --- looking ---

Value check(Builder&, Call& call) { return check_table(without_traces(call.args[0]), asker_argument(call, 1, 2)); }

Value kind(Builder&, Call& call) {
  const std::string text = files::kind_of_column(without_traces(call.args[0]));
  return text.empty() ? Value() : make_string(text);
}

std::string names_of(const Record& record) {
  constexpr size_t most = 12;  // names that an error shows
  const std::vector<std::string>& names = record.layout->names;
  std::string text;
  for (size_t i = 0; i < std::min(most, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.empty() ? "it has none" : "it has " + text + (names.size() > most ? ", …" : "");
}

Value column(Builder&, Call& call) {
  const Asker asker = asker_argument(call, 2, 3);
  if (!call.args[0].is(ObjectKind::record)) fail_attribute(call, 0, "a table");
  if (!call.args[1].is(ObjectKind::string)) refuse(asker, "the name of a column", shown_value(call.args[1]));
  const Record& record = call.args[0].record();
  const std::string& name = call.args[1].string().text;
  if (const Value* found = record.find(name)) return *found;
  const std::string_view near = nearest_name(name, {record.layout->names.begin(), record.layout->names.end()});
  fail(message("table_data"),
       {asker.function, "`" + asker.argument + "`: the table has no column " + quoted(name) + "; " + names_of(record)},
       {}, near.empty() ? "" : "did you mean " + quoted(near) + "?");
}

// --- putting together ---

Value record(Builder&, Call& call) {
  const std::vector<Value>&names = texts_argument(call, 0), *columns = children(call.args[1]);
  if (columns == nullptr || columns->size() != names.size()) fail_attribute(call, 1, "as many columns as names");
  auto layout = std::make_shared<RecordLayout>();
  for (const Value& name : names) {
    if (name.is_none() || layout->find(name.string().text) >= 0) fail_attribute(call, 0, "a list of different names");
    layout->names.push_back(name.string().text);
  }
  return make_record(std::move(layout), *columns);
}

void add_cell(files::GrowingColumn& column, const Value& cell, const std::string& name) {
  bool fits = true;
  if (cell.is_none()) {
    column.add_missing();
  } else if (cell.is(ObjectKind::string)) {
    fits = column.add(std::string_view(cell.string().text));
  } else if (cell.tag() == Tag::boolean) {
    fits = column.add(cell.boolean());
  } else if (is_integer(cell)) {
    fits = column.add(integer_of(cell));
  } else if (cell.is_scalar()) {
    fits = column.add(cell.tag() == Tag::f64 ? cell.f64() : static_cast<double>(cell.f32()));
  } else if (const Value* date = files::seconds_of_dates(cell); date != nullptr && date->tag() == Tag::f64) {
    fits = column.add_date(date->f64());
  } else {
    fits = false;
  }
  if (fits) return;
  fail(message("table_data"),
       {"from_rows", "column `" + name + "` has " + shown_value(cell) + " in row " + std::to_string(column.size()) +
                         ": its cells are all numbers, all bools, all texts or all dates"});
}

const Value* cell_of(const Value& row, const Value& name) {
  return row.is(ObjectKind::map) ? map_of(row).find(name) : row.record().find(name.string().text);
}

// Cells that are numbers, some of them active.
Value stacked_cells(Builder& b, const std::vector<Value>& rows, const Value& name) {
  std::vector<Value> cells;
  for (const Value& row : rows) {
    const Value* cell = cell_of(row, name);
    const bool missing = cell == nullptr || cell->is_none();
    cells.push_back(missing ? Value(std::numeric_limits<double>::quiet_NaN())
                            : call(b, cast_entry(Dtype::f64), {*cell}));
  }
  return stack(b, cells, 0);
}

// A list of records or maps, as columns by the names of the first.
Value from_rows(Builder& b, Call& call) {
  const std::vector<Value>* rows = children(call.args[0]);
  const auto is_row = [](const Value& row) { return has_named_children(row); };
  if (rows == nullptr || has_named_children(call.args[0]) || rows->empty() ||
      !std::all_of(rows->begin(), rows->end(), is_row))
    refuse({"from_rows", "rows"}, "a list of records or maps, one at least", describe(call.args[0]));
  const Value names = keys_of((*rows)[0]);
  std::vector<Value> columns;
  auto layout = std::make_shared<RecordLayout>();
  for (const Value& name : names.list().items()) {
    if (!name.is(ObjectKind::string)) refuse({"from_rows", "rows"}, "of maps whose keys are strings", key_text(name));
    layout->names.push_back(name.string().text);
    files::GrowingColumn column;
    bool active = false;  // by a derivative
    for (const Value& row : *rows) {
      if (column.size() % items_between_polls == 0) kernels::poll_interrupt(b.context());
      const Value* cell = cell_of(row, name);
      active |= cell != nullptr && cell->is_traced();
      add_cell(column, cell != nullptr ? without_traces(*cell) : Value(), layout->names.back());
    }
    if (const int64_t row = column.long_integer(); row >= 0) {
      files::warn_of_long_integer(b.context(),
                                  "table.from_rows, row " + std::to_string(row) + ", column " + layout->names.back());
    }
    Value made = column.finish(b.pool());
    columns.push_back(active && dtype_of(made) == Dtype::f64 ? stacked_cells(b, *rows, name) : std::move(made));
  }
  return make_record(std::move(layout), std::move(columns));
}

// --- picking ---

struct Positions {
  Value vector;
  const int64_t* data;
  int64_t size;
  bool missing = false;  // some are -1
  bool real = false;     // integers and bools become f64 although none is missing
  bool becomes_real() const { return missing || real; }

  Positions(const Call& call, unsigned operand) : vector(i64_argument(call, operand)) {
    data = vector.tensor().as<int64_t>();
    size = vector.tensor().size();
  }
  void check(int64_t length) {
    for (int64_t i = 0; i < size; ++i) {
      if (data[i] < -1 || data[i] >= length)
        fail(message("item_range"), {std::to_string(data[i]), "a column", std::to_string(length)});
      missing |= data[i] < 0;
    }
  }
};

template <class From, class To>
Value taken(Builder& b, const Tensor& from, Dtype dtype, const Positions& at) {
  Value to = make_tensor(b.pool(), dtype, Shape{Dim(at.size)});
  const From* const x = from.as<From>();
  To* const y = to.tensor().as<To>();
  constexpr To nothing = std::numeric_limits<To>::quiet_NaN();  // 0 for integers, which none is read for
  kernels::parallel_for(b.context(), at.size, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = at.data[i] < 0 ? nothing : static_cast<To>(x[at.data[i]]);
  });
  return to;
}

// Of an active vector.
Value take_active(Builder& b, const Value& column, const Positions& at) {
  Value places = make_tensor(b.pool(), Dtype::i64, Shape{Dim(at.size)});
  Value there = make_tensor(b.pool(), Dtype::boolean, Shape{Dim(at.size)});
  for (int64_t i = 0; i < at.size; ++i) {
    places.tensor().as<int64_t>()[i] = std::max<int64_t>(at.data[i], 0);
    there.tensor().as<bool>()[i] = at.data[i] >= 0;
  }
  Steps steps(b);
  Value found = steps.take(column, 0, places);
  if (!at.missing) return found;
  const Dtype dtype = logical_type(column).dtype;
  const Dtype wide = is_float(dtype) ? dtype : Dtype::f64;
  Value nothing = cast_to(b, Value(std::numeric_limits<double>::quiet_NaN()), wide);
  return steps.call(handles().where, {std::move(there), steps.cast(std::move(found), wide), std::move(nothing)});
}

Value take_numbers(Builder& b, const Value& column, const Positions& at) {
  if (column.is_traced() && !(logical_type(column).shape[0] == Dim(0))) return take_active(b, column, at);
  const Value whole = contiguous(b.pool(), without_traces(column));
  const Tensor& from = whole.tensor();
  const Dtype dtype = from.dtype();
  if (is_half(dtype)) return cast_to(b, take_numbers(b, cast_to(b, whole, Dtype::f32), at), dtype);
  return with_element(dtype, [&]<class T>(T) {
    return !is_float(dtype) && at.becomes_real() ? taken<T, double>(b, from, Dtype::f64, at)
                                                 : taken<T, T>(b, from, dtype, at);
  });
}

Value take_texts(Builder& b, const std::vector<Value>& from, const Positions& at) {
  std::vector<Value> items;
  b.pool().need(static_cast<uint64_t>(at.size) * sizeof(Value));
  items.reserve(static_cast<size_t>(at.size));
  for (int64_t i = 0; i < at.size; ++i) {
    if (static_cast<size_t>(i) % items_between_polls == 0) kernels::poll_interrupt(b.context());
    items.push_back(at.data[i] < 0 ? Value() : from[static_cast<size_t>(at.data[i])]);
  }
  return make_list(std::move(items));
}

Value take_column(Builder& b, const Value& column, const Positions& at) {
  if (column.is(ObjectKind::list)) return take_texts(b, column.list().items(), at);
  if (column.is(ObjectKind::record)) return files::date_column(take_numbers(b, column.record().items[0], at));
  return take_numbers(b, column, at);
}

// Warns of integers at these positions that this float type does not hold.
template <class T>
void warn_of_long_integers(Builder& b, const Tensor& from, const Positions& at, const std::string& what, Dtype dtype) {
  const T* const items = from.as<T>();
  const auto is_long = [&](int64_t i) { return i >= 0 && files::is_long_integer(items[i], dtype); };
  const int64_t* const found = std::find_if(at.data, at.data + at.size, is_long);
  if (found == at.data + at.size) return;
  files::warn_of_long_integer(b.context(),
                              "table: " + what + " and becomes " + std::string(name_of(dtype)) + "; row " +
                                  std::to_string(*found) + " has " + std::to_string(items[*found]),
                              dtype);
}

// `floats`: those that the cells are put together with, if any.
void warn_of_long_integers(Builder& b, const Value& column, const Positions& at, const std::string& name,
                           std::optional<Dtype> floats) {
  if (!at.missing && !floats) return;
  const Value plain = without_traces(column);
  if (!plain.is_tensor() || kind_of(plain.tensor().dtype()) != DtypeKind::integer) return;
  const Value whole = contiguous(b.pool(), plain);
  const Dtype dtype = at.missing ? Dtype::f64 : *floats;
  const std::string what =
      (name.empty() ? "a column" : "column " + name) +
      (at.missing ? " has missing cells now" : " is combined with cells of " + std::string(name_of(dtype)));
  with_element(plain.tensor().dtype(), [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) warn_of_long_integers<T>(b, whole.tensor(), at, what, dtype);
  });
}

std::optional<Dtype> floats_argument(const Call& call, unsigned operand) {
  if (call.args[operand].is_none()) return std::nullopt;
  for (const Dtype dtype : all_dtypes) {
    if (is_float(dtype) && call.args[operand].is(ObjectKind::string) &&
        call.args[operand].string().text == name_of(dtype))
      return dtype;
  }
  fail_attribute(call, operand, "the name of a float type");
}

Value take(Builder& b, Call& call) {
  const Value& from = call.args[0];
  Positions at(call, 1);
  const std::optional<Dtype> floats = floats_argument(call, 3);
  at.real = floats == Dtype::f64;
  const Value plain = without_traces(from);
  if (!files::kind_of_column(plain).empty()) {
    at.check(files::length_of_column(plain));
    const Value& name = call.args[2];
    warn_of_long_integers(b, from, at, name.is(ObjectKind::string) ? name.string().text : "", floats);
    return take_column(b, from, at);
  }
  at.check(check_table(plain, {"take", "t"}));
  std::vector<Value> columns;
  for (const Value& column : from.record().items) {
    warn_of_long_integers(b, column, at, from.record().layout->names[columns.size()], floats);
    columns.push_back(take_column(b, column, at));
  }
  return make_record(from.record().layout, std::move(columns));
}

const Entry& table_check_entry() {
  static const Entry entry{
      .name = "table_check",
      .doc = "How many rows a table has. An error names the function of the module `table` and its argument.",
      .parameters = {any_parameter("t"), attribute("function"), attribute("argument")},
      .eager = check,
      .derivative = Derivative::none("gives a number of rows"),
      .effects = table_effects(),
      .example = R"(print(table_check({x: [1.0, 2.0], name: ["a", "b"]}, "show", "t"))  # expect: 2)",
  };
  return entry;
}

const Entry& table_kind_entry() {
  static const Entry entry{
      .name = "table_kind",
      .doc =
          "What a column holds: \"f64\" and the like of a vector, \"text\" of a list of strings, \"date\" of a record "
          "{seconds}; none for what is no column.",
      .parameters = {any_parameter("column")},
      .eager = kind,
      .derivative = Derivative::none("gives a string"),
      .effects = table_effects(),
      .example =
          R"(print(table_kind([1.0]), table_kind(["a"]), table_kind({seconds: [0.0]}), table_kind(3))  # expect: f64 text date none)",
  };
  return entry;
}

const Entry& table_column_entry() {
  static const Entry entry{
      .name = "table_column",
      .doc = "The column of a name. An error names the function of the module `table` and its argument.",
      .parameters = {any_parameter("t"), attribute("name"), attribute("function"), attribute("argument")},
      .eager = column,
      .derivative = Derivative::of_parts(),
      .effects = table_effects(),
      .example = R"(print(table_column({x: [1.0, 2.0]}, "x", "sort", "by"))  # expect: [1.0, 2.0])",
  };
  return entry;
}

const Entry& table_record_entry() {
  static const Entry entry{
      .name = "table_record",
      .doc = "A record of columns by names that only the run knows, or that are no identifiers.",
      .parameters = {any_parameter("names"), any_parameter("columns")},
      .eager = record,
      .derivative = Derivative::of_parts(),
      .effects = table_effects(),
      .example = R"(print(table_record(["a b", "c"], list([1, 2], [3, 4])))  # expect: {a b: [1, 2], c: [3, 4]})",
  };
  return entry;
}

const Entry& table_from_rows_entry() {
  static const Entry entry{
      .name = "table_from_rows",
      .doc =
          "Columns from a list of records or maps, by the names of the first.\n\n"
          "Numbers, bools, texts and dates make columns; what a row does not have, and none, is missing.",
      .parameters = {any_parameter("rows")},
      .eager = from_rows,
      .derivative = Derivative::of_parts(),
      .effects = table_effects(),
      .example = R"(print(table_from_rows(list({n: 1, s: "a"}, {n: 2})))  # expect: {n: [1, 2], s: list("a", none)})",
  };
  return entry;
}

const Entry& table_take_entry() {
  static const Entry entry{
      .name = "table_take",
      .doc =
          "The rows of a table, or cells of a column, at these positions; -1 gives a missing one, so integers and "
          "bools become f64. `name` is a column's, for warnings. `floats` names the float type that the cells are put "
          "together with: \"f64\" makes integers and bools f64, and each warns of integers that it does not hold.",
      .parameters = {any_parameter("t"), any_parameter("positions"), attribute("name", Value()),
                     attribute("floats", Value())},
      .eager = take,
      .derivative = Derivative::of_parts(),
      .effects = table_effects(),
      .example =
          R"(print(table_take({n: [1, 2], s: ["a", "b"]}, [1, -1]))  # expect: {n: [2.0, nan], s: list("b", none)})",
  };
  return entry;
}

}  // namespace

Family table_columns_entries() {
  static const Entry* const entries[] = {&table_check_entry(),  &table_kind_entry(),      &table_column_entry(),
                                         &table_record_entry(), &table_from_rows_entry(), &table_take_entry()};
  return entries;
}

}  // namespace covec::ops
