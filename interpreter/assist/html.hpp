// Renders Markdown as a self-contained HTML page: a table of contents at the side, programs in colour, for light and
// dark screens.
#pragma once

#include <string>

namespace covec {

std::string html_of(const std::string& title, const std::string& markdown);

}  // namespace covec
