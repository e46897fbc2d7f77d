// Literals with spread parts: {...p, b: 2}, (*a, b). The operator gets the parts in turn, each with a marker. For a
// record it is the name, or none for a spread part; for a tuple it says whether the item is spread.
#include <algorithm>
#include <unordered_map>

#include "stdlib/kernels/collect.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/maps.hpp"
#include "stdlib/ops/general/sequences.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

class Fields {
 public:
  void set(const std::string& name, const Value& value) {
    const size_t at = place_of(name);
    if (at < names.size()) {
      values[at] = value;
      return;
    }
    if (!places_.empty()) places_.emplace(name, at);
    names.push_back(name);
    values.push_back(value);
  }
  std::vector<std::string> names;
  std::vector<Value> values;

 private:
  // names.size() where it is new.
  size_t place_of(const std::string& name) {
    constexpr size_t few = 16;  // names; up to here they are compared one by one
    if (names.size() <= few) return static_cast<size_t>(std::ranges::find(names, name) - names.begin());
    if (places_.empty()) {
      for (size_t i = 0; i < names.size(); ++i) places_.emplace(names[i], i);
    }
    const auto found = places_.find(name);
    return found == places_.end() ? names.size() : found->second;
  }
  std::unordered_map<std::string, size_t> places_;  // once there are many
};

Value spread_maps(std::span<Value> parts) {
  Value out = make_map({}, {});
  for (size_t i = 1; i < parts.size(); i += 2) {
    spread_into(map_of(out), parts[i]);
  }
  return out;
}

bool all_spread(std::span<const Value> parts) {
  for (size_t i = 0; i < parts.size(); i += 2) {
    if (!parts[i].is_none()) return false;
  }
  return true;
}

// Where all is spread, it is the kind of what is spread first.
Value spread_fields(Builder&, Call& call) {
  const std::span<Value> parts = call.rest;
  if (all_spread(parts) && parts[1].is(ObjectKind::map)) return spread_maps(parts);
  Fields fields;
  for (size_t i = 0; i + 1 < parts.size(); i += 2) {
    if (!parts[i].is_none()) {
      fields.set(parts[i].string().text, parts[i + 1]);
      continue;
    }
    const Value& from = parts[i + 1];
    if (!from.is(ObjectKind::record))
      fail(all_spread(parts) && !from.is(ObjectKind::map) ? message("spread_kind") : message("spread_into_record"),
           {describe(from)}, {{static_cast<int>(call.args.size() + i + 1), ""}});
    for (size_t k = 0; k < from.record().items.size(); ++k)
      fields.set(from.record().layout->names[k], from.record().items[k]);
  }
  auto layout = std::make_shared<RecordLayout>();
  layout->names = std::move(fields.names);
  return make_record(std::move(layout), std::move(fields.values));
}

}  // namespace

std::vector<Value> spread_items(Builder& b, const Call& call) {
  std::vector<Value> items;
  size_t count = 0;
  for (size_t i = 0; i + 1 < call.rest.size(); i += 2) {
    const std::vector<Value>* const row = call.rest[i].boolean() ? children(call.rest[i + 1]) : nullptr;
    count += row == nullptr ? 1 : row->size();
  }
  kernels::need_items(static_cast<int64_t>(count), items);
  for (size_t i = 0; i + 1 < call.rest.size(); i += 2) {
    const Value& part = call.rest[i + 1];
    if (!call.rest[i].boolean())
      items.push_back(part);
    else
      append_items(b, call, static_cast<unsigned>(call.args.size() + i + 1), items);
  }
  return items;
}

namespace {

Value spread_tuple(Builder& b, Call& call) { return make_tuple(spread_items(b, call)); }

Entry spread_entry(std::string_view name, std::string_view doc, Value (*eager)(Builder&, Call&)) {
  return Entry{
      .name = name,
      .doc = doc,
      .parameters = {{.name = "parts", .kind = ParameterKind::any, .required = false}},
      .variadic = true,
      .eager = eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .internal = true,
      .staging = Staging::structural,
  };
}

}  // namespace

const Entry& spread_fields_entry() {
  static const Entry entry =
      spread_entry("spread_fields", "{...p, b: 2}: the fields of p, with others in their place.", spread_fields);
  return entry;
}

const Entry& spread_tuple_entry() {
  static const Entry entry = spread_entry("spread_tuple", "(*a, b): the items of a and what follows.", spread_tuple);
  return entry;
}

Family general_spreads_entries() {
  static const Entry* const entries[] = {&spread_fields_entry(), &spread_tuple_entry()};
  return entries;
}

}  // namespace covec::ops
