#include "stdlib/plot/flatten.hpp"

#include <algorithm>
#include <numbers>
#include <optional>

#include "stdlib/canvas/raster.hpp"

namespace covec::plot {

namespace {

// How many marks an item is to a file; a long line is one for each few points.
size_t marks_in(const Item& item) {
  if (const Markers* markers = std::get_if<Markers>(&item)) return markers->at.size();
  const Path* path = std::get_if<Path>(&item);
  if (path == nullptr || (path->stroke.visible() && path->stroke.dash != Dash::solid)) return 0;
  return std::max(path->starts.size(), path->points.size() / 8);
}

class Flattener {
 public:
  explicit Flattener(Frame& frame) : frame_(frame), raster_(frame.box, frame.canvas.scale) { raster_.begin_areas(); }

  void add(const Path& path) {
    if (path.fill.visible()) {
      put_lines();
      raster_.paint_area(path, packed(path.fill));
    }
    if (!path.stroke.visible()) return;
    if (lines_ && !(path.stroke.color == color_)) put_lines();
    if (!lines_) lines_.emplace(frame_.box, frame_.canvas.scale);
    color_ = path.stroke.color;
    for (size_t part = 0; part < path.starts.size(); ++part) {
      const size_t from = path.starts[part], to = path.end_of(part);
      for (size_t i = from + 1; i < to; ++i) lines_->add_segment(path.points[i - 1], path.points[i], path.stroke.width);
      if (path.closed && to > from) lines_->add_segment(path.points[to - 1], path.points[from], path.stroke.width);
    }
  }

  void add(const Markers& markers) {
    put_lines();
    std::vector<std::vector<Point>> shape = outline_of(markers.shape);
    if (shape.empty()) shape = {circle()};
    for (size_t i = 0; i < markers.at.size(); ++i) {
      if (i % 4096 == 0) frame_.canvas.look();
      Path path;
      for (const std::vector<Point>& part : shape)
        is_open(markers.shape) ? add_stroke(path, part, markers.at[i], markers.size(i))
                               : add_part(path, part, markers.at[i], markers.size(i));
      raster_.paint_area(path, packed(markers.fill(i)));
    }
  }

  void add(const Text&) {}
  void add(const Picture& picture) {
    put_lines();
    raster_.paint_over(picture);
  }
  void add(TransparencyGroup) {}

  Picture finish() {
    put_lines();
    Picture picture = raster_.painted();
    picture.clip = frame_.clip;
    return picture;
  }

 private:
  // Lines of one colour are one layer, however many items they are.
  void put_lines() {
    if (lines_) raster_.paint_over(lines_->lines(color_));
    lines_.reset();
  }
  static std::vector<Point> circle() {
    constexpr int corners = 24;  // of the polygon that stands for a circle
    std::vector<Point> points;
    for (int i = 0; i < corners; ++i) {
      const double angle = 2 * std::numbers::pi * i / corners;
      points.push_back({0.5 * std::cos(angle), 0.5 * std::sin(angle)});
    }
    return points;
  }
  static void add_part(Path& path, const std::vector<Point>& part, Point at, double size) {
    path.begin();
    for (const Point p : part) path.add({at.x + size * p.x, at.y + size * p.y});
  }
  // A stroke of a plus or cross as the area that it covers.
  static void add_stroke(Path& path, const std::vector<Point>& part, Point at, double size) {
    const Point a = part[0], b = part[1];
    const double length = std::hypot(b.x - a.x, b.y - a.y), half = open_marker_width / 2 / size;
    const double dx = half * (b.y - a.y) / length, dy = half * (a.x - b.x) / length;
    add_part(path, {{a.x + dx, a.y + dy}, {b.x + dx, b.y + dy}, {b.x - dx, b.y - dy}, {a.x - dx, a.y - dy}}, at, size);
  }

  Frame& frame_;
  Raster raster_;
  std::optional<Raster> lines_;
  Color color_;
};

}  // namespace

void flatten_many(Frame& frame, size_t first) {
  std::vector<Item>& items = frame.canvas.items;
  size_t count = 0;
  for (size_t i = first; i < items.size(); ++i) count += marks_in(items[i]);
  if (count <= frame.canvas.max_items) return;
  Flattener flattener(frame);
  std::vector<Item> texts;
  for (size_t i = first; i < items.size(); ++i) {
    std::visit([&](const auto& item) { flattener.add(item); }, items[i]);
    if (std::holds_alternative<Text>(items[i])) texts.push_back(std::move(items[i]));
  }
  const TransparencyGroup* transparency = std::get_if<TransparencyGroup>(&items[first]);
  const double alpha = transparency != nullptr ? transparency->alpha : 1;
  items.resize(first);
  if (alpha < 1) items.emplace_back(TransparencyGroup{true, alpha});
  items.emplace_back(flattener.finish());
  if (alpha < 1) items.emplace_back(TransparencyGroup{false});
  std::move(texts.begin(), texts.end(), std::back_inserter(items));
}

}  // namespace covec::plot
