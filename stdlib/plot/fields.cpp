#include "stdlib/plot/fields.hpp"

#include <algorithm>

#include "stdlib/files/columns.hpp"
#include "stdlib/files/file.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/text/calendar.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::plot {

namespace {

double scalar(const Value& v) { return v.real(); }

Numbers elements_of(const Value& value) {
  const Value rows = contiguous(value.tensor().pool(), value);
  const Tensor& tensor = rows.tensor();
  const auto size = static_cast<size_t>(tensor.size());
  if (tensor.dtype() == Dtype::f64) return {rows, {tensor.as<double>(), size}};
  std::vector<double> own(size);
  const size_t bytes = size_of(tensor.dtype());
  for (size_t i = 0; i < size; ++i) own[i] = real_at(tensor.dtype(), tensor.data() + i * bytes);
  return Numbers(std::move(own));
}

const std::vector<Value>* items_of(const Value& value) {
  return value.is(ObjectKind::list) || value.is(ObjectKind::tuple) ? children(value) : nullptr;
}

bool all_scalars(const std::vector<Value>& items) {
  return std::all_of(items.begin(), items.end(), [](const Value& v) { return v.is_scalar(); });
}
bool all_texts(const std::vector<Value>& items) {
  return std::all_of(items.begin(), items.end(), [](const Value& v) { return v.is(ObjectKind::string); });
}

std::optional<std::vector<double>> dates_of(const std::vector<Value>& texts) {
  std::vector<double> dates;
  for (const Value& text : texts) {
    const auto date = parsed_date(text.string().text);
    if (!date) return std::nullopt;
    dates.push_back(*date);
  }
  return dates;
}

// Four digits alone are as likely a name: texts of which none says a month are no dates.
bool only_years(const std::vector<Value>& texts) {
  return std::all_of(texts.begin(), texts.end(), [](const Value& t) { return t.string().text.size() <= 4; });
}

Numbers column_of(const Value& matrix, int64_t column) {
  const Tensor& t = matrix.tensor();
  std::vector<double> own;
  for (int64_t row = 0; row < t.dim(0); ++row) {
    const int64_t index[] = {row, column};
    own.push_back(real_at(t.dtype(), t.at(index)));
  }
  return Numbers(std::move(own));
}

std::string shown(const Value& value) {
  const std::vector<Value>* items = items_of(value);
  if (items != nullptr && items->size() <= 4 && value.is(ObjectKind::tuple)) {
    std::string text;
    for (const Value& item : *items) text += (text.empty() ? "(" : ", ") + shown(item);
    return text + ")";
  }
  if (value.is(ObjectKind::string)) return "\"" + value.string().text + "\"";
  if (value.tag() == Tag::boolean) return value.boolean() ? "true" : "false";
  if (value.is_scalar()) return number_text(scalar(value), 6);
  return describe(value);
}

}  // namespace

const Value* Fields::find(std::string_view name) const {
  const Value* value = record_.record().find(name);
  return value == nullptr || value->is_none() ? nullptr : value;
}

namespace {

struct OtherWord {
  std::string_view other, own;
};

// What Matplotlib calls them.
constexpr OtherWord other_words[] = {
    {"o", "circle"},
    {".", "circle"},
    {"s", "square"},
    {"D", "diamond"},
    {"d", "diamond"},
    {"^", "triangle"},
    {"v", "triangle"},
    {"+", "plus"},
    {"x", "cross"},
    {"X", "cross"},
    {"*", "star"},
    {"-", "solid"},
    {"--", "dashed"},
    {":", "dotted"},
    {"-.", "dashdot"},
    {"b", "blue"},
    {"g", "green"},
    {"r", "red"},
    {"k", "black"},
    {"w", "white"},
    {"y", "yellow"},
    {"gray", "grey"},
    {"c", "sky"},
    {"m", "purple"},
    {"viridis", "lagoon"},
    {"jet", "lagoon"},
    {"magma", "ember"},
    {"hot", "ember"},
    {"inferno", "ember"},
    {"plasma", "ember"},
    {"Blues", "ocean"},
    {"Greys", "grey"},
    {"binary", "grey"},
    {"coolwarm", "tide"},
    {"RdBu", "tide"},
    {"seismic", "tide"},
    {"hsv", "phase"},
    {"twilight", "phase"},
    {"upper left", "top left"},
    {"upper right", "top right"},
    {"lower left", "bottom left"},
    {"lower right", "bottom right"},
};

}  // namespace

void Fields::refuse(std::string_view name, std::string_view must_be, std::string_view hint) const {
  const Value* value = find(name);
  covec::fail(message("plot_argument"),
              {function_, std::string(name), std::string(must_be), value == nullptr ? "none" : shown(*value)}, {},
              std::string(hint));
}

std::string Fields::hint_for_word(std::string_view name, std::span<const std::string_view> words) const {
  const Value* value = find(name);
  if (value == nullptr || !value->is(ObjectKind::string)) return {};
  for (const auto& [other, own] : other_words) {
    if (other == value->string().text && std::ranges::find(words, own) != words.end())
      return "write " + std::string(name) + "=\"" + std::string(own) + "\"";
  }
  return {};
}

void Fields::fail(const std::string& what) const { covec::fail(message("plot_data"), {function_, what}); }

namespace {

// Whether a character breaks a line or moves a terminal's cursor: control characters, and Unicode's separators.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  if (character.size() == 2) return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
  return character == "\u2028" || character == "\u2029";
}

// What XML has no place for: U+FFFE and U+FFFF.
bool is_no_character(std::string_view character) { return character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf"; }

// A line as it can be drawn, written to a terminal, and be part of XML.
std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const size_t length = files::sequence_length(text);
    const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
    text.remove_prefix(character.size());
    const bool strange = is_no_character(character) || (length == 0 && character[0] != '\0');
    line += strange ? "\ufffd" : is_control(character) ? " " : std::string(character);
  }
  return line;
}

}  // namespace

std::string Fields::text(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return {};
  if (!value->is(ObjectKind::string)) refuse(name, "a string");
  return one_line(value->string().text);
}

std::optional<Numbers> Fields::vector_of(const Value& value) const {
  if (value.is_scalar()) return Numbers(std::vector<double>{scalar(value)});
  if (value.is_tensor() && value.tensor().rank() == 1) return elements_of(value);
  if (value.is_tensor() && value.tensor().rank() == 2 && column_ >= 0 && column_ < value.tensor().dim(1)) {
    return column_of(value, column_);
  }
  std::vector<double> own;
  if (value.is(ObjectKind::sequence)) {
    const auto* range = dynamic_cast<const Range*>(&value.sequence());
    if (range == nullptr) return std::nullopt;
    for (int64_t i = 0; i < range->length(); ++i) own.push_back(static_cast<double>(range->number(i)));
    return Numbers(std::move(own));
  }
  const std::vector<Value>* items = items_of(value);
  if (items == nullptr || !all_scalars(*items)) return std::nullopt;
  for (const Value& item : *items) own.push_back(scalar(item));
  return Numbers(std::move(own));
}

std::string Fields::label() const {
  const Value* value = find("label");
  const std::vector<Value>* items = value != nullptr && column_ >= 0 ? items_of(*value) : nullptr;
  if (items == nullptr) return text("label");
  if (static_cast<size_t>(column_) >= items->size() || !all_texts(*items)) refuse("label", "a string for each column");
  return one_line((*items)[static_cast<size_t>(column_)].string().text);
}

bool Fields::flag(std::string_view name, bool otherwise) const {
  const Value* value = find(name);
  if (value == nullptr) return otherwise;
  if (value->tag() != Tag::boolean) refuse(name, "true or false");
  return value->boolean();
}

double Fields::number(std::string_view name, double otherwise) const {
  const Value* value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_scalar() || !std::isfinite(scalar(*value))) refuse(name, "a finite number");
  return scalar(*value);
}

double Fields::positive(std::string_view name, double otherwise) const {
  const double x = number(name, otherwise);
  if (find(name) != nullptr && !(x > 0)) refuse(name, "a positive number");
  return x;
}

double Fields::share(std::string_view name, double otherwise) const {
  const double x = number(name, otherwise);
  if (find(name) != nullptr && !(x >= 0 && x <= 1)) refuse(name, "a number from 0 to 1");
  return x;
}

std::optional<Color> Fields::color(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is(ObjectKind::string)) refuse(name, "a string with a colour");
  const auto color = color_of(value->string().text);
  if (!color) refuse(name, "\"#rrggbb\" or one of " + listed(color_names()), hint_for_word(name, color_names()));
  return color;
}

std::optional<std::pair<double, double>> Fields::pair(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  constexpr std::string_view must_be = "a pair of finite numbers, the lower first";
  const std::vector<Value>* items = items_of(*value);
  if (items != nullptr && items->size() == 2 && all_texts(*items)) {
    const auto dates = dates_of(*items);
    if (!dates || !((*dates)[0] < (*dates)[1])) refuse(name, must_be);
    return std::pair((*dates)[0], (*dates)[1]);
  }
  const auto both = vector_of(*value);
  if (!both || both->size() != 2 || !std::isfinite((*both)[0]) || !std::isfinite((*both)[1]) ||
      !((*both)[0] < (*both)[1]))
    refuse(name, must_be);
  return std::pair((*both)[0], (*both)[1]);
}

std::optional<size_t> Fields::word(std::string_view name, std::span<const std::string_view> words) const {
  const Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is(ObjectKind::string)) {
    const auto at = std::find(words.begin(), words.end(), value->string().text);
    if (at != words.end()) return static_cast<size_t>(at - words.begin());
  }
  refuse(name, "one of " + listed(words), hint_for_word(name, words));
}

Numbers Fields::numbers(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return {};
  auto found = vector_of(*value);
  if (!found) refuse(name, "a vector of numbers");
  return std::move(*found);
}

Numbers Fields::vector(std::string_view name) const {
  if (find(name) == nullptr) refuse(name, "a vector of numbers");
  return numbers(name);
}

Numbers Fields::places(std::string_view name, bool& time, std::vector<std::string>* names) const {
  const Value* value = find(name);
  if (value == nullptr) refuse(name, "a vector of numbers");
  if (const Value* seconds = files::seconds_of_dates(*value); seconds != nullptr && vector_of(*seconds)) {
    time = true;
    return std::move(*vector_of(*seconds));
  }
  const std::vector<Value>* items = items_of(*value);
  if (items == nullptr || items->empty() || !all_texts(*items)) {
    auto found = vector_of(*value);
    if (!found) refuse(name, names != nullptr ? "a vector of numbers or texts" : "a vector of numbers or dates");
    return std::move(*found);
  }
  if (auto dates = dates_of(*items); dates && !(names != nullptr && only_years(*items))) {
    time = true;
    return Numbers(std::move(*dates));
  }
  if (names == nullptr) refuse(name, "a vector of numbers or dates (\"2024-03-31\")");
  std::vector<double> own;
  for (const Value& item : *items) {
    own.push_back(static_cast<double>(names->size()));
    names->push_back(one_line(item.string().text));
  }
  return Numbers(std::move(own));
}

Grid Fields::matrix(std::string_view name, bool channels) const {
  const Value* value = find(name);
  const auto fits = [&] {
    if (value == nullptr || !value->is_tensor()) return false;
    const Tensor& t = value->tensor();
    return t.rank() == 2 || (channels && t.rank() == 3 && (t.dim(2) == 1 || t.dim(2) == 3 || t.dim(2) == 4));
  };
  if (!fits())
    refuse(name, channels ? "a matrix, or a tensor of rows, columns and 1, 3 or 4 channels" : "a matrix of numbers");
  const Tensor& t = value->tensor();
  Grid grid;
  grid.rows = static_cast<size_t>(t.dim(0));
  grid.columns = static_cast<size_t>(t.dim(1));
  grid.channels = t.rank() == 3 ? static_cast<size_t>(t.dim(2)) : 1;
  grid.cells = elements_of(*value);
  return grid;
}

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += "\"" + std::string(words[i]) + "\"";
  }
  return text;
}

}  // namespace covec::plot
