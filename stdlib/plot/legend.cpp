// Places the legend where there are no data. The page is divided into small squares, and squares that a mark touches
// are taken. The legend gets the first free corner, side or other place.
#include <algorithm>

#include "stdlib/canvas/font.hpp"
#include "stdlib/plot/panel.hpp"

namespace covec::plot {

namespace {

constexpr double sample_width = 22, row_height = 17, inset = 8, around = 7;  // units of the page

class Taken {
 public:
  explicit Taken(const Box& box)
      : box_(box),
        columns_(std::max(1, static_cast<int>(box.width() / square))),
        rows_(std::max(1, static_cast<int>(box.height() / square))),
        cells_(static_cast<size_t>(columns_) * static_cast<size_t>(rows_)) {}

  void add(const Item& item) {
    std::visit([this](const auto& i) { take(i); }, item);
  }

  bool is_free(const Box& wanted) const {
    const int left = column(wanted.left), right = column(wanted.right), top = row(wanted.top),
              bottom = row(wanted.bottom);
    for (int r = std::max(0, top); r <= std::min(rows_ - 1, bottom); ++r) {
      for (int c = std::max(0, left); c <= std::min(columns_ - 1, right); ++c) {
        if (cells_[static_cast<size_t>(r) * static_cast<size_t>(columns_) + static_cast<size_t>(c)]) return false;
      }
    }
    return true;
  }

 private:
  static constexpr double square = 5;  // units of the page, a side of a cell
  int column(double x) const { return static_cast<int>(std::floor((x - box_.left) / square)); }
  int row(double y) const { return static_cast<int>(std::floor((y - box_.top) / square)); }
  void take(Point p) {
    if (!box_.contains(p)) return;
    const int r = std::min(row(p.y), rows_ - 1), c = std::min(column(p.x), columns_ - 1);
    cells_[static_cast<size_t>(r) * static_cast<size_t>(columns_) + static_cast<size_t>(c)] = true;
  }
  void take(const Box& b) {
    for (double y = std::max(b.top, box_.top); y <= std::min(b.bottom, box_.bottom); y += square) {
      for (double x = std::max(b.left, box_.left); x <= std::min(b.right, box_.right); x += square) take(Point{x, y});
    }
  }
  void walk(Point a, Point b) {
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const int steps = static_cast<int>(std::min(length / square * 2, 4000.0)) + 1;
    for (int i = 0; i <= steps; ++i) take(Point{a.x + (b.x - a.x) * i / steps, a.y + (b.y - a.y) * i / steps});
  }
  void take(const Path& path) {
    for (size_t part = 0; part < path.starts.size(); ++part) {
      const size_t from = path.starts[part], to = path.end_of(part);
      for (size_t i = from; i < to; ++i) {
        const bool last = i + 1 == to;
        if (!last || path.closed) walk(path.points[i], path.points[last ? from : i + 1]);
      }
      if (path.fill.visible()) fill(path, from, to);
    }
  }
  // The middles of squares that lie inside.
  void fill(const Path& path, size_t from, size_t to) {
    for (int r = 0; r < rows_; ++r) {
      const double y = box_.top + (r + 0.5) * square;
      std::vector<double> crossings;
      for (size_t i = from; i < to; ++i) {
        const Point a = path.points[i], b = path.points[i + 1 == to ? from : i + 1];
        if ((a.y <= y) != (b.y <= y)) crossings.push_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
      }
      std::sort(crossings.begin(), crossings.end());
      for (size_t i = 0; i + 1 < crossings.size(); i += 2)
        walk({std::max(crossings[i], box_.left), y}, {std::min(crossings[i + 1], box_.right), y});
    }
  }
  void take(const Markers& markers) {
    for (size_t i = 0; i < markers.at.size(); ++i) {
      const double half = markers.size(i) / 2;
      const Point p = markers.at[i];
      take(p);
      for (const auto& [dx, dy] :
           {std::pair(half, 0.0), std::pair(-half, 0.0), std::pair(0.0, half), std::pair(0.0, -half)})
        take(Point{p.x + dx, p.y + dy});
    }
  }
  void take(const Text& text) { take(text.box()); }
  void take(const TransparencyGroup&) {}
  void take(const Picture& picture) {
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < columns_; ++c) {
        const Box cell{box_.left + c * square, box_.top + r * square, box_.left + (c + 1) * square,
                       box_.top + (r + 1) * square};
        if (seen(picture, cell)) take(Point{cell.left + square / 2, cell.top + square / 2});
      }
    }
  }
  static bool seen(const Picture& picture, const Box& cell) {
    const auto at = [](double p, double from, double size, int n) {
      return static_cast<int>(std::floor((p - from) / size * n));
    };
    const Box& b = picture.box;
    for (int r = std::max(0, at(cell.top, b.top, b.height(), picture.rows));
         r <= std::min(picture.rows - 1, at(cell.bottom, b.top, b.height(), picture.rows)); ++r) {
      for (int c = std::max(0, at(cell.left, b.left, b.width(), picture.columns));
           c <= std::min(picture.columns - 1, at(cell.right, b.left, b.width(), picture.columns)); ++c) {
        if (picture.pixels[static_cast<size_t>(r) * static_cast<size_t>(picture.columns) + static_cast<size_t>(c)] >>
            24 > 8)
          return true;
      }
    }
    return false;
  }

  Box box_;
  int columns_, rows_;
  std::vector<bool> cells_;
};

// The places within a plot, the most usual first.
std::vector<Point> places_in(const Box& box, Point size) {
  const double left = box.left + inset, right = box.right - inset - size.x, top = box.top + inset,
               bottom = box.bottom - inset - size.y;
  if (right < left || bottom < top) return {};
  const double middle_x = (left + right) / 2, middle_y = (top + bottom) / 2;
  std::vector<Point> places = {{right, top},      {left, top},      {right, bottom}, {left, bottom},
                               {right, middle_y}, {left, middle_y}, {middle_x, top}, {middle_x, bottom}};
  for (double y = top; y <= bottom; y += 12) {
    for (double x = right; x >= left; x -= 12) places.push_back({x, y});
  }
  return places;
}

void draw_sample(const Mark& mark, Box box, Canvas& canvas, const Theme& theme) {
  const double y = (box.top + box.bottom) / 2, x = (box.left + box.right) / 2;
  const Color ink = mark.colored() ? color_at(*mark.coloring.map, 0.5) : ink_of(mark, theme);
  const auto marker = [&](double size) {
    Markers markers;
    markers.at = {{x, y}};
    markers.shape = mark.marker.value_or(Shape::circle);
    markers.sizes = {static_cast<float>(size)};
    markers.fills = {ink.with_alpha(std::max(ink.alpha, 0.6f))};
    canvas.items.emplace_back(std::move(markers));
  };
  switch (mark.kind) {
    case Kind::line:
    case Kind::contour:
      canvas.items.emplace_back(
          segment({box.left, y}, {box.right, y},
                  {ink, mark.width > 0 ? std::min(mark.width, 6.0) : line_width + 0.2, mark.dash}));
      if (mark.marker) marker(6);
      return;
    case Kind::errorbar:
      canvas.items.emplace_back(segment({x, box.top + 2}, {x, box.bottom - 2}, {ink, 1.3}));
      return marker(6);
    case Kind::scatter: return marker(7);
    case Kind::quiver: canvas.items.emplace_back(segment({box.left, y}, {box.right, y}, {ink, 2})); return;
    default:
      canvas.items.emplace_back(rectangle({box.left + 3, y - 5, box.right - 3, y + 5},
                                          ink_of(mark, theme, mark.kind == Kind::fill ? 0.3 : 1)));
  }
}

void draw_at(Point at, const std::vector<Entry>& entries, Canvas& canvas, const Theme& theme, bool framed) {
  const Point size = legend_size(entries);
  if (framed)
    canvas.items.emplace_back(
        rectangle({at.x, at.y, at.x + size.x, at.y + size.y}, theme.page.with_alpha(0.88), {theme.grid, 0.8}));
  double y = at.y + around - 2;
  for (const Entry& entry : entries) {
    if (entry.mark != nullptr)
      draw_sample(*entry.mark, {at.x + around, y, at.x + around + sample_width, y + row_height}, canvas, theme);
    canvas.items.emplace_back(Text{{at.x + around + sample_width + 7, y + row_height / 2 + below_middle(tick_text)},
                                   entry.label,
                                   tick_text,
                                   theme.text});
    y += row_height;
  }
}

}  // namespace

std::vector<Entry> entries_of(const Axes& axes) {
  std::vector<Entry> entries;
  if (axes.legend == Legend::none) return entries;
  for (const Mark& mark : axes.marks) {
    const bool cells = mark.kind == Kind::heatmap || mark.kind == Kind::image || mark.kind == Kind::surface ||
                       (mark.kind == Kind::contour && mark.filled);
    if (!mark.label.empty() && !cells) entries.push_back({&mark, mark.label});
  }
  return entries;
}

std::vector<Entry> entries_on_page(const Panel& panel) {
  std::vector<Entry> entries = entries_of(*panel.axes);
  const double longest = std::max(40.0, 0.4 * panel.cell.width());
  for (Entry& entry : entries) entry.label = elided(entry.label, tick_text, longest);
  const bool outside = panel.axes->legend == Legend::outside;
  const double high = panel.plot.height() > 0 ? panel.plot.height() : 0.8 * panel.cell.height();
  const auto most =
      static_cast<size_t>(std::max(1.0, (high - (outside ? 0 : 2 * inset) - 2 * around + 4) / row_height));
  if (entries.size() <= most) return entries;
  const size_t left = entries.size() - (most - 1);
  entries.resize(most - 1);
  entries.push_back({nullptr, "… " + std::to_string(left) + " more"});
  return entries;
}

Point legend_size(const std::vector<Entry>& entries) {
  double width = 0;
  for (const Entry& entry : entries) width = std::max(width, text_width(entry.label, tick_text));
  return {2 * around + sample_width + 7 + width, 2 * around - 4 + row_height * static_cast<double>(entries.size())};
}

bool draw_legend(const Panel& panel, Canvas& canvas, const Theme& theme, size_t first_item) {
  const std::vector<Entry> entries = entries_on_page(panel);
  if (entries.empty()) return true;
  const Point size = legend_size(entries);
  const Box& box = panel.plot;
  const double left = box.left + inset, right = box.right - inset - size.x, top = box.top + inset,
               bottom = box.bottom - inset - size.y;
  switch (panel.axes->legend) {
    case Legend::outside: {
      const double bar = panel.bar != nullptr ? bar_gap + bar_room(*panel.bar) : 0;
      draw_at({box.right + 10 + bar, box.top}, entries, canvas, theme, false);
      return true;
    }
    case Legend::top_left: draw_at({left, top}, entries, canvas, theme, true); return true;
    case Legend::top_right: draw_at({right, top}, entries, canvas, theme, true); return true;
    case Legend::bottom_left: draw_at({left, bottom}, entries, canvas, theme, true); return true;
    case Legend::bottom_right: draw_at({right, bottom}, entries, canvas, theme, true); return true;
    default: break;
  }
  Taken taken(box);
  for (size_t i = first_item; i < canvas.items.size(); ++i) taken.add(canvas.items[i]);
  for (const Point at : places_in(box, size)) {
    if (!taken.is_free({at.x - 2, at.y - 2, at.x + size.x + 2, at.y + size.y + 2})) continue;
    draw_at(at, entries, canvas, theme, true);
    return true;
  }
  return false;
}

}  // namespace covec::plot
