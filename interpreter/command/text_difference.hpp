// Shows what formatting changes, as a unified diff.
#pragma once

#include <string>
#include <string_view>

namespace covec {

// Of two texts that differ in blanks and line ends alone. "" where they are the same.
std::string unified_difference(const std::string& name, std::string_view before, std::string_view after);

}  // namespace covec
