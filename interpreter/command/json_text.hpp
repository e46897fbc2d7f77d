// Diagnostics as JSON, for editors and other tools: one object a line. docs/tools.md has the schema.
#pragma once

#include <string>

#include "frontend/source/diagnostic.hpp"

namespace covec {

// With a line's end; in place of render().
std::string json_of(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace covec
