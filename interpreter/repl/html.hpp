// Markdown as a page of HTML that stands alone: what it has in it at the side, programs in colour, for light and dark
// screens.
#pragma once

#include <string>

namespace covec {

std::string html_of(const std::string& title, const std::string& markdown);

}  // namespace covec
