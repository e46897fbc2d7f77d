// Describes in words where two values first differ in a bit; nothing if they are the same. All NaNs are one value.
#pragma once

#include <optional>
#include <string>

#include "stdlib/value/value.hpp"

namespace covec {

// `place` is what the values are called: "p.w".
std::optional<std::string> difference(const Value& a, const Value& b, const std::string& place);

}  // namespace covec
