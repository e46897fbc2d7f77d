// Draws lines, error bars and filled bands. A line with more points than the page has columns is thinned out. Of each
// run of points within one column of pixels it keeps the first, the lowest, the highest and the last. It looks the same
// (Jugel et al., 2014, "M4").
#include <algorithm>

#include "stdlib/canvas/clip.hpp"
#include "stdlib/canvas/raster.hpp"
#include "stdlib/plot/frame.hpp"

namespace covec::plot {

namespace {

// Gives the points of a line that can be told apart, part by part.
class Thinner {
 public:
  Thinner(Path& path, double column) : path_(path), column_(column) {}
  void gap() {
    flush();
    open_ = false;
  }
  void add(Point p) {
    const double column = std::floor(p.x / column_);
    if (open_ && run_ > 0 && column == at_) {
      ++run_;
      last_ = p;
      if (p.y < low_.y) low_ = p, low_first_ = false;
      if (p.y > high_.y) high_ = p, low_first_ = true;
      return;
    }
    flush();
    if (!open_) path_.begin();
    open_ = true;
    at_ = column;
    run_ = 1;
    first_ = last_ = low_ = high_ = p;
    low_first_ = true;
  }
  void flush() {
    if (run_ == 0) return;
    put(first_);
    if (run_ > 2) {
      put(low_first_ ? low_ : high_);
      put(low_first_ ? high_ : low_);
    }
    if (run_ > 1) put(last_);
    run_ = 0;
  }

 private:
  void put(Point p) {
    const bool same =
        path_.points.size() > path_.starts.back() && path_.points.back().x == p.x && path_.points.back().y == p.y;
    if (!same) path_.add(p);
  }
  Path& path_;
  double column_, at_ = 0;
  size_t run_ = 0;
  bool open_ = false, low_first_ = true;
  Point first_, last_, low_, high_;
};

bool same(Point a, Point b) { return a.x == b.x && a.y == b.y; }

// The line through the data, cut at the edges of a somewhat larger box and at what is not finite.
void trace(const Numbers& x, const Numbers& y, const Frame& frame, Thinner& thinner) {
  constexpr double beyond = 20;  // units of the page around the frame's box
  const Box box{frame.box.left - beyond, frame.box.top - beyond, frame.box.right + beyond, frame.box.bottom + beyond};
  Point before{NAN, NAN};
  bool open = false;
  const Placer place_x(frame.x), place_y(frame.y);
  for (size_t i = 0; i < x.size(); ++i) {
    if (i % 65536 == 0) frame.canvas.look();
    const Point p{place_x(x[i]), place_y(y[i])};
    if (open && box.contains(p)) {  // what is usual
      thinner.add(p);
      before = p;
      continue;
    }
    if (!finite(p)) {
      thinner.gap();
      open = false;
    } else if (finite(before)) {
      Point a = before, b = p;
      if (clip_segment(a, b, box)) {
        if (!open || !same(a, before)) thinner.gap(), thinner.add(a);
        thinner.add(b);
        open = same(b, p);
      } else {
        open = false;
      }
    }
    before = p;
  }
  thinner.flush();
}

Stroke stroke_of(const Mark& mark, const Frame& frame) {
  return {ink_of(mark, frame.theme), mark.width > 0 ? mark.width : line_width, mark.dash};
}

void rasterize(const Path& path, Frame& frame) {
  Raster raster(frame.box, frame.canvas.scale);
  for (size_t part = 0; part < path.starts.size(); ++part) {
    for (size_t i = path.starts[part] + 1; i < path.end_of(part); ++i)
      raster.add_segment(path.points[i - 1], path.points[i], path.stroke.width);
  }
  Picture picture = raster.lines(path.stroke.color);
  picture.clip = frame.clip;
  frame.canvas.items.emplace_back(std::move(picture));
}

void add_line(const Mark& mark, Frame& frame) {
  Path path;
  path.stroke = stroke_of(mark, frame);
  path.clip = frame.clip;
  Thinner thinner(path, 1 / frame.canvas.scale);
  trace(mark.x, mark.y, frame, thinner);
  if (path.points.empty()) return;
  const bool many = path.points.size() > frame.canvas.max_marks && frame.canvas.max_marks < SIZE_MAX;
  if (many && mark.dash == Dash::solid) return rasterize(path, frame);
  frame.canvas.items.emplace_back(std::move(path));
}

Markers points_of(const Mark& mark, const Frame& frame, double size) {
  Markers markers;
  for (size_t i = 0; i < mark.x.size(); ++i) {
    const Point p = frame.place(mark.x[i], mark.y[i]);
    if (finite(p) && frame.box.contains(p)) markers.at.push_back(p);
  }
  markers.shape = mark.marker.value_or(Shape::circle);
  markers.sizes = {static_cast<float>(mark.sizes.each(0, size))};
  markers.fills = {ink_of(mark, frame.theme)};
  markers.clip = frame.clip;
  return markers;
}

void add_discs(const std::vector<Point>& places, double size, Color ink, Frame& frame) {
  Raster raster(frame.box, frame.canvas.scale);
  raster.begin_discs(size, static_cast<double>(ink.alpha));
  for (const Point p : places) raster.add_disc(p);
  Picture picture = raster.discs(ink);
  picture.clip = frame.clip;
  frame.canvas.items.emplace_back(std::move(picture));
}

// Of a line of one point, or with gaps around points, nothing would be seen.
void add_lonely(const Mark& mark, Frame& frame) {
  Markers lonely;
  const auto has_place = [](double v, const Axis& axis) {
    return std::isfinite(v) && (axis.scale != Scale::log || v > 0);
  };
  const auto there = [&](size_t i) {
    return i < mark.x.size() && has_place(mark.x[i], frame.x) && has_place(mark.y[i], frame.y);
  };
  bool before = false, here = there(0);
  for (size_t i = 0; i < mark.x.size(); ++i) {
    const bool after = there(i + 1);
    if (here && !before && !after) {
      const Point p = frame.place(mark.x[i], mark.y[i]);
      if (frame.box.contains(p)) lonely.at.push_back(p);
    }
    before = here;
    here = after;
  }
  if (lonely.at.empty()) return;
  const double size = std::max(2.0 * line_width, mark.width);
  const Color ink = ink_of(mark, frame.theme);
  if (lonely.at.size() > frame.canvas.max_marks) return add_discs(lonely.at, size, ink, frame);
  lonely.sizes = {static_cast<float>(size)};
  lonely.fills = {ink};
  lonely.clip = frame.clip;
  frame.canvas.items.emplace_back(std::move(lonely));
}

}  // namespace

void draw_line(const Mark& mark, Frame& frame) {
  add_line(mark, frame);
  add_lonely(mark, frame);
  if (!mark.marker) return;
  Markers markers = points_of(mark, frame, 6);
  if (!markers.at.empty()) frame.canvas.items.emplace_back(std::move(markers));
}

void draw_errorbar(const Mark& mark, Frame& frame) {
  Path bars;
  const double width = mark.width > 0 ? mark.width : 1.3, cap = frame.sketch ? 0 : 3;
  bars.stroke = {ink_of(mark, frame.theme), width};
  bars.clip = frame.clip;
  const auto bar = [&](Point a, Point b, double dx, double dy) {
    if (!finite(a) || !finite(b)) return;
    bars.begin(), bars.add(a), bars.add(b);
    for (const Point end : {a, b}) {
      if (cap > 0) bars.begin(), bars.add({end.x - dx, end.y - dy}), bars.add({end.x + dx, end.y + dy});
    }
  };
  // On a logarithmic axis a bar that reaches 0 goes down to the edge.
  const auto at_least = [](double v, const Axis& axis) { return axis.scale == Scale::log && v <= 0 ? axis.low : v; };
  for (size_t i = 0; i < mark.x.size(); ++i) {
    const double x = mark.x[i], y = mark.y[i];
    if (!mark.y_less.empty())
      bar(frame.place(x, at_least(y - mark.y_less.each(i, 0), frame.y)), frame.place(x, y + mark.y_more.each(i, 0)),
          cap, 0);
    if (!mark.x_less.empty())
      bar(frame.place(at_least(x - mark.x_less.each(i, 0), frame.x), y), frame.place(x + mark.x_more.each(i, 0), y), 0,
          cap);
  }
  if (!bars.points.empty()) frame.canvas.items.emplace_back(std::move(bars));
  Markers markers = points_of(mark, frame, 6);
  if (!markers.at.empty()) frame.canvas.items.emplace_back(std::move(markers));
}

void draw_fill(const Mark& mark, Frame& frame) {
  const auto down = [&](double v) { return frame.y.scale == Scale::log && v <= 0 ? frame.y.low : v; };
  std::vector<Point> upper, lower;
  Path band;
  band.closed = true;
  band.fill = ink_of(mark, frame.theme, 0.3);
  band.clip = frame.clip;
  const auto close = [&] {
    if (upper.size() > 1) {
      band.begin();
      for (const Point p : upper) band.add(p);
      for (size_t i = lower.size(); i-- > 0;) band.add(lower[i]);
    }
    upper.clear();
    lower.clear();
  };
  for (size_t i = 0; i < mark.x.size(); ++i) {
    const Point a = frame.place(mark.x[i], down(mark.y[i])), b = frame.place(mark.x[i], down(mark.u.each(i, 0)));
    if (!finite(a) || !finite(b)) {
      close();
      continue;
    }
    upper.push_back(a);
    lower.push_back(b);
  }
  close();
  if (!band.points.empty()) frame.canvas.items.emplace_back(std::move(band));
}

}  // namespace covec::plot
