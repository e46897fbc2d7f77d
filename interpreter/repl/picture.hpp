// A figure of the module `plot` as the REPL shows it: a picture of dots and blocks.
#pragma once

#include <optional>
#include <string>

#include "stdlib/value/context.hpp"

namespace covec {

// Nothing for what is no figure, or cannot be drawn, and where no terminal is there.
std::optional<std::string> picture_of(const Value& value, const ops::Screen& screen);

}  // namespace covec
