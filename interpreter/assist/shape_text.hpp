// Describes a value with all its shapes: "{w: f64[3, 2], b: f64[2]}"; a function by its signature.
#pragma once

#include <string>

#include "stdlib/value/value.hpp"

namespace covec {

std::string shape_text(const Value& value);

}  // namespace covec
