#include "stdlib/canvas/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stdlib/canvas/font.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::plot {

void Canvas::look() const {
  if (context != nullptr) kernels::poll_interrupt(*context);
}

std::vector<double> dashes_of(Dash dash) {
  switch (dash) {
    case Dash::solid: return {};
    case Dash::dashed: return {4, 2.2};
    case Dash::dotted: return {0.1, 2.2};
    case Dash::dashdot: return {5, 2.2, 0.1, 2.2};
  }
  return {};
}

namespace {

std::vector<Point> star() {
  std::vector<Point> points;
  for (int i = 0; i < 10; ++i) {
    const double angle = std::numbers::pi * (i / 5.0 - 0.5), radius = i % 2 == 0 ? 0.6 : 0.25;
    points.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  return points;
}

}  // namespace

std::vector<std::vector<Point>> outline_of(Shape shape) {
  switch (shape) {
    case Shape::circle: return {};
    case Shape::square: return {{{-0.44, -0.44}, {0.44, -0.44}, {0.44, 0.44}, {-0.44, 0.44}}};
    case Shape::diamond: return {{{0, -0.6}, {0.6, 0}, {0, 0.6}, {-0.6, 0}}};
    case Shape::triangle: return {{{0, -0.58}, {0.55, 0.42}, {-0.55, 0.42}}};
    case Shape::plus: return {{{-0.55, 0}, {0.55, 0}}, {{0, -0.55}, {0, 0.55}}};
    case Shape::cross: return {{{-0.42, -0.42}, {0.42, 0.42}}, {{-0.42, 0.42}, {0.42, -0.42}}};
    case Shape::star: return {star()};
  }
  return {};
}

Box Text::box() const {
  const double width = text_width(text, size, bold);
  const double left = anchor == Anchor::start ? 0 : anchor == Anchor::middle ? -width / 2 : -width;
  const double angle = turn * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
  Box box{1e300, 1e300, -1e300, -1e300};
  for (const double x : {left, left + width}) {
    for (const double y : {-ascent * size, descent * size}) {
      const Point p{at.x + c * x - s * y, at.y + s * x + c * y};
      box = {std::min(box.left, p.x), std::min(box.top, p.y), std::max(box.right, p.x), std::max(box.bottom, p.y)};
    }
  }
  return box;
}

Path segment(Point from, Point to, Stroke stroke) {
  Path path;
  path.points = {from, to};
  path.starts = {0};
  path.stroke = stroke;
  return path;
}

Path rectangle(Box box, Color fill, Stroke stroke) {
  Path path;
  path.points = {{box.left, box.top}, {box.right, box.top}, {box.right, box.bottom}, {box.left, box.bottom}};
  path.starts = {0};
  path.closed = true;
  path.fill = fill;
  path.stroke = stroke;
  return path;
}

}  // namespace covec::plot
