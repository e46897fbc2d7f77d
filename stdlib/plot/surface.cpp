// Paints a surface from back to front (Newell, Newell and Sancha, 1972). The quadrilaterals of a height field, seen
// from a fixed direction, only need to be in order of depth. The light on each sets its brightness (Lambert), and its
// height sets its hue.
#include "stdlib/plot/surface.hpp"

#include <algorithm>
#include <array>
#include <numbers>

#include "stdlib/canvas/font.hpp"

namespace covec::plot {

namespace {

struct Solid {
  double x = 0, y = 0, z = 0;
};

constexpr size_t max_cells = 96;      // each way: what a page shows, and a picture of paths bears
constexpr double half_height = 0.66;  // of the box, in half sides of its floor

class View {
 public:
  View(const Mark& mark, Box box) : box_(box) {
    const double a = mark.azimuth * std::numbers::pi / 180, e = mark.elevation * std::numbers::pi / 180;
    right_ = {-std::sin(a), std::cos(a), 0};
    up_ = {-std::sin(e) * std::cos(a), -std::sin(e) * std::sin(a), std::cos(e)};
    toward_ = {std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e)};
    fit();
  }
  const Solid& toward() const { return toward_; }
  double depth(Solid p) const { return dot(p, toward_); }
  Point place(Solid p) const { return {center_.x + scale_ * dot(p, right_), center_.y - scale_ * dot(p, up_)}; }
  static double dot(Solid a, Solid b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

 private:
  void fit() {
    Extent across, along;
    for (const double x : {-1.0, 1.0}) {
      for (const double y : {-1.0, 1.0}) {
        for (const double z : {-half_height, half_height})
          across.add(dot({x, y, z}, right_)), along.add(dot({x, y, z}, up_));
      }
    }
    scale_ = std::min(box_.width() / (across.high - across.low), box_.height() / (along.high - along.low));
    center_ = {(box_.left + box_.right) / 2 - scale_ * (across.low + across.high) / 2,
               (box_.top + box_.bottom) / 2 + scale_ * (along.low + along.high) / 2};
  }
  Box box_;
  Solid right_, up_, toward_;
  double scale_ = 1;
  Point center_;
};

// Data to the cube from −1 to 1, flatter upwards.
struct Cube {
  Extent x, y, z;
  static double within(const Extent& e, double v) {
    return e.high > e.low ? 2 * (v - e.low) / (e.high - e.low) - 1 : 0;
  }
  Solid place(double px, double py, double pz) const {
    return {within(x, px), within(y, py), half_height * within(z, pz)};
  }
};

Cube cube_of(const Mark& mark) {
  Cube cube;
  for (const double v : mark.x.all()) cube.x.add(v);
  for (const double v : mark.y.all()) cube.y.add(v);
  for (const double v : mark.z.cells.all()) cube.z.add(v);
  if (cube.z.empty()) cube.z = {0, 1};
  if (cube.z.low == cube.z.high) cube.z = {cube.z.low - 0.5, cube.z.high + 0.5};
  return cube;
}

Solid normal_of(Solid a, Solid b, Solid c) {
  const Solid u{b.x - a.x, b.y - a.y, b.z - a.z}, v{c.x - a.x, c.y - a.y, c.z - a.z};
  const Solid n{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
  const double length = std::sqrt(View::dot(n, n));
  return length > 0 ? Solid{n.x / length, n.y / length, n.z / length} : Solid{0, 0, 1};
}

Color lit(Color color, Solid normal, const View& view) {
  const Solid& t = view.toward();
  // The light comes from above the viewer's left shoulder.
  Solid light{t.x + 0.55 * t.y, t.y - 0.55 * t.x, t.z + 0.9};
  const double length = std::sqrt(View::dot(light, light));
  const double shine = std::abs(View::dot(normal, light)) / length;
  Oklab lab = to_oklab(color);
  lab.lightness *= 0.80 + 0.23 * shine;
  return from_oklab({std::min(lab.lightness, 1.0), lab.a, lab.b});
}

struct Face {
  std::array<Point, 4> points;
  double depth;
  Color color;
};

std::vector<size_t> chosen(size_t n) {
  const size_t step = (n - 2) / max_cells + 1;
  std::vector<size_t> all;
  for (size_t i = 0; i < n; i += step) all.push_back(i);
  if (all.back() != n - 1) all.push_back(n - 1);
  return all;
}

std::vector<Face> faces_of(const Mark& mark, const Cube& cube, const View& view) {
  const std::vector<size_t> rows = chosen(mark.z.rows), columns = chosen(mark.z.columns);
  std::vector<Face> faces;
  const auto corner = [&](size_t i, size_t j) {
    return cube.place(mark.x[columns[j]], mark.y[rows[i]], mark.z.at(rows[i], columns[j]));
  };
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    for (size_t j = 0; j + 1 < columns.size(); ++j) {
      const std::array<Solid, 4> c = {corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)};
      const double sum = c[0].z + c[1].z + c[2].z + c[3].z;
      if (!std::isfinite(sum)) continue;
      Face face;
      face.depth = 0;
      for (size_t k = 0; k < 4; ++k) {
        face.points[k] = view.place(c[k]);
        face.depth += view.depth({c[k].x, c[k].y, 0}) / 4;  // heights do not hide each other within a column
      }
      double height = 0;
      for (const auto& [a, b] : {std::pair(i, j), std::pair(i, j + 1), std::pair(i + 1, j + 1), std::pair(i + 1, j)})
        height += mark.z.at(rows[a], columns[b]) / 4;
      face.color = lit(mark.coloring.color(height), normal_of(c[0], c[1], c[3]), view);
      faces.push_back(face);
    }
  }
  std::stable_sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.depth < b.depth; });
  return faces;
}

class Walls {
 public:
  Walls(const Cube& cube, const View& view, const Axes& axes, const Mark& mark, Canvas& canvas, const Theme& theme,
        bool sketch)
      : cube_(cube), view_(view), axes_(axes), mark_(mark), canvas_(canvas), theme_(theme), sketch_(sketch) {
    back_x_ = view.toward().x > 0 ? -1 : 1;  // the wall behind
    back_y_ = view.toward().y > 0 ? -1 : 1;
  }

  void draw() {
    lines(ticks(cube_.x, mark_.x_time), 0);
    lines(ticks(cube_.y, mark_.y_time), 1);
    lines(ticks(cube_.z, false), 2);
    frame();
  }

 private:
  static Ticks ticks(const Extent& e, bool time) {
    return time ? time_ticks(e.low, e.high, 5) : linear_ticks(e.low, e.high, 5);
  }

  void line(Solid a, Solid b, Color color, double width) {
    canvas_.items.emplace_back(segment(view_.place(a), view_.place(b), {color, width}));
  }

  // Grid lines on the floor and the two walls behind, and labels along an edge in front.
  void lines(const Ticks& ticks, int axis) {
    const Extent& e = axis == 0 ? cube_.x : axis == 1 ? cube_.y : cube_.z;
    for (const Tick& tick : ticks.major) {
      const double t = Cube::within(e, tick.value);
      if (axis == 0)
        line({t, -1, -half_height}, {t, 1, -half_height}, theme_.grid, 0.8),
            line({t, back_y_, -half_height}, {t, back_y_, half_height}, theme_.grid, 0.8);
      if (axis == 1)
        line({-1, t, -half_height}, {1, t, -half_height}, theme_.grid, 0.8),
            line({back_x_, t, -half_height}, {back_x_, t, half_height}, theme_.grid, 0.8);
      if (axis == 2)
        line({back_x_, -1, half_height * t}, {back_x_, 1, half_height * t}, theme_.grid, 0.8),
            line({-1, back_y_, half_height * t}, {1, back_y_, half_height * t}, theme_.grid, 0.8);
      // The lowest of the heights would stand in the way of the corner's.
      if (!sketch_ && seen(axis) && (axis != 2 || t > -0.93))
        label(tick.text, edge(axis, t), outward(axis), 9, 10, theme_.ticks);
    }
    if (sketch_ || !seen(axis)) return;
    const std::string& name = axis == 0 ? axes_.x.label : axis == 1 ? axes_.y.label : mark_.label;
    const std::string text = name + (ticks.suffix.empty() ? "" : (name.empty() ? "" : "  ") + ticks.suffix);
    if (text.empty()) return;
    if (axis == 2) return upright(text, widest(ticks));
    const Point out = outward(axis);
    label(elided(text, 11.5, 0.45 * canvas_.width), edge(axis, 0), out, std::abs(out.x) > 0.8 ? 20 + widest(ticks) : 28,
          11.5, theme_.text);
  }

  // An axis that points at the viewer is a point: nothing is written at it.
  bool seen(int axis) const {
    const Point a = view_.place(edge(axis, -1)), b = view_.place(edge(axis, 1));
    return std::hypot(b.x - a.x, b.y - a.y) > 24;
  }
  static double widest(const Ticks& ticks) {
    double width = 0;
    for (const Tick& tick : ticks.major) width = std::max(width, text_width(tick.text, 10));
    return width;
  }
  // The third axis' name, along it.
  void upright(const std::string& name, double ticks_width) {
    const Point p = view_.place(edge(2, 0));
    Text text{
        {p.x - 9 - ticks_width - 10, p.y}, elided(name, 11.5, 0.7 * canvas_.height), 11.5, theme_.text, Anchor::middle};
    text.turn = -90;
    canvas_.items.emplace_back(std::move(text));
  }

  // A point of the edge along which an axis is labelled.
  Solid edge(int axis, double t) const {
    if (axis == 0) return {t, -back_y_, -half_height};
    if (axis == 1) return {-back_x_, t, -half_height};
    // The upright edge farthest to the left.
    const Solid a{back_x_, -back_y_, 0}, b{-back_x_, back_y_, 0};
    const Solid& left = view_.place(a).x < view_.place(b).x ? a : b;
    return {left.x, left.y, half_height * t};
  }
  // The direction on the page away from the box, square to the edge; down where neither side is nearer.
  Point outward(int axis) const {
    if (axis == 2) return {-1, 0};
    const Point middle = view_.place({0, 0, -half_height}), e = view_.place(edge(axis, 0));
    const Point a = view_.place(edge(axis, -1)), b = view_.place(edge(axis, 1));
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (!(length > 0)) return {0, 1};
    const Point n{(a.y - b.y) / length, (b.x - a.x) / length};
    const double away = n.x * (e.x - middle.x) + n.y * (e.y - middle.y);
    const bool turn = std::abs(away) > 1 ? away < 0 : n.y < 0;
    return turn ? Point{-n.x, -n.y} : n;
  }

  // A text at a distance from an edge; none where another one stands.
  void label(const std::string& text, Solid at, Point out, double away, double size, Color color) {
    const Point p = view_.place(at);
    const Point q{p.x + away * out.x, p.y + away * out.y + below_middle(size)};
    const Anchor anchor = out.x < -0.35 ? Anchor::end : out.x > 0.35 ? Anchor::start : Anchor::middle;
    Text item{q, text, size, color, anchor};
    const Box box = item.box();
    if (std::any_of(taken_.begin(), taken_.end(), [&](const Box& other) { return box.overlaps(other); })) return;
    taken_.push_back(box);
    canvas_.items.emplace_back(std::move(item));
  }

  void frame() {
    const double h = half_height;
    for (const auto& [a, b] : {std::pair(Solid{-1, -back_y_, -h}, Solid{1, -back_y_, -h}),
                               std::pair(Solid{-back_x_, -1, -h}, Solid{-back_x_, 1, -h})})
      line(a, b, theme_.axis, 0.9);
    const Solid up = edge(2, 1), down = edge(2, -1);
    line(down, up, theme_.axis, 0.9);
  }

  const Cube& cube_;
  const View& view_;
  const Axes& axes_;
  const Mark& mark_;
  Canvas& canvas_;
  const Theme& theme_;
  bool sketch_;
  double back_x_, back_y_;
  std::vector<Box> taken_;  // by labels
};

}  // namespace

void draw_surface(const Mark& mark, const Axes& axes, Box box, Canvas& canvas, const Theme& theme, bool sketch) {
  const Cube cube = cube_of(mark);
  const Box inner = sketch ? box : Box{box.left + 56, box.top + 8, box.right - 40, box.bottom - 34};
  const View view(mark, inner);
  Walls(cube, view, axes, mark, canvas, theme, sketch).draw();
  canvas.shades = canvas.solid = true;
  size_t count = 0;
  for (const Face& face : faces_of(mark, cube, view)) {
    if (count++ % 1024 == 0) canvas.look();
    Path path;
    path.points.assign(face.points.begin(), face.points.end());
    path.starts = {0};
    path.closed = true;
    path.fill = face.color;
    if (!sketch) path.stroke = {face.color, 0.4};  // closes the seams between neighbours
    canvas.items.emplace_back(std::move(path));
  }
}

}  // namespace covec::plot
