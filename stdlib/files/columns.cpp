// Stores cells of columns: numbers in one array of reals or integers, texts in an array of strings that share a table
// of words.
#include "stdlib/files/columns.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/text/calendar.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr size_t bytes_of_entry = 64;  // of a hash table's node

template <class To, class From>
Value tensor_of(Pool& pool, Dtype dtype, const std::vector<From>& items) {
  Value tensor = make_tensor(pool, dtype, Shape{Dim(static_cast<int64_t>(items.size()))});
  std::transform(items.begin(), items.end(), tensor.tensor().as<To>(), [](From item) { return static_cast<To>(item); });
  return tensor;
}

}  // namespace

bool is_long_integer(int64_t number, Dtype dtype) {
  constexpr uint64_t largest_f16 = 65504;  // (2 - 2^-10) · 2^15: IEEE 754, binary16
  const int digits = info_of(dtype).digits;
  const uint64_t size = number < 0 ? uint64_t{0} - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  if (size == 0) return false;
  return static_cast<int>(std::bit_width(size >> std::countr_zero(size))) > digits ||
         (dtype == Dtype::f16 && size > largest_f16);
}

bool is_long_integer(std::string_view digits, double read) {
  if (!(std::abs(read) >= 0x1p53) || std::isinf(read)) return false;
  if (digits.front() == '+') digits.remove_prefix(1);
  const std::string_view sign = digits.substr(0, digits.front() == '-' ? 1 : 0);
  digits.remove_prefix(sign.size());
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return false;
  char kept[400];
  const auto end = std::to_chars(std::begin(kept), std::end(kept), std::abs(read), std::chars_format::fixed);
  return digits != std::string_view(kept, static_cast<size_t>(end.ptr - kept));
}

void warn_of_long_integer(ops::Context& context, const std::string& where, Dtype dtype) {
  const std::string text = where + ": " + std::string(name_of(dtype)) +
                           " does not hold all digits of an integer of this size; read it as text to keep them";
  if (context.output != nullptr && context.warned.insert(text).second) context.output->warn(text);
}

void GrowingColumn::note_long_integer() {
  if (long_integer_ < 0) long_integer_ = static_cast<int64_t>(size_);
}

// What is unknown so far has missing cells alone.
bool GrowingColumn::become(ColumnKind kind) {
  if (kind_ == kind) return true;
  if (kind_ != ColumnKind::unknown) return false;
  const bool counted = kind == ColumnKind::boolean || kind == ColumnKind::integer;
  kind_ = counted && size_ > 0 ? ColumnKind::real : kind;
  for (size_t i = 0; i < size_; ++i) {
    if (kind_ == ColumnKind::text) {
      texts_.push(Value());
    } else {
      reals_.push(missing);
    }
  }
  return true;
}

void GrowingColumn::become_real() {
  if (kind_ == ColumnKind::unknown) become(ColumnKind::real);
  if (kind_ != ColumnKind::integer && kind_ != ColumnKind::boolean) return;
  kind_ = ColumnKind::real;
  for (const int64_t item : integers_.take()) reals_.push(static_cast<double>(item));
}

void GrowingColumn::restart(ColumnKind kind) {
  integers_.take();
  reals_.take();
  texts_.take();
  known_.clear();
  kind_ = kind;
  size_ = 0;
  long_integer_ = -1;
  was_real_ = false;
}

void GrowingColumn::add_missing() {
  if (kind_ == ColumnKind::text) {
    texts_.push(Value());
  } else if (kind_ != ColumnKind::unknown) {
    become_real();
    reals_.push(missing);
  }
  ++size_;
}

bool GrowingColumn::add(bool cell) {
  if (kind_ == ColumnKind::real) return add(cell ? 1.0 : 0.0);
  if (!become(ColumnKind::boolean)) return false;
  if (kind_ == ColumnKind::real) return add(cell ? 1.0 : 0.0);
  integers_.push(cell);
  ++size_;
  return true;
}

bool GrowingColumn::add(int64_t cell) {
  if (is_long_integer(cell)) note_long_integer();
  if (kind_ == ColumnKind::real) return add(static_cast<double>(cell));
  if (!become(ColumnKind::integer)) return false;
  if (kind_ == ColumnKind::real) return add(static_cast<double>(cell));
  integers_.push(cell);
  ++size_;
  return true;
}

bool GrowingColumn::add(double cell) {
  if (kind_ == ColumnKind::integer) become_real();
  if (!become(ColumnKind::real)) return false;
  reals_.push(cell);
  ++size_;
  return true;
}

bool GrowingColumn::add_date(double seconds) {
  if (!become(ColumnKind::date)) return false;
  reals_.push(seconds);
  ++size_;
  return true;
}

Value GrowingColumn::text(std::string_view cell) {
  const auto found = known_.find(cell);
  if (found != known_.end()) return found->second;
  const Value made = make_string(std::string(cell));
  charge_.change((known_.size() + 1) * bytes_of_entry);
  known_.emplace(made.string().text, made);
  return made;
}

bool GrowingColumn::add(std::string_view cell) {
  if (!become(ColumnKind::text)) return false;
  texts_.push(text(cell));
  ++size_;
  return true;
}

void GrowingColumn::become_text() {
  if (kind_ == ColumnKind::unknown || kind_ == ColumnKind::text) return;
  const bool booleans = kind_ == ColumnKind::boolean;
  was_real_ = kind_ == ColumnKind::real;
  kind_ = ColumnKind::text;
  for (const int64_t item : integers_.take())
    texts_.push(text(covec::number_text(booleans ? Value(item != 0) : Value(item))));
  for (const double item : reals_.take()) texts_.push(std::isnan(item) ? Value() : text(covec::number_text(item)));
}

Value GrowingColumn::finish(Pool& pool) {
  if (kind_ == ColumnKind::unknown) become_real();
  known_.clear();
  switch (kind_) {
    case ColumnKind::text: return make_list(texts_.take());
    case ColumnKind::boolean: return tensor_of<bool>(pool, Dtype::boolean, integers_.take());
    case ColumnKind::integer: return tensor_of<int64_t>(pool, Dtype::i64, integers_.take());
    case ColumnKind::date: return date_column(tensor_of<double>(pool, Dtype::f64, reals_.take()));
    default: return tensor_of<double>(pool, Dtype::f64, reals_.take());
  }
}

// Texts that are dates throughout become dates.
void GrowingColumn::become_dates() {
  if (kind_ != ColumnKind::text || known_.empty()) return;
  std::unordered_map<const Object*, double> seconds;
  for (const auto& [word, value] : known_) {
    const auto date = word.size() < 7 ? std::nullopt : parsed_date(word);
    if (!date) return;
    seconds.emplace(value.object(), *date);
  }
  kind_ = ColumnKind::date;
  for (const Value& item : texts_.take()) reals_.push(item.is_none() ? missing : seconds.at(item.object()));
}

std::vector<std::string> distinct_names(std::vector<std::string> names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = "column_" + std::to_string(i + 1);
  }
  std::unordered_set<std::string_view> used;  // of `names` and `others`, whose strings stay where they are
  used.reserve(names.size());
  used.insert(names.begin(), names.end());
  if (used.size() == names.size()) return names;
  std::vector<std::string> others;
  others.reserve(names.size());
  std::unordered_map<std::string_view, size_t> seen;
  for (const std::string& name : names) {
    size_t& count = seen[name];
    others.push_back(name);
    if (++count == 1) continue;
    std::string& other = others.back();
    for (;; ++count) {
      other = name + "_" + std::to_string(count);
      if (!used.contains(other)) break;
    }
    used.insert(other);
  }
  return others;
}

Value date_column(Value seconds) {
  static const auto layout = std::make_shared<const RecordLayout>(RecordLayout{{"seconds"}});
  return make_record(layout, {std::move(seconds)});
}

const Value* seconds_of_dates(const Value& column) {
  if (!column.is(ObjectKind::record) || column.record().items.size() != 1) return nullptr;
  return column.record().find("seconds");
}

bool is_text_column(const Value& value) {
  if (!value.is(ObjectKind::list)) return false;
  const std::vector<Value>& items = value.list().items();
  return std::all_of(items.begin(), items.end(),
                     [](const Value& item) { return item.is_none() || item.is(ObjectKind::string); });
}

std::string kind_of_column(const Value& value) {
  const auto vector = [](const Value& v) { return v.is_tensor() && v.tensor().rank() == 1; };
  if (vector(value)) return std::string(name_of(value.tensor().dtype()));
  if (is_text_column(value)) return "text";
  const Value* seconds = seconds_of_dates(value);
  return seconds != nullptr && vector(*seconds) && seconds->tensor().dtype() == Dtype::f64 ? "date" : "";
}

int64_t length_of_column(const Value& column) {
  if (column.is_tensor()) return column.tensor().dim(0);
  if (column.is(ObjectKind::list)) return static_cast<int64_t>(column.list().items().size());
  return seconds_of_dates(column)->tensor().dim(0);
}

int64_t rows_of(const Value& table) {
  return table.record().items.empty() ? 0 : length_of_column(table.record().items[0]);
}

}  // namespace covec::files
