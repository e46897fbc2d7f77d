// Draws contours: lines with their heights written into them, or bands of colour, painted from the lowest up.
#include <algorithm>
#include <numbers>

#include "stdlib/canvas/font.hpp"
#include "stdlib/plot/frame.hpp"
#include "stdlib/plot/isolines.hpp"

namespace covec::plot {

namespace {

// From counts of cells to the page; between two places evenly.
double between(const Numbers& places, double at) {
  const auto low = std::min(static_cast<size_t>(at), places.size() - 1), high = std::min(low + 1, places.size() - 1);
  const double t = at - static_cast<double>(low);
  return places[low] + t * (places[high] - places[low]);
}

Isoline on_page(const Isoline& line, const Mark& mark, const Frame& frame) {
  Isoline out;
  for (const Point p : line) {
    const Point q = frame.place(between(mark.x, p.x), between(mark.y, p.y));
    if (finite(q)) out.push_back(q);
  }
  return out;
}

void draw_bands(const Mark& mark, Frame& frame) {
  Extent range;
  for (const double v : mark.z.cells.all()) range.add(v);
  if (range.empty()) return;
  std::vector<double> edges = {range.low};
  for (const double level : mark.levels) {
    if (level > range.low && level < range.high) edges.push_back(level);
  }
  // Each is painted over the lower ones, without seams; as one layer, where that lets through what is below.
  const bool is_group = mark.alpha >= 0 && mark.alpha < 1;
  if (is_group) frame.canvas.items.emplace_back(TransparencyGroup{true, mark.alpha});
  frame.canvas.shades = true;
  for (size_t i = 0; i < edges.size(); ++i) {
    frame.canvas.look();
    Path band;
    band.closed = true;
    band.clip = frame.clip;
    const double above = i + 1 < edges.size() ? edges[i + 1] : range.high;
    band.fill = mark.coloring.color(edges[i] / 2 + above / 2);
    for (const Isoline& line : outlines(mark.z, edges[i], frame.canvas)) {
      band.begin();
      for (const Point p : on_page(line, mark, frame)) band.add(p);
    }
    if (!band.points.empty()) frame.canvas.items.emplace_back(std::move(band));
  }
  if (is_group) frame.canvas.items.emplace_back(TransparencyGroup{false});
}

class Labels {
 public:
  Labels(Frame& frame, double size) : frame_(frame), size_(size) {}

  // Adds a line with a gap for its label where it is straightest, or the line as it is.
  void add(const Isoline& line, const std::string& text, const Stroke& stroke) {
    if (text.empty()) return put(line, 0, line.size(), stroke);
    const double room = text_width(text, size_) + 6;
    std::vector<double> lengths = {0};
    for (size_t i = 1; i < line.size(); ++i)
      lengths.push_back(lengths.back() + std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y));
    const size_t middle = lengths.back() > 3 * room ? straightest(line, lengths, room) : line.size();
    if (middle == line.size()) return put(line, 0, line.size(), stroke);
    write(line, lengths, middle, room, text, stroke);
  }

  void finish() {
    for (Text& text : texts_) frame_.canvas.items.emplace_back(std::move(text));
  }

 private:
  void put(const Isoline& line, size_t from, size_t to, const Stroke& stroke) {
    if (to - from < 2) return;
    Path path;
    path.stroke = stroke;
    path.clip = frame_.clip;
    path.begin();
    for (size_t i = from; i < to; ++i) path.add(line[i]);
    frame_.canvas.items.emplace_back(std::move(path));
  }

  // The point around which the chord over the label's room is nearest to the line's length, free of other labels;
  // the line's size where there is none.
  size_t straightest(const Isoline& line, const std::vector<double>& lengths, double room) const {
    size_t best = line.size();
    double straight = 0.93;
    for (size_t i = 0; i < line.size(); ++i) {
      if (lengths[i] < room || lengths[i] > lengths.back() - room) continue;
      const auto [a, b] = ends(line, lengths, lengths[i], room);
      const double chord = std::hypot(b.x - a.x, b.y - a.y) / room;
      if (chord > straight + 1e-3 && is_free(line[i], room)) best = i, straight = chord;
    }
    return best;
  }

  bool is_free(Point p, double room) const {
    const Box inner{frame_.box.left + room / 2, frame_.box.top + room / 2, frame_.box.right - room / 2,
                    frame_.box.bottom - room / 2};
    return inner.contains(p) && std::none_of(texts_.begin(), texts_.end(), [&](const Text& other) {
             return std::hypot(other.at.x - p.x, other.at.y - p.y) < 2.2 * room;
           });
  }

  static Point at(const Isoline& line, const std::vector<double>& lengths, double along) {
    const auto above = static_cast<size_t>(std::lower_bound(lengths.begin(), lengths.end(), along) - lengths.begin());
    const size_t i = std::clamp<size_t>(above, 1, line.size() - 1);
    const double step = lengths[i] - lengths[i - 1], t = step > 0 ? (along - lengths[i - 1]) / step : 0;
    return {line[i - 1].x + t * (line[i].x - line[i - 1].x), line[i - 1].y + t * (line[i].y - line[i - 1].y)};
  }
  static std::pair<Point, Point> ends(const Isoline& line, const std::vector<double>& lengths, double middle,
                                      double room) {
    return {at(line, lengths, middle - room / 2), at(line, lengths, middle + room / 2)};
  }

  void write(const Isoline& line, const std::vector<double>& lengths, size_t middle, double room,
             const std::string& text, const Stroke& stroke) {
    auto [a, b] = ends(line, lengths, lengths[middle], room);
    Isoline first, second;
    for (size_t i = 0; i < line.size(); ++i) {
      if (lengths[i] < lengths[middle] - room / 2) first.push_back(line[i]);
      if (lengths[i] > lengths[middle] + room / 2) second.push_back(line[i]);
    }
    first.push_back(a);
    second.insert(second.begin(), b);
    put(first, 0, first.size(), stroke);
    put(second, 0, second.size(), stroke);
    double angle = std::atan2(b.y - a.y, b.x - a.x) * 180 / std::numbers::pi;
    if (angle > 90) angle -= 180;
    if (angle < -90) angle += 180;
    const double turn = angle * std::numbers::pi / 180, down = below_middle(size_);
    const Point center{(a.x + b.x) / 2, (a.y + b.y) / 2};
    Text label{{center.x - std::sin(turn) * down, center.y + std::cos(turn) * down},
               text,
               size_,
               frame_.theme.text,
               Anchor::middle};
    label.turn = angle;
    texts_.push_back(std::move(label));
  }

  Frame& frame_;
  double size_;
  std::vector<Text> texts_;
};

// Not as pale as the page, nor as dark as a dark one.
Color legible(Color color, const Theme& theme) {
  if (!color.visible()) return color;
  Oklab lab = to_oklab(color);
  lab.lightness = theme.dark ? std::max(lab.lightness, 0.45) : std::min(lab.lightness, 0.82);
  return from_oklab(lab);
}

void draw_lines(const Mark& mark, Frame& frame) {
  Labels labels(frame, 9);
  size_t count = 0;
  std::string suffix;
  const double step = mark.levels.size() > 1 ? mark.levels[1] - mark.levels[0] : 1;
  bool even = mark.levels.size() > 1;
  for (size_t i = 2; i < mark.levels.size(); ++i)
    even &= std::abs(mark.levels[i] - mark.levels[i - 1] - step) < 1e-9 * step;
  const std::vector<std::string> texts = even ? number_labels(mark.levels, step, suffix) : std::vector<std::string>();
  for (size_t i = 0; i < mark.levels.size(); ++i) {
    frame.canvas.look();
    const Color over = frame.theme.page.with_alpha(0.55);
    Color color = mark.filled ? over : legible(mark.coloring.color(mark.levels[i]), frame.theme);
    if (mark.color) color = *mark.color;
    if (mark.alpha >= 0) color = color.with_alpha(static_cast<double>(color.alpha) * mark.alpha);
    const double width = mark.width > 0 ? mark.width : mark.filled ? 0.6 : 1.3;
    const std::string text = even && suffix.empty() ? texts[i] : number_text(mark.levels[i]);
    for (const Isoline& line : isolines(mark.z, mark.levels[i], frame.canvas)) {
      if (++count % 256 == 0) frame.canvas.look();
      const Isoline placed = on_page(line, mark, frame);
      labels.add(placed, mark.labels && !frame.sketch ? text : std::string(), {color, width, mark.dash});
    }
  }
  labels.finish();
}

}  // namespace

void draw_contour(const Mark& mark, Frame& frame) {
  if (mark.filled) draw_bands(mark, frame);
  draw_lines(mark, frame);
}

}  // namespace covec::plot
