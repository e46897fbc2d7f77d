// Splits the arguments of a Sample's text, for the manual and the generated tests.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace covec::ops {

// Where the commas stand that are inside no bracket or string.
std::vector<size_t> commas_of(std::string_view text);
// "axis=0".
bool is_keyword(std::string_view argument);

}  // namespace covec::ops
