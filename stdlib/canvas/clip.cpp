// Clips segments by Liang and Barsky (1984, "A new concept and method for line clipping"), and areas side by side by
// Sutherland and Hodgman (1974, "Reentrant polygon clipping").
#include "stdlib/canvas/clip.hpp"

#include <algorithm>
#include <cmath>

namespace covec::plot {

namespace {

constexpr double beyond = 20;  // what is cut ends so far outside, where no stroke shows it
constexpr double far = 4000;   // what stays nearer than that is left as it is

Box widened(const Box& box, double by) { return {box.left - by, box.top - by, box.right + by, box.bottom + by}; }

// An outline cut at one side: `depth` is positive within.
template <class Depth>
std::vector<Point> cut(const std::vector<Point>& outline, Depth depth) {
  std::vector<Point> kept;
  for (size_t i = 0; i < outline.size(); ++i) {
    const Point a = outline[i], b = outline[i + 1 == outline.size() ? 0 : i + 1];
    const double da = depth(a), db = depth(b);
    if (da >= 0) kept.push_back(a);
    if ((da >= 0) == (db >= 0)) continue;
    const double t = da / (da - db);
    kept.push_back({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
  }
  return kept;
}

void add_area(Path& to, std::vector<Point> outline, const Box& box) {
  outline = cut(outline, [&](Point p) { return p.x - box.left; });
  outline = cut(outline, [&](Point p) { return box.right - p.x; });
  outline = cut(outline, [&](Point p) { return p.y - box.top; });
  outline = cut(outline, [&](Point p) { return box.bottom - p.y; });
  if (outline.size() < 3) return;
  to.begin();
  for (const Point p : outline) to.add(p);
}

void add_line(Path& to, const std::vector<Point>& line, const Box& box) {
  bool open = false;
  for (size_t i = 1; i < line.size(); ++i) {
    Point a = line[i - 1], b = line[i];
    const bool seen = clip_segment(a, b, box);
    if (seen && !open) to.begin(), to.add(a);
    if (seen) to.add(b);
    open = seen && b.x == line[i].x && b.y == line[i].y;
  }
}

bool is_near(const Path& path, const Box& box) {
  return std::all_of(path.points.begin(), path.points.end(), [&](Point p) { return box.contains(p); });
}

void keep_near(Markers& markers, const Box& box) {
  Markers kept;
  for (size_t i = 0; i < markers.at.size(); ++i) {
    const double half = markers.size(i);
    if (!widened(box, half).contains(markers.at[i])) continue;
    kept.at.push_back(markers.at[i]);
    if (markers.sizes.size() > 1) kept.sizes.push_back(markers.sizes[i]);
    if (markers.fills.size() > 1) kept.fills.push_back(markers.fills[i]);
  }
  if (kept.at.size() == markers.at.size()) return;
  markers.at = std::move(kept.at);
  if (markers.sizes.size() > 1) markers.sizes = std::move(kept.sizes);
  if (markers.fills.size() > 1) markers.fills = std::move(kept.fills);
}

}  // namespace

bool clip_segment(Point& a, Point& b, const Box& box) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  struct Cut {
    double share;
    const double *x, *y;  // the edge that cuts there
  };
  Cut enter{0, nullptr, nullptr}, leave{1, nullptr, nullptr};
  const auto side = [&](double p, double q, const double* x, const double* y) {
    if (p == 0) return q >= 0;
    const double t = q / p;
    if (p < 0 && t > enter.share) enter = {t, x, y};
    if (p > 0 && t < leave.share) leave = {t, x, y};
    return enter.share <= leave.share;
  };
  if (!side(-dx, a.x - box.left, &box.left, nullptr) || !side(dx, box.right - a.x, &box.right, nullptr) ||
      !side(-dy, a.y - box.top, nullptr, &box.top) || !side(dy, box.bottom - a.y, nullptr, &box.bottom))
    return false;
  // From far away the sums are rounded coarsely: an end lies on the edge that cuts there, and in the box.
  const Point from = a;
  const auto at = [&](const Cut& cut) {
    return Point{cut.x != nullptr ? *cut.x : std::clamp(from.x + cut.share * dx, box.left, box.right),
                 cut.y != nullptr ? *cut.y : std::clamp(from.y + cut.share * dy, box.top, box.bottom)};
  };
  if (enter.share > 0) a = at(enter);
  if (leave.share < 1) b = at(leave);
  return true;
}

Path clipped(const Path& path, const Box& box) {
  Path out;
  out.closed = path.closed;
  out.fill = path.fill;
  out.stroke = path.stroke;
  out.clip = path.clip;
  for (size_t part = 0; part < path.starts.size(); ++part) {
    const std::vector<Point> points(path.points.begin() + static_cast<ptrdiff_t>(path.starts[part]),
                                    path.points.begin() + static_cast<ptrdiff_t>(path.end_of(part)));
    path.closed ? add_area(out, points, box) : add_line(out, points, box);
  }
  return out;
}

bool keep_near(Item& item, const Box& box) {
  if (Markers* markers = std::get_if<Markers>(&item)) {
    keep_near(*markers, widened(box, beyond));
    return !markers->at.empty();
  }
  Path* path = std::get_if<Path>(&item);
  if (path == nullptr || is_near(*path, widened(box, far))) return true;
  *path = clipped(*path, widened(box, beyond + path->stroke.width));
  return !path->points.empty();
}

}  // namespace covec::plot
