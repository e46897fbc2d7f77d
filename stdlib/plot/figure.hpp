// A figure as plain C++: pages of axes, each with marks. It is read from a value of the language by read.hpp, and drawn
// by page.hpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stdlib/canvas/canvas.hpp"
#include "stdlib/plot/ticks.hpp"
#include "stdlib/value/value.hpp"

namespace covec::plot {

// A column of f64: the tensor's own elements where they lie side by side, else a copy.
class Numbers {
 public:
  Numbers() = default;
  Numbers(Value holder, std::span<const double> elements) : holder_(std::move(holder)), view_(elements) {}
  explicit Numbers(std::vector<double> own) : own_(std::move(own)), view_(own_) {}
  Numbers(Numbers&& other) noexcept { *this = std::move(other); }
  Numbers& operator=(Numbers&& other) noexcept {
    const bool is_view = other.own_.empty();
    holder_ = std::move(other.holder_);
    own_ = std::move(other.own_);
    view_ = is_view ? other.view_ : std::span<const double>(own_);
    return *this;
  }
  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  double operator[](size_t i) const { return view_[i]; }
  // Of one number for all, or one each; `otherwise` where there is none.
  double each(size_t i, double otherwise) const { return empty() ? otherwise : view_[size() == 1 ? 0 : i]; }
  std::span<const double> all() const { return view_; }

 private:
  Value holder_;
  std::vector<double> own_;
  std::span<const double> view_;
};

struct Grid {
  size_t rows = 0, columns = 0, channels = 1;
  Numbers cells;
  double at(size_t row, size_t column, size_t channel = 0) const {
    return cells[(row * columns + column) * channels + channel];
  }
};

struct Extent {
  double low = INFINITY, high = -INFINITY;
  bool empty() const { return !(low <= high); }
  void add(double v) {
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  }
};

enum class Kind : uint8_t {
  line,
  scatter,
  hist,
  bar,
  errorbar,
  fill,
  heatmap,
  contour,
  image,
  quiver,
  surface,
  sparsity
};

// The colours of numbers: which map, between which numbers.
struct Coloring {
  const ColorMap* map = nullptr;
  std::optional<double> low, high, center;
  bool log = false;
  Extent range;  // what the limits are in the end
  double share(double v) const;
  Color color(double v) const;  // invisible for what is not finite
};

struct Mark {
  Kind kind = Kind::line;
  std::string function;  // "line": for messages
  std::string label;
  Numbers x, y, u, v;  // u, v: arrows; rows and columns that are not zero; u of a fill: its other edge
  Numbers x_less, x_more, y_less, y_more;  // lengths of error bars
  Grid z;
  std::vector<std::string> names;  // of categories, in place of x
  std::vector<std::string> y_names;
  bool x_time = false, y_time = false;
  bool counted_x = false, counted_y = false;  // 0, 1, …, because nothing else was said
  std::optional<Color> color;
  size_t number = 0;  // which of the series it is, for its colour
  double width = 0;   // of lines; of bars in units of x
  double alpha = -1;  // -1: what suits
  Dash dash = Dash::solid;
  std::optional<Shape> marker;
  Numbers sizes;   // of markers; empty: what suits
  Numbers values;  // numbers that colour stands for
  Coloring coloring;
  // bars
  Numbers base, edges;  // of a histogram the edges may be found later: then x holds what is counted
  size_t bins = 0;      // as many; 0: by the rule
  bool horizontal = false, density = false;
  int part = 0, parts = 1;  // of groups side by side
  // contours, heatmaps and surfaces
  std::vector<double> levels;
  bool filled = false, labels = true, show_values = false;
  double azimuth = -60, elevation = 30;
  double length = 0;  // of arrows, per unit; 0: what suits
  bool colored() const { return coloring.map != nullptr; }
};

struct AxisOptions {
  std::string label;
  std::optional<double> low, high;
  std::optional<Scale> scale;
};

enum class Legend : uint8_t { automatic, none, outside, top_left, top_right, bottom_left, bottom_right };

// Behind the data, but not behind cells, where nobody asks for them: then above.
enum class Lines : uint8_t { automatic, none, drawn };

struct Axes {
  std::vector<Mark> marks;
  std::string title;
  AxisOptions x, y;
  Legend legend = Legend::automatic;
  bool equal = false;  // a unit of x is as long as one of y
  Lines grid = Lines::automatic;
};

struct Figure {
  std::vector<std::vector<Axes>> rows;
  std::string title;
  bool dark = false;
  double width = 0, height = 0;  // 0: what suits
};

}  // namespace covec::plot
