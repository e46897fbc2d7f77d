// Writes a figure as lines of text.
#pragma once

#include "stdlib/plot/figure.hpp"
#include "stdlib/value/context.hpp"

namespace covec::plot {

struct TextOptions {
  int columns = 80, rows = 24;
  bool colors = false;
  const ops::Context* context = nullptr;  // whose interrupt is looked at
};

// What suits a terminal, or 80 × 24 characters without colours where there is none.
TextOptions options_for(const ops::Screen& screen);
std::string draw_text(Figure& figure, const TextOptions& options);

}  // namespace covec::plot
