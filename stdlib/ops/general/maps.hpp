// Keys of maps, for operators and the engine.
#pragma once

#include <string>

#include "stdlib/value/map.hpp"

namespace covec::ops {

// The value as a key, out of what transformations have wrapped around it. Throws key_kind where it is none, and what
// leaves the statement to the interpreter where only the run knows it.
Value key_of(const Value& value);
// "it has "a", "b"": for errors.
std::string some_keys(const Value& tree);
// Adds all of a map. Throws spread_into_map where it is none.
void spread_into(Map& map, const Value& from);

}  // namespace covec::ops
