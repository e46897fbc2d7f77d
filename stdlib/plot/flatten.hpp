// Paints a mark of very many paths and markers as a picture, if a file of shapes would be too large.
#pragma once

#include "stdlib/plot/frame.hpp"

namespace covec::plot {

// Replaces the items from `first` on by pictures if they are more than Canvas::max_items.
void flatten_many(Frame& frame, size_t first);

}  // namespace covec::plot
