// Finds the columns of comments behind code. Two blanks stand before one, or more as it is written; comments of
// neighbouring lines that stood in one column stand in one column again. Start reading at align_comments.
#pragma once

#include <string_view>

#include "frontend/format/lines.hpp"

namespace covec::format {

// After the columns of all other items are known.
void align_comments(std::string_view text, Lines& lines);

}  // namespace covec::format
