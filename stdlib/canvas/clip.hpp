// Clips lines and areas to a box. Points are clipped before any painter sees them. A zoomed page gives points as far
// away as f64 allows, and painters support coordinates of a few millions only.
#pragma once

#include "stdlib/canvas/canvas.hpp"

namespace covec::plot {

// What of a segment lies in a box; false: nothing.
bool clip_segment(Point& a, Point& b, const Box& box);
// The parts of a path that lie in a box: of an area its outline, closed along the box's edges; of a line what is left.
Path clipped(const Path& path, const Box& box);
// An item as it is seen in a box, cut only where it reaches far beyond; false where nothing is left.
bool keep_near(Item& item, const Box& box);

}  // namespace covec::plot
