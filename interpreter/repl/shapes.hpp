// What a value is, with the shapes of all that lies in it: "{w: f64[3, 2], b: f64[2]}"; of a function its signature.
#pragma once

#include <string>

#include "stdlib/value/value.hpp"

namespace covec {

std::string shape_text(const Value& value);

}  // namespace covec
