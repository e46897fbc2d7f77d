// The blanks between two tokens of a line, by their roles.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontend/format/lines.hpp"

namespace covec::format {

// 0 or 1.
uint32_t blanks_between(const Item& left, const Item& right, std::string_view text);

}  // namespace covec::format
