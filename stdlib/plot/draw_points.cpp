// Draws points and arrows.
#include <algorithm>
#include <array>

#include "stdlib/canvas/raster.hpp"
#include "stdlib/plot/frame.hpp"

namespace covec::plot {

namespace {

bool is_plain(const Mark& mark) { return mark.sizes.size() <= 1 && (!mark.marker || *mark.marker == Shape::circle); }

// The packed colours of a map, what does not change computed once; 0 for what has no place on the scale.
class Shades {
 public:
  explicit Shades(const Coloring& coloring)
      : log_(coloring.log), low_(half(coloring.range.low)), factor_(255 / (half(coloring.range.high) - low_)) {
    for (size_t i = 0; i < colors_.size(); ++i) colors_[i] = packed((*coloring.map)[i]);
  }
  uint32_t operator()(double v) const {
    if (!std::isfinite(v) || (log_ && !(v > 0))) return 0;
    return colors_[static_cast<size_t>(std::clamp((half(v) - low_) * factor_, 0.0, 255.0) + 0.5)];
  }

 private:
  double half(double v) const { return (log_ ? std::log(v) : v) / 2; }
  bool log_;
  double low_, factor_;
  std::array<uint32_t, 256> colors_{};
};

void add_picture(Picture picture, Frame& frame) {
  picture.clip = frame.clip;
  frame.canvas.items.emplace_back(std::move(picture));
}

constexpr size_t piece = 1024;  // points, 16 KiB of them

// The places of so many points at a time; a NaN lies nowhere.
template <class F>
void each_piece(const Mark& mark, const Frame& frame, F use) {
  const Placer x(frame.x), y(frame.y);
  std::array<Point, piece> places;
  for (size_t from = 0; from < mark.x.size(); from += piece) {
    if (from % (64 * piece) == 0) frame.canvas.look();
    const size_t count = std::min(piece, mark.x.size() - from);
    for (size_t i = 0; i < count; ++i) places[i] = {x(mark.x[from + i]), y(mark.y[from + i])};
    use(from, std::span(places).first(count));
  }
}

void scatter_as_picture(const Mark& mark, Frame& frame, double size, double alpha) {
  Raster raster(frame.box, frame.canvas.scale);
  const Color ink = ink_of(mark, frame.theme, alpha);
  const bool shaded = mark.alpha < 0 && !(mark.color && mark.color->alpha < 1);
  shaded ? raster.begin_density(size) : raster.begin_discs(size, static_cast<double>(ink.alpha));
  each_piece(mark, frame, [&](size_t, std::span<const Point> places) { raster.add_discs(places); });
  add_picture(shaded ? raster.density(ink.with_alpha(1)) : raster.discs(ink), frame);
}

void colored_scatter_as_picture(const Mark& mark, Frame& frame, double size, double alpha) {
  Raster raster(frame.box, frame.canvas.scale);
  raster.begin_painting(size, alpha);
  const Shades shades(mark.coloring);
  std::array<uint32_t, piece> colors{};
  each_piece(mark, frame, [&](size_t from, std::span<Point> places) {
    for (size_t i = 0; i < places.size(); ++i) {
      colors[i] = shades(mark.values[from + i]);
      if (colors[i] == 0) places[i].x = NAN;
    }
    raster.paint_discs(places, std::span(colors).first(places.size()));
  });
  add_picture(raster.painted(), frame);
}

// The length on the page of the longest arrow: as far as neighbours are apart.
double arrow_room(const Mark& mark, const Frame& frame) {
  const double n = std::max<double>(1, static_cast<double>(mark.x.size()));
  return 0.95 * std::sqrt(frame.box.width() * frame.box.height() / n);
}

// A filled arrow from a to b: a shaft and a head, which shrinks with short ones.
void add_arrow(Path& path, Point a, Point b, double width) {
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (!(length > 0.5)) return;
  const double ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
  const double head = std::min(4.6 * width, 0.7 * length), wide = 0.42 * head, half = std::min(width / 2, wide * 0.6);
  const auto at = [&](double along, double across) {
    return Point{a.x + along * ux - across * uy, a.y + along * uy + across * ux};
  };
  path.begin();
  const double neck = length - head * 0.9;
  for (const Point p : {at(0, half), at(neck, half), at(length - head, wide), at(length, 0), at(length - head, -wide),
                        at(neck, -half), at(0, -half)})
    path.add(p);
}

}  // namespace

void draw_scatter(const Mark& mark, Frame& frame) {
  const size_t n = mark.x.size();
  const double size = mark.sizes.each(0, marker_size(n));
  const double alpha = mark.alpha >= 0 ? mark.alpha : marker_alpha(n);
  if (n > frame.canvas.max_marks && is_plain(mark) && Raster(frame.box, frame.canvas.scale).takes_discs(size))
    return (mark.colored() ? colored_scatter_as_picture : scatter_as_picture)(mark, frame, size, alpha);
  Markers markers;
  markers.shape = mark.marker.value_or(Shape::circle);
  markers.clip = frame.clip;
  for (size_t i = 0; i < n; ++i) {
    const Point p = frame.place(mark.x[i], mark.y[i]);
    if (!finite(p)) continue;
    if (mark.colored()) {
      const Color color = mark.coloring.color(mark.values[i]);
      if (!color.visible()) continue;
      markers.fills.push_back(color.with_alpha(alpha));
    }
    markers.at.push_back(p);
    if (mark.sizes.size() > 1) markers.sizes.push_back(static_cast<float>(mark.sizes[i]));
  }
  if (markers.at.empty()) return;
  if (!mark.colored()) markers.fills = {ink_of(mark, frame.theme, alpha)};
  if (mark.sizes.size() <= 1) markers.sizes = {static_cast<float>(size)};
  // A thin rim tells neighbours apart.
  if (n <= 1000 && !is_open(markers.shape) && size >= 4) markers.edge = {frame.theme.page, 0.6};
  frame.canvas.items.emplace_back(std::move(markers));
}

void draw_quiver(const Mark& mark, Frame& frame) {
  const double most = longest_arrow(mark);
  if (!(most > 0)) return;
  const double room = arrow_room(mark, frame), width = mark.width > 0 ? mark.width : std::clamp(room / 12, 0.8, 2.2);
  const double up = frame.y.reversed ? 1 : -1;  // y points down on the page
  Path all;
  all.closed = true;
  all.clip = frame.clip;
  all.fill = ink_of(mark, frame.theme);
  for (size_t i = 0; i < mark.x.size(); ++i) {
    const Point a = frame.place(mark.x[i], mark.y[i]);
    Point b{a.x + room * mark.u[i] / most, a.y + up * room * mark.v[i] / most};
    if (mark.length > 0) b = frame.place(mark.x[i] + mark.length * mark.u[i], mark.y[i] + mark.length * mark.v[i]);
    if (!finite(a) || !finite(b)) continue;
    if (mark.colored()) {
      all.fill = mark.coloring.color(mark.values[i]);
      if (!all.fill.visible()) continue;
      if (mark.alpha >= 0) all.fill.alpha = static_cast<float>(mark.alpha);
      all.points.clear();
      all.starts.clear();
    }
    add_arrow(all, a, b, width);
    if (mark.colored() && !all.points.empty()) frame.canvas.items.emplace_back(all);
  }
  if (!mark.colored() && !all.points.empty()) frame.canvas.items.emplace_back(std::move(all));
}

}  // namespace covec::plot
