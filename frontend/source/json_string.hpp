// Strings of JSON.
#pragma once

#include <string>
#include <string_view>

namespace covec {

// In quotes. Bytes that are no UTF-8, as names of files may have, become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace covec
