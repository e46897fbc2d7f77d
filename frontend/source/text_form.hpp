// Writes values for the dumps, in a form that reads back as the same value.
#pragma once

#include <string>
#include <string_view>

namespace covec {

std::string quoted_text(std::string_view text);  // "a\"b"
std::string real_text(double value);             // the shortest that reads back, with a dot or exponent

}  // namespace covec
