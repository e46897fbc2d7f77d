// Measures texts in the metrics of DejaVu Sans, without the font. So layouts are the same in every format and on every
// machine.
#pragma once

#include <string>
#include <string_view>

namespace covec::plot {

// Parts of the size of the font.
inline constexpr double ascent = 0.76, descent = 0.24, cap_height = 0.729;
double text_width(std::string_view text, double size, bool bold = false);
// As much of the beginning of a text as fits into a width, and an ellipsis for the rest.
std::string elided(const std::string& text, double size, double width, bool bold = false);
// How far below its middle the baseline of a line of text lies.
inline double below_middle(double size) { return 0.36 * size; }

}  // namespace covec::plot
