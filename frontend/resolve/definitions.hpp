// Parts of a text: a program of which only the definitions are left, for tools that look at its functions without
// running it, and where its statements stand.
#pragma once

#include <string>
#include <vector>

#include "frontend/source/source.hpp"

namespace covec {

// The text with its imports, its functions, and its names of literals, all where they were; the rest of the module's
// own statements is blank. What only those bind stays a name of the module, and gets no value. "" of a text with syntax
// errors.
std::string definitions_of(const SourceMap& sources, uint32_t file, size_t stack);

// The statements that stand outside of all others. None of a text with syntax errors.
std::vector<Span> statements_of(SourceMap& sources, uint32_t file);

}  // namespace covec
