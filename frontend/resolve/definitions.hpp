// A program of which only the definitions are left, for tools that look at its functions without running it.
#pragma once

#include <string>

#include "frontend/source/source.hpp"

namespace covec {

// The text with its imports, its functions, and its names of literals, all where they were; the rest of the module's
// own statements is blank. What only those bind stays a name of the module, and gets no value. "" of a text with syntax
// errors.
std::string definitions_of(const SourceMap& sources, uint32_t file, size_t stack);

}  // namespace covec
