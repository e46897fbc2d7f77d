// Draws bars and histograms: rectangles that stand on a base.
#include <algorithm>

#include "stdlib/plot/frame.hpp"

namespace covec::plot {

namespace {

class Rectangles {
 public:
  Rectangles(const Mark& mark, Frame& frame, bool upright) : frame_(frame), upright_(upright) {
    path_.closed = true;
    path_.fill = ink_of(mark, frame.theme, 1);
    path_.stroke = frame.sketch ? Stroke{} : Stroke{frame.theme.page, 0.7};  // a hair between neighbours
    path_.clip = frame.clip;
  }
  // From `low` to `high` along the axis of places, from `base` to `top` along the other.
  void add(double low, double high, double base, double top) {
    const Axis &along = upright_ ? frame_.x : frame_.y, &up = upright_ ? frame_.y : frame_.x;
    const auto foot = [&](double v) { return up.scale == Scale::log && v <= 0 ? up.low : v; };
    const double a = along.place(low), b = along.place(high), c = up.place(foot(base)), d = up.place(foot(top));
    if (std::isnan(a) || std::isnan(b) || std::isnan(c) || std::isnan(d) || c == d) return;
    if (std::abs(a - b) < 3) path_.stroke = {};
    path_.begin();
    for (const auto& [p, q] : {std::pair(a, c), std::pair(b, c), std::pair(b, d), std::pair(a, d)})
      path_.add(upright_ ? Point{p, q} : Point{q, p});
  }
  void finish() {
    if (!path_.points.empty()) frame_.canvas.items.emplace_back(std::move(path_));
  }

 private:
  Frame& frame_;
  bool upright_;
  Path path_;
};

}  // namespace

void draw_bars(const Mark& mark, Frame& frame) {
  Rectangles rectangles(mark, frame, !mark.horizontal);
  const double width = bar_width(mark), each = width / mark.parts;
  for (size_t i = 0; i < mark.x.size(); ++i) {
    const double low = mark.x[i] - width / 2 + mark.part * each, base = mark.base.each(i, 0);
    rectangles.add(low, low + each, base, base + mark.y[i]);
  }
  rectangles.finish();
}

void draw_hist(const Mark& mark, Frame& frame) {
  Rectangles rectangles(mark, frame, true);
  for (size_t i = 0; i + 1 < mark.edges.size(); ++i) rectangles.add(mark.edges[i], mark.edges[i + 1], 0, mark.y[i]);
  rectangles.finish();
}

}  // namespace covec::plot
