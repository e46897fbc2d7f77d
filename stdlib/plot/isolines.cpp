// Finds the lines of one level. Each cell joins the edges on which the level lies between two corners. A saddle's lines
// follow the mean of its corners. The higher side is always on the left, so lines of neighbouring cells meet end to
// end: exactly one line continues from each edge.
#include "stdlib/plot/isolines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace covec::plot {

namespace {

class Marching {
 public:
  // With a rim of what is lower than anything, on the places of the grid's edge.
  Marching(const Grid& z, double level, bool rimmed, const Canvas& canvas)
      : z_(z),
        canvas_(canvas),
        level_(level),
        rim_(rimmed ? 1 : 0),
        rows_(z.rows + 2 * rim_),
        columns_(z.columns + 2 * rim_) {}

  std::vector<Isoline> run() {
    for (size_t row = 0; row + 1 < rows_; ++row) {
      if (row % 64 == 0) canvas_.look();
      for (size_t column = 0; column + 1 < columns_; ++column) cell(row, column);
    }
    return joined();
  }

 private:
  using Edge = size_t;  // 2·corner + 0: to the right of it; + 1: below it
  Edge right_of(size_t row, size_t column) const { return 2 * (row * columns_ + column); }
  Edge below(size_t row, size_t column) const { return right_of(row, column) + 1; }

  double value(size_t row, size_t column) const {
    const bool inside = row >= rim_ && row < z_.rows + rim_ && column >= rim_ && column < z_.columns + rim_;
    const double v = inside ? z_.at(row - rim_, column - rim_) : -INFINITY;
    return std::isfinite(v) ? v : rim_ != 0 ? -INFINITY : NAN;
  }

  Point corner(size_t row, size_t column) const {
    const auto held = [&](size_t i, size_t n) {
      return std::min(std::max(static_cast<double>(i) - static_cast<double>(rim_), 0.0), static_cast<double>(n) - 1);
    };
    return {held(column, z_.columns), held(row, z_.rows)};
  }

  Point crossing(Edge edge) const {
    const size_t at = edge / 2, row = at / columns_, column = at % columns_;
    const size_t other_row = row + edge % 2, other_column = column + (edge % 2 == 0 ? 1 : 0);
    const double a = value(row, column), b = value(other_row, other_column);
    const Point p = corner(row, column), q = corner(other_row, other_column);
    if (std::isinf(a)) return q;
    if (std::isinf(b)) return p;
    const double t = (level_ - a) / (b - a);
    return {p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
  }

  void cell(size_t row, size_t column) {
    // Corners and edges around the cell: top left, top right, bottom right, bottom left; top, right, bottom, left.
    const std::array<double, 4> v = {value(row, column), value(row, column + 1), value(row + 1, column + 1),
                                     value(row + 1, column)};
    unsigned which = 0;
    for (size_t i = 0; i < 4; ++i) {
      if (std::isnan(v[i])) return;
      if (v[i] >= level_) which |= 1u << i;
    }
    if (which == 0 || which == 15) return;
    const std::array<Edge, 4> edges = {right_of(row, column), below(row, column + 1), right_of(row + 1, column),
                                       below(row, column)};
    const auto is_high = [&](size_t i) { return ((which >> (i % 4)) & 1) != 0; };
    const bool saddle = which == 5 || which == 10;
    const bool middle = v[0] / 4 + v[1] / 4 + v[2] / 4 + v[3] / 4 >= level_;
    // Edge i lies between the corners i and i+1. Walking around, a line begins where high turns to low; it ends where
    // the next (of a saddle whose middle is low: the last) low turns to high.
    for (size_t i = 0; i < 4; ++i) {
      if (!is_high(i) || is_high(i + 1)) continue;
      size_t end = i + 1;
      while (is_high(end) || !is_high(end + 1)) ++end;
      if (saddle && !middle) end = i + 3;
      next_[edges[i]] = edges[end % 4];
    }
  }

  Isoline followed(Edge from) {
    Isoline line;
    Edge at = from;
    line.push_back(crossing(at));
    for (auto step = next_.find(at); step != next_.end(); step = next_.find(at)) {
      at = step->second;
      next_.erase(step);
      line.push_back(crossing(at));
    }
    return line;
  }

  std::vector<Isoline> joined() {
    std::unordered_map<Edge, bool> entered;
    for (const auto& [from, to] : next_) entered[to] = true;
    std::vector<Edge> begins, others;
    for (const auto& [from, to] : next_) (entered.contains(from) ? others : begins).push_back(from);
    std::sort(begins.begin(), begins.end());
    std::sort(others.begin(), others.end());
    std::vector<Isoline> lines;
    for (const std::vector<Edge>* list : {&begins, &others}) {
      for (const Edge edge : *list) {
        if (!next_.contains(edge)) continue;
        if (lines.size() % 1024 == 0) canvas_.look();
        lines.push_back(followed(edge));
      }
    }
    return lines;
  }

  const Grid& z_;
  const Canvas& canvas_;
  double level_;
  size_t rim_, rows_, columns_;
  std::unordered_map<Edge, Edge> next_;
};

}  // namespace

std::vector<Isoline> isolines(const Grid& z, double level, const Canvas& canvas) {
  return Marching(z, level, false, canvas).run();
}
std::vector<Isoline> outlines(const Grid& z, double level, const Canvas& canvas) {
  return Marching(z, level, true, canvas).run();
}

}  // namespace covec::plot
