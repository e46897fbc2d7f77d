// Canvas: a figure before any format, as a list of paths, markers, texts and pictures in painting order. Units are
// those of the page, y points down. Every format reads this list (svg.hpp, cairo.hpp, terminal.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "stdlib/canvas/color.hpp"
#include "stdlib/value/context.hpp"

namespace covec::plot {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
  bool contains(Point p) const { return p.x >= left && p.x <= right && p.y >= top && p.y <= bottom; }
  bool overlaps(const Box& o) const { return left < o.right && o.left < right && top < o.bottom && o.top < bottom; }
};

enum class Dash : uint8_t { solid, dashed, dotted, dashdot };
// The lengths of strokes and gaps, in widths of the line; empty for a solid one.
std::vector<double> dashes_of(Dash dash);

struct Stroke {
  Color color;
  double width = 0;
  Dash dash = Dash::solid;
  bool visible() const { return width > 0 && color.visible(); }
};

struct Path {
  std::vector<Point> points;
  std::vector<size_t> starts;  // of the parts; the first is 0
  bool closed = false;
  Color fill;
  Stroke stroke;
  int clip = -1;  // a number in Canvas::clips; -1: the page
  void begin() { starts.push_back(points.size()); }
  void add(Point p) { points.push_back(p); }
  size_t end_of(size_t part) const { return part + 1 < starts.size() ? starts[part + 1] : points.size(); }
};

enum class Shape : uint8_t { circle, square, diamond, triangle, plus, cross, star };

// The same shape at many places: one size and colour for all, or one each.
struct Markers {
  std::vector<Point> at;
  Shape shape = Shape::circle;
  std::vector<float> sizes;  // diameters
  std::vector<Color> fills;
  Stroke edge;
  int clip = -1;
  double size(size_t i) const { return sizes[sizes.size() == 1 ? 0 : i]; }
  Color fill(size_t i) const { return fills[fills.size() == 1 ? 0 : i]; }
};
// Its outline around (0, 0) with diameter 1; empty for a circle. Of a plus or cross two strokes, to be painted as
// lines.
std::vector<std::vector<Point>> outline_of(Shape shape);
// Units of the page, of the strokes of a plus or cross.
inline constexpr double open_marker_width = 1.4;
inline bool is_open(Shape shape) { return shape == Shape::plus || shape == Shape::cross; }

enum class Anchor : uint8_t { start, middle, end };

struct Text {
  Point at;  // on the baseline
  std::string text;
  double size = 11;
  Color color;
  Anchor anchor = Anchor::start;
  bool bold = false;
  double turn = 0;  // degrees, clockwise
  Box box() const;  // that it takes, turned
};

// Pixels, row by row from the top, stretched over a box without smoothing.
struct Picture {
  Box box;
  int columns = 0, rows = 0;
  std::vector<uint32_t> pixels;  // as packed() gives them
  int clip = -1;
};

// From the one that begins to the one that ends, items are painted as one layer, which then lets through what is below.
struct TransparencyGroup {
  bool begins = true;
  double alpha = 1;
};

using Item = std::variant<Path, Markers, Text, Picture, TransparencyGroup>;

struct Canvas {
  double width = 0, height = 0;
  Color background;
  double scale = 2;                       // pixels per unit, of pictures that are made on the way
  size_t max_marks = 10000;               // more points than these become a picture
  size_t max_items = SIZE_MAX;            // and more of any mark
  bool shades = false;                    // areas stand for numbers: without colours they are told apart by characters
  bool solid = false;                     // a surface: its faces are areas, however small
  const ops::Context* context = nullptr;  // whose interrupt is looked at
  void look() const;                      // throws OpError(interrupted) if it is set
  std::vector<Box> clips;
  std::vector<Item> items;
  int clip(Box box) {
    clips.push_back(box);
    return static_cast<int>(clips.size()) - 1;
  }
};

Path segment(Point from, Point to, Stroke stroke);
Path rectangle(Box box, Color fill, Stroke stroke = {});

}  // namespace covec::plot
