// Map: values by key, in order of insertion. A key is a string, an integer, a bool, or a tuple of keys. An i32 and an
// i64 of one value are one key; a bool is another. A map is a value like a record: a copy shares, a writer copies first
// if it is shared, and a walk over trees visits its values in order. Small maps are searched key by key; larger ones
// have a hash table of positions (linear probing). A removed key leaves a gap. Gaps close when the values are requested
// as an array, or when half of the positions are gaps. Start at Map.
#pragma once

#include <vector>

#include "stdlib/value/tree.hpp"

namespace covec {

bool is_key(const Value& value);
bool same_key(const Value& a, const Value& b);
// As a literal has it: "a", 3, (1, 2).
std::string key_text(const Value& key);

class Map : public Object {
 public:
  Map() : Object(ObjectKind::map), charge_(bytes()) {}
  // Keys that differ, and as many values.
  Map(std::vector<Value> keys, std::vector<Value> values);

  size_t size() const { return keys_.size() - gaps_; }
  const Value* find(const Value& key) const;
  Value* find(const Value& key) { return const_cast<Value*>(std::as_const(*this).find(key)); }
  // A new key comes last, one that is there keeps its place.
  void set(const Value& key, Value value);
  void set_all(const Map& from);
  // The value that was there; the key must be.
  Value take(const Value& key);

  // Side by side, in order.
  const std::vector<Value>& keys() const { return closed().keys_; }
  std::vector<Value>& values() { return closed().values_; }
  const std::vector<Value>& values() const { return closed().values_; }

 private:
  static constexpr uint32_t nowhere = UINT32_MAX;
  // Keys that are compared one by one; more have an index.
  static constexpr size_t max_searched = 8;
  uint32_t place_of(const Value& key) const;
  Map& closed() const;
  void close_gaps();
  void index_all();
  void index(uint32_t place);
  size_t bytes() const;

  std::vector<Value> keys_;  // unbound: a gap
  std::vector<Value> values_;
  std::vector<uint32_t> table_;  // places by hash; a power of two, empty for few keys
  size_t gaps_ = 0;
  MemoryCharge charge_;
};

Value make_map(std::vector<Value> keys, std::vector<Value> values);
inline Map& map_of(const Value& value) { return *static_cast<Map*>(value.object()); }

// The keys of a map, or the names of a record's fields, as a list.
Value keys_of(const Value& tree);

}  // namespace covec
