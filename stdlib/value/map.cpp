// Looks up keys by hash. The hash table holds positions, so it is small and the keys stay in order. It is rebuilt when
// it is half full or when gaps are closed.
#include "stdlib/value/map.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"

namespace covec {

namespace {

constexpr uint64_t mixed(uint64_t number) {  // the finalizer of MurmurHash3 (Appleby)
  number = (number ^ (number >> 33)) * 0xff51afd7ed558ccdU;
  number = (number ^ (number >> 33)) * 0xc4ceb9fe1a85ec53U;
  return number ^ (number >> 33);
}

uint64_t hash_of(const Value& key) {
  if (key.is(ObjectKind::string)) return mixed(std::hash<std::string>()(key.string().text));
  if (key.tag() == Tag::boolean) return mixed(key.boolean() ? 0x9e3779b97f4a7c15U : 0x517cc1b727220a95U);
  if (key.is_integer()) return mixed(static_cast<uint64_t>(key.integer()));
  uint64_t hash = 0x2545f4914f6cdd1dU;
  for (const Value& part : key.tuple().items) hash = mixed(hash * 31 + hash_of(part));
  return hash;
}

}  // namespace

bool is_key(const Value& value) {
  if (value.is(ObjectKind::tuple)) {
    const std::vector<Value>& parts = value.tuple().items;
    return std::all_of(parts.begin(), parts.end(), is_key);
  }
  return value.is(ObjectKind::string) || value.tag() == Tag::boolean || value.is_integer();
}

bool same_key(const Value& a, const Value& b) {
  if (a.is_integer()) return b.is_integer() && a.integer() == b.integer();
  if (a.tag() == Tag::boolean) return b.tag() == Tag::boolean && a.boolean() == b.boolean();
  if (a.is(ObjectKind::string)) return b.is(ObjectKind::string) && a.string().text == b.string().text;
  if (!a.is(ObjectKind::tuple) || !b.is(ObjectKind::tuple)) return false;
  return std::equal(a.tuple().items.begin(), a.tuple().items.end(), b.tuple().items.begin(), b.tuple().items.end(),
                    same_key);
}

std::string key_text(const Value& key) {
  if (key.is(ObjectKind::string)) return quoted(key.string().text);
  if (key.tag() == Tag::boolean) return key.boolean() ? "true" : "false";
  if (key.is_integer()) return std::to_string(key.integer());
  std::string text = "(";
  const std::vector<Value>& parts = key.tuple().items;
  for (size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? ", " : "") + key_text(parts[i]);
  return text + (parts.size() == 1 ? ",)" : ")");
}

Map::Map(std::vector<Value> keys, std::vector<Value> values)
    : Object(ObjectKind::map), keys_(std::move(keys)), values_(std::move(values)), charge_(bytes()) {
  index_all();
}

size_t Map::bytes() const {
  return block_bytes(sizeof(Map)) + bytes_behind(keys_) + bytes_behind(values_) + bytes_behind(table_);
}

uint32_t Map::place_of(const Value& key) const {
  if (table_.empty()) {
    for (uint32_t place = 0; place < keys_.size(); ++place) {
      if (!keys_[place].is_unbound() && same_key(keys_[place], key)) return place;
    }
    return nowhere;
  }
  const size_t mask = table_.size() - 1;
  for (size_t at = static_cast<size_t>(hash_of(key)) & mask; table_[at] != nowhere; at = (at + 1) & mask) {
    const Value& there = keys_[table_[at]];
    if (!there.is_unbound() && same_key(there, key)) return table_[at];
  }
  return nowhere;
}

const Value* Map::find(const Value& key) const {
  const uint32_t place = place_of(key);
  return place == nowhere ? nullptr : &values_[place];
}

void Map::set_all(const Map& from) {
  for (size_t i = 0; i < from.keys().size(); ++i) set(from.keys()[i], from.values()[i]);
}

void Map::index(uint32_t place) {
  const size_t mask = table_.size() - 1;
  size_t at = static_cast<size_t>(hash_of(keys_[place])) & mask;
  while (table_[at] != nowhere) at = (at + 1) & mask;
  table_[at] = place;
}

void Map::index_all() {
  table_.clear();
  if (keys_.size() > max_searched) {
    table_.assign(std::bit_ceil(4 * keys_.size()), nowhere);
    for (uint32_t place = 0; place < keys_.size(); ++place) index(place);
  }
  charge_.change(bytes());
}

void Map::set(const Value& key, Value value) {
  if (Value* there = find(key)) {
    *there = std::move(value);
    return;
  }
  if (keys_.size() >= nowhere - 1) fail(message("map_size"));
  if (keys_.size() == keys_.capacity()) {
    const size_t room = std::max<size_t>(4, 2 * keys_.capacity());
    charge_.change(bytes() + 2 * block_bytes((room - keys_.size()) * sizeof(Value)));
    keys_.reserve(room);
    values_.reserve(room);
  }
  keys_.push_back(key);
  values_.push_back(std::move(value));
  const bool searched = keys_.size() <= max_searched;
  if (searched) return;
  if (table_.size() < 2 * keys_.size())
    gaps_ > 0 ? close_gaps() : index_all();
  else
    index(static_cast<uint32_t>(keys_.size() - 1));
}

Value Map::take(const Value& key) {
  const uint32_t place = place_of(key);
  Value value = std::exchange(values_[place], Value());
  keys_[place] = Value::unbound();
  ++gaps_;
  if (2 * gaps_ > keys_.size()) close_gaps();
  return value;
}

// Those that were there first stay in order.
void Map::close_gaps() {
  size_t to = 0;
  for (size_t from = 0; from < keys_.size(); ++from) {
    if (keys_[from].is_unbound()) continue;
    if (to != from) {
      keys_[to] = std::move(keys_[from]);
      values_[to] = std::move(values_[from]);
    }
    ++to;
  }
  keys_.resize(to);
  values_.resize(to);
  gaps_ = 0;
  index_all();
}

// What a map holds is the same with gaps and without.
Map& Map::closed() const {
  auto& self = const_cast<Map&>(*this);
  if (gaps_ > 0) self.close_gaps();
  return self;
}

Value make_map(std::vector<Value> keys, std::vector<Value> values) {
  return Value::adopt(new Map(std::move(keys), std::move(values)));
}

Value keys_of(const Value& tree) {
  if (tree.is(ObjectKind::map)) return make_list(map_of(tree).keys());
  std::vector<Value> names;
  for (const std::string& name : tree.record().layout->names) names.push_back(make_string(name));
  return make_list(std::move(names));
}

}  // namespace covec
