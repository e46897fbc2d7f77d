// Raw: a Value that travels in two registers. Value has a destructor, so functions would return it through memory. The
// walker's hot path returns Raw. The receiver owns its reference: wrap it with own() before anything can throw.
#pragma once

#include <cstring>

#include "stdlib/value/value.hpp"

namespace covec {

struct Raw {
  Tag tag;
  union {
    int64_t i64;
    double f64;
    Object* object;
  };
};
static_assert(sizeof(Raw) == sizeof(Value));

inline Value own(Raw raw) noexcept {
  if (raw.tag == Tag::object) return Value::adopt(raw.object);
  Value value;
  std::memcpy(static_cast<void*>(&value), &raw, sizeof raw);  // a number: bits only
  return value;
}
inline Raw give(Value&& value) noexcept {
  Raw raw;
  std::memcpy(&raw, static_cast<const void*>(&value), sizeof raw);
  value.detach();
  return raw;
}
inline Raw share(const Value& value) noexcept {
  Raw raw;
  std::memcpy(&raw, static_cast<const void*>(&value), sizeof raw);
  if (raw.tag == Tag::object) retain(raw.object);
  return raw;
}
inline Raw number(const Value& value) noexcept {  // of one that is no object
  Raw raw;
  std::memcpy(&raw, static_cast<const void*>(&value), sizeof raw);
  return raw;
}
inline Raw raw_i64(int64_t number) noexcept {
  Raw raw;
  raw.tag = Tag::i64;
  raw.i64 = number;
  return raw;
}
inline Raw raw_f64(double number) noexcept {
  Raw raw;
  raw.tag = Tag::f64;
  raw.f64 = number;
  return raw;
}
inline Raw raw_bool(bool truth) noexcept {
  Raw raw;
  raw.tag = Tag::boolean;
  raw.i64 = truth;
  return raw;
}

}  // namespace covec
