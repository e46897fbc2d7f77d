// Maps data to positions on the page: axes with their scales, and what a mark needs to paint itself.
#pragma once

#include <cmath>

#include "stdlib/plot/figure.hpp"

namespace covec::plot {

struct Theme {
  bool dark;
  Color page, text, ticks, axis, grid;
};
const Theme& theme_of(bool dark);

struct Axis {
  Scale scale = Scale::linear;
  double low = 0, high = 1;  // in the data's units; low < high
  double from = 0, to = 1;   // on the page
  bool reversed = false;     // the first row on top
  double share(double v) const {
    if (scale == Scale::log) return v > 0 ? (std::log(v) - std::log(low)) / (std::log(high) - std::log(low)) : NAN;
    return (v / 2 - low / 2) / (high / 2 - low / 2);  // halves: no difference overflows
  }
  // As far outside as it is (clip.hpp); what is not finite lies nowhere (NaN).
  double place(double v) const {
    const double s = reversed ? 1 - share(v) : share(v);
    return held(from + s * (to - from), v);
  }
  static double held(double p, double v) {
    if (std::abs(p) <= far) return p;
    return std::isnan(p) || !std::isfinite(v) ? NAN : std::copysign(far, p);
  }
  // Units of the page; 1/1000 of the largest f64, so that sums stay finite.
  static constexpr double far = 1e305;
};

// The same for many: what does not change is computed once.
class Placer {
 public:
  explicit Placer(const Axis& axis)
      : log_(axis.scale == Scale::log),
        low_((log_ ? std::log(axis.low) : axis.low) / 2),
        from_(axis.reversed ? axis.to : axis.from),
        factor_((axis.reversed ? axis.from - axis.to : axis.to - axis.from) /
                ((log_ ? std::log(axis.high) : axis.high) / 2 - low_)) {}
  double operator()(double v) const {
    const double at = !log_ ? v : v > 0 ? std::log(v) : NAN;
    return Axis::held(from_ + (at / 2 - low_) * factor_, v);
  }

 private:
  bool log_;
  double low_, from_, factor_;
};

struct Frame {
  Axis x, y;
  Box box;
  Canvas& canvas;
  const Theme& theme;
  int clip;
  bool sketch = false;  // for a terminal: no texts within, thin lines
  Point place(double px, double py) const { return {x.place(px), y.place(py)}; }
};

inline bool finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

// The colour of a mark that has none of its own, and as transparent as it says (or `otherwise`).
Color ink_of(const Mark& mark, const Theme& theme, double otherwise = 1);

// Paints a mark.
void draw(const Mark& mark, Frame& frame);

// One each, by the kinds of marks.
void draw_line(const Mark& mark, Frame& frame);
void draw_errorbar(const Mark& mark, Frame& frame);
void draw_fill(const Mark& mark, Frame& frame);
void draw_scatter(const Mark& mark, Frame& frame);
void draw_quiver(const Mark& mark, Frame& frame);
void draw_bars(const Mark& mark, Frame& frame);
void draw_hist(const Mark& mark, Frame& frame);
void draw_heatmap(const Mark& mark, Frame& frame);
void draw_image(const Mark& mark, Frame& frame);
void draw_sparsity(const Mark& mark, Frame& frame);
void draw_contour(const Mark& mark, Frame& frame);

// What a mark covers, and where an axis ends without room: at the foot of bars, at the edges of cells.
struct Cover {
  Extent x, y;
  std::vector<double> tight_x, tight_y;
};
Cover cover_of(const Mark& mark, Scale x, Scale y);
double bar_width(const Mark& mark);
double longest_arrow(const Mark& mark);
// The edges of cells around places: halfway between them, as the axis counts. On a logarithmic axis a place that is not
// positive has a cell of no width; none is left where no place is positive.
std::vector<double> cell_edges(const Numbers& places, Scale scale);

// The default diameter of that many markers, and how opaque they are.
double marker_size(size_t count);
double marker_alpha(size_t count);

inline constexpr float line_width = 1.6f;  // units of the page

}  // namespace covec::plot
