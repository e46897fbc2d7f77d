#include "stdlib/plot/frame.hpp"

#include <algorithm>

#include "stdlib/canvas/clip.hpp"
#include "stdlib/plot/flatten.hpp"

namespace covec::plot {

const Theme& theme_of(bool dark) {
  static constexpr Theme themes[] = {{false, rgb(0xffffff), rgb(0x1a1a1a), rgb(0x4a4a4a), rgb(0x4a4a4a), rgb(0xe6e6e6)},
                                     {true, rgb(0x15171c), rgb(0xe9eaec), rgb(0xb4b8c0), rgb(0x8b9099), rgb(0x2d3038)}};
  return themes[dark ? 1 : 0];
}

Color ink_of(const Mark& mark, const Theme& theme, double otherwise) {
  const Color color = mark.color.value_or(series_color(mark.number, theme.dark));
  return color.with_alpha(color.alpha * (mark.alpha >= 0 ? mark.alpha : otherwise));
}

namespace {

void paint(const Mark& mark, Frame& frame) {
  switch (mark.kind) {
    case Kind::line: return draw_line(mark, frame);
    case Kind::scatter: return draw_scatter(mark, frame);
    case Kind::hist: return draw_hist(mark, frame);
    case Kind::bar: return draw_bars(mark, frame);
    case Kind::errorbar: return draw_errorbar(mark, frame);
    case Kind::fill: return draw_fill(mark, frame);
    case Kind::heatmap: return draw_heatmap(mark, frame);
    case Kind::contour: return draw_contour(mark, frame);
    case Kind::image: return draw_image(mark, frame);
    case Kind::quiver: return draw_quiver(mark, frame);
    case Kind::sparsity: return draw_sparsity(mark, frame);
    case Kind::surface: return;  // has no axes of the plane: surface.hpp
  }
}

}  // namespace

void draw(const Mark& mark, Frame& frame) {
  frame.canvas.look();
  std::vector<Item>& items = frame.canvas.items;
  const size_t first = items.size();
  paint(mark, frame);
  const auto gone = [&](Item& item) { return !keep_near(item, frame.box); };
  items.erase(std::remove_if(items.begin() + static_cast<ptrdiff_t>(first), items.end(), gone), items.end());
  flatten_many(frame, first);
}

double Coloring::share(double v) const {
  if (log && !(v > 0)) return NAN;
  if (log) return (std::log(v) - std::log(range.low)) / (std::log(range.high) - std::log(range.low));
  return (v / 2 - range.low / 2) / (range.high / 2 - range.low / 2);
}

Color Coloring::color(double v) const {
  const double at = share(v);
  return std::isnan(at) || !std::isfinite(v) ? Color{} : color_at(*map, at);
}

double marker_size(size_t count) {
  if (count <= 200) return 6;
  return std::max(1.2, 6 * std::pow(200.0 / static_cast<double>(count), 0.22));
}

double marker_alpha(size_t count) {
  if (count <= 200) return 0.9;
  return std::max(0.12, 0.9 * std::pow(200.0 / static_cast<double>(count), 0.24));
}

double bar_width(const Mark& mark) {
  if (mark.width > 0) return mark.width;
  double least = INFINITY;
  std::vector<double> sorted(mark.x.all().begin(), mark.x.all().end());
  std::erase_if(sorted, [](double v) { return !std::isfinite(v); });
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] > sorted[i - 1]) least = std::min(least, sorted[i] - sorted[i - 1]);
  }
  return 0.8 * (std::isfinite(least) ? least : 1);
}

namespace {

std::vector<double> linear_edges(std::span<const double> places) {
  const size_t n = places.size();
  if (n == 0) return {};
  if (n == 1) return {places[0] - 0.5, places[0] + 0.5};
  std::vector<double> edges(n + 1);
  for (size_t i = 1; i < n; ++i) edges[i] = places[i - 1] / 2 + places[i] / 2;
  edges[0] = places[0] - (edges[1] - places[0]);
  edges[n] = places[n - 1] + (places[n - 1] - edges[n - 1]);
  return edges;
}

}  // namespace

std::vector<double> cell_edges(const Numbers& places, Scale scale) {
  if (scale != Scale::log) return linear_edges(places.all());
  std::vector<double> powers;
  for (const double place : places.all()) {
    if (place > 0) powers.push_back(std::log(place));
  }
  std::vector<double> edges = linear_edges(powers);
  for (double& edge : edges) edge = std::exp(edge);
  if (!edges.empty()) edges.insert(edges.begin(), places.size() - powers.size(), edges.front());
  return edges;
}

double longest_arrow(const Mark& mark) {
  double most = 0;
  for (size_t i = 0; i < mark.u.size(); ++i) {
    const double length = std::hypot(mark.u[i], mark.v[i]);
    if (std::isfinite(length)) most = std::max(most, length);
  }
  return most;
}

namespace {

class Covering {
 public:
  Covering(Scale x, Scale y) : x_(x), y_(y) {}
  void add_x(double v) { add(cover_.x, x_, v); }
  void add_y(double v) { add(cover_.y, y_, v); }
  void add_all_x(const Numbers& all) {
    for (const double v : all.all()) add_x(v);
  }
  void add_all_y(const Numbers& all) {
    for (const double v : all.all()) add_y(v);
  }
  Cover& cover() { return cover_; }
  Scale x_scale() const { return x_; }
  Scale y_scale() const { return y_; }

 private:
  static void add(Extent& extent, Scale scale, double v) {
    if (scale != Scale::log || v > 0) extent.add(v);
  }
  Scale x_, y_;
  Cover cover_;
};

void cover_cells(const Mark& mark, Covering& c) {
  const std::vector<double> columns = cell_edges(mark.x, c.x_scale()), rows = cell_edges(mark.y, c.y_scale());
  for (const double v : columns) c.add_x(v);
  for (const double v : rows) c.add_y(v);
  c.cover().tight_x.assign({c.cover().x.low, c.cover().x.high});
  c.cover().tight_y.assign({c.cover().y.low, c.cover().y.high});
}

void cover_sides(const Mark& mark, Covering& c) {
  c.add_all_x(mark.x);
  c.add_all_y(mark.y);
  c.cover().tight_x.assign({c.cover().x.low, c.cover().x.high});
  c.cover().tight_y.assign({c.cover().y.low, c.cover().y.high});
}

void cover_bars(const Mark& mark, Covering& c) {
  const double half = bar_width(mark) / 2;
  const auto along = [&](double v) { mark.horizontal ? c.add_y(v) : c.add_x(v); };
  const auto up = [&](double v) { mark.horizontal ? c.add_x(v) : c.add_y(v); };
  for (size_t i = 0; i < mark.x.size(); ++i) {
    along(mark.x[i] - half);
    along(mark.x[i] + half);
    up(mark.base.each(i, 0));
    up(mark.base.each(i, 0) + mark.y[i]);
  }
  (mark.horizontal ? c.cover().tight_x : c.cover().tight_y).push_back(0);
}

void cover_hist(const Mark& mark, Covering& c) {
  c.add_all_x(mark.edges);
  c.add_all_y(mark.y);
  c.add_y(0);
  c.cover().tight_y.push_back(0);
  if (c.y_scale() == Scale::log) c.add_y(c.cover().y.low / 2);  // the lowest bin is seen, too
}

void cover_errors(const Mark& mark, Covering& c) {
  for (size_t i = 0; i < mark.x.size(); ++i) {
    for (const double x : {mark.x[i] - mark.x_less.each(i, 0), mark.x[i] + mark.x_more.each(i, 0)}) c.add_x(x);
    for (const double y : {mark.y[i] - mark.y_less.each(i, 0), mark.y[i] + mark.y_more.each(i, 0)}) c.add_y(y);
  }
}

void cover_fill(const Mark& mark, Covering& c) {
  c.add_all_x(mark.x);
  c.add_all_y(mark.y);
  if (!mark.u.empty()) return c.add_all_y(mark.u);
  c.add_y(0);
  c.cover().tight_y.push_back(0);
}

// Where nobody says how long arrows are, the page does (draw_quiver): about as far as points are apart, which is this
// part of a usual page's width or height. The axis grows with them.
double arrow_reach(const Mark& mark, const Extent& extent, double part) {
  if (mark.length > 0) return mark.length;
  const double share = std::min(part / std::sqrt(std::max<double>(1, static_cast<double>(mark.x.size()))), 0.5);
  return share / (1 - share) * (extent.high - extent.low) / longest_arrow(mark);
}

void cover_arrows(const Mark& mark, Covering& c) {
  c.add_all_x(mark.x);
  c.add_all_y(mark.y);
  const double by_x = arrow_reach(mark, c.cover().x, 0.85), by_y = arrow_reach(mark, c.cover().y, 1.2);
  for (size_t i = 0; i < mark.x.size(); ++i) {
    if (c.x_scale() == Scale::linear || mark.length > 0) c.add_x(mark.x[i] + by_x * mark.u[i]);
    if (c.y_scale() == Scale::linear || mark.length > 0) c.add_y(mark.y[i] + by_y * mark.v[i]);
  }
}

}  // namespace

Cover cover_of(const Mark& mark, Scale x, Scale y) {
  Covering c(x, y);
  switch (mark.kind) {
    case Kind::line:
    case Kind::scatter:
      c.add_all_x(mark.x);
      c.add_all_y(mark.y);
      break;
    case Kind::hist: cover_hist(mark, c); break;
    case Kind::bar: cover_bars(mark, c); break;
    case Kind::errorbar: cover_errors(mark, c); break;
    case Kind::fill: cover_fill(mark, c); break;
    case Kind::heatmap:
    case Kind::image:
    case Kind::sparsity: cover_cells(mark, c); break;
    case Kind::contour:
    case Kind::surface: cover_sides(mark, c); break;
    case Kind::quiver: cover_arrows(mark, c); break;
  }
  return c.cover();
}

}  // namespace covec::plot
