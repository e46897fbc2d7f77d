// Tables of HTML: of a tensor's elements and of a table's rows. A large one is cut, and says how much is left out. It
// has no scripts and no colours, so that it suits light and dark pages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stdlib/value/value.hpp"

namespace covec::display {

// A tensor or complex tensor; nothing for other values, and where there are no elements.
std::optional<std::string> html_of_tensor(const Value& value);
// A record of columns (plot::is_table).
std::string html_of_table(const Value& table);
// A figure's document inside of an image, which pages show as it is: they may change or drop elements of SVG.
std::string html_of_picture(std::string_view svg);

}  // namespace covec::display
