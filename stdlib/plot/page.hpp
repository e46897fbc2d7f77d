// Lays a figure out on a page: the size, the margins, and aligned plots. It paints everything in order.
#pragma once

#include "stdlib/plot/figure.hpp"

namespace covec::plot {

struct PageOptions {
  double scale = 2;                       // pixels per unit, of parts that become pictures
  bool vector = false;                    // pixels are only those of such parts
  size_t max_marks = 10000;               // above it points do
  size_t max_items = SIZE_MAX;            // and above it all marks
  const ops::Context* context = nullptr;  // whose interrupt is looked at
};

inline constexpr double usual_scale = 2;  // pixels per unit: of screens with small pixels; lines of an SVG lie on them
// For an SVG, which keeps more marks as marks, because a viewer may enlarge them; else for a PNG.
PageOptions page_options(bool is_vector, double scale, const ops::Context& context);

Canvas draw_page(Figure& figure, const PageOptions& options);

}  // namespace covec::plot
