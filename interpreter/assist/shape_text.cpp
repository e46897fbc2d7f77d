#include "interpreter/assist/shape_text.hpp"

#include <algorithm>

#include "stdlib/value/callable.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

constexpr size_t max_items = 8;  // of a tuple or list

std::string nested(const Value& value, unsigned depth);

// All fields of a record, the first keys of a map.
std::string named_text(const Value& tree, unsigned depth) {
  const std::vector<Value>& items = *children(tree);
  if (items.empty() && tree.is(ObjectKind::map)) return "empty map";
  const size_t shown = tree.is(ObjectKind::map) ? std::min(items.size(), max_items) : items.size();
  std::string text;
  for (size_t i = 0; i < shown; ++i)
    text += (text.empty() ? "" : ", ") + child_label(tree, i) + nested(items[i], depth);
  return "{" + text + (shown < items.size() ? ", …}" : "}");
}

// "f64[2], i64"; items that are all alike are said once.
std::string items_text(const std::vector<Value>& items, unsigned depth) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(items.size(), max_items); ++i) texts.push_back(nested(items[i], depth));
  if (items.size() > max_items) texts.emplace_back("…");
  std::string text;
  for (const std::string& item : texts) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string list_text(const std::vector<Value>& items, unsigned depth) {
  if (items.empty()) return "empty list";
  const std::string first = nested(items.front(), depth);
  const bool alike = std::all_of(items.begin(), items.end(), [&](const Value& v) { return nested(v, depth) == first; });
  const std::string count = "list of " + std::to_string(items.size());
  return alike ? count + " " + first : count + ": " + items_text(items, depth);
}

std::string nested(const Value& value, unsigned depth) {
  constexpr unsigned deepest = 8;  // levels
  if (depth == deepest) return describe(value);
  if (has_named_children(value)) return named_text(value, depth + 1);
  if (value.is(ObjectKind::tuple)) return "(" + items_text(value.tuple().items, depth + 1) + ")";
  if (value.is(ObjectKind::list)) return list_text(value.list().items(), depth + 1);
  if (value.is(ObjectKind::function)) return value.function().signature();
  return describe(value);
}

}  // namespace

std::string shape_text(const Value& value) { return nested(value, 0); }

}  // namespace covec
