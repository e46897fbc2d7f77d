// Special displays of the REPL: a figure of the module `plot` as a picture of dots and blocks, a table with text or
// dates in columns.
#pragma once

#include <optional>
#include <string>

#include "stdlib/value/context.hpp"

namespace covec {

// Nothing for what is neither, or cannot be drawn, and where no terminal is there.
std::optional<std::string> picture_of(const Value& value, const ops::Screen& screen);

}  // namespace covec
