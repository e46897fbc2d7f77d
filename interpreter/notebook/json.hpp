// JSON as `covec kernel` reads and writes it.
#pragma once

#include <nlohmann/json.hpp>

namespace covec::notebook {

using Json = nlohmann::json;

// A field of an object; null: it has none. (`value()` copies, level by level, what a line may nest deeply.)
inline const Json& field_of(const Json& object, const char* name) {
  static const Json none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

// What the answers to a request repeat: a number or a text.
inline Json id_of(const Json& request) {
  const Json& id = field_of(request, "id");
  return id.is_primitive() ? id : Json();
}

}  // namespace covec::notebook
