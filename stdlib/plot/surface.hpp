// A surface over the plane, seen from aside: with axes of its own, in three dimensions.
#pragma once

#include "stdlib/plot/frame.hpp"

namespace covec::plot {

void draw_surface(const Mark& mark, const Axes& axes, Box box, Canvas& canvas, const Theme& theme, bool sketch);

}  // namespace covec::plot
