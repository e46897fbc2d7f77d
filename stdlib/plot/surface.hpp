// Draws a surface over the plane, seen from the side, with three-dimensional axes of its own.
#pragma once

#include "stdlib/plot/frame.hpp"

namespace covec::plot {

void draw_surface(const Mark& mark, const Axes& axes, Box box, Canvas& canvas, const Theme& theme, bool sketch);

}  // namespace covec::plot
