// Draws heatmaps, images and sparsity patterns: cells of a matrix. Cells of one size become one picture with a pixel
// each. If the page has fewer pixels than there are cells, each pixel is the mean of the cells that it covers.
#include <algorithm>

#include "stdlib/canvas/font.hpp"
#include "stdlib/canvas/raster.hpp"
#include "stdlib/plot/frame.hpp"

namespace covec::plot {

namespace {

// For each of `pixels` along an axis from `low` to `high`: the cells [first, last) below it.
struct Spans {
  std::vector<size_t> first, last;
};

Spans spans_of(const std::vector<double>& edges, const Axis& axis, double low, double high, size_t pixels) {
  Spans spans;
  std::vector<double> places;
  for (const double edge : edges) places.push_back(axis.place(edge));
  const bool falls = places.back() < places.front();
  if (falls) std::reverse(places.begin(), places.end());
  const size_t n = places.size() - 1;
  const double step = (high - low) / static_cast<double>(pixels);
  const auto cell = [&](double p) {
    const auto above = static_cast<size_t>(std::upper_bound(places.begin(), places.end(), p) - places.begin());
    return std::clamp<size_t>(above, 1, n) - 1;
  };
  for (size_t i = 0; i < pixels; ++i) {
    const double from = low + step * static_cast<double>(i);
    size_t a = cell(from), b = cell(from + step * 0.999) + 1;
    if (b - a <= 2) a = cell(from + step / 2), b = a + 1;  // the one below the middle
    spans.first.push_back(falls ? n - b : a);
    spans.last.push_back(falls ? n - a : b);
  }
  return spans;
}

Color mean_color(const Mark& mark, size_t row, size_t row_end, size_t column, size_t column_end) {
  double sums[4] = {0, 0, 0, 0}, count = 0;
  const size_t channels = mark.z.channels;
  for (size_t i = row; i < row_end; ++i) {
    for (size_t j = column; j < column_end; ++j) {
      double v[4] = {0, 0, 0, 1};
      for (size_t c = 0; c < channels; ++c) v[c] = mark.z.at(i, j, c);
      if (!std::isfinite(v[0] + v[1] + v[2] + v[3])) continue;
      for (size_t c = 0; c < 4; ++c) sums[c] += v[c];
      ++count;
    }
  }
  if (count == 0) return {};
  if (channels == 1) return mark.coloring.color(sums[0] / count);
  const auto part = [&](size_t c) { return static_cast<float>(std::clamp(sums[c] / count, 0.0, 1.0)); };
  return {part(0), part(1), part(2), part(3)};
}

// Cells side by side that are all as wide and as high: a pixel each.
bool is_even(const Numbers& places, const Axis& axis) {
  if (axis.scale == Scale::log) return false;
  for (size_t i = 2; i < places.size(); ++i) {
    const double step = places[1] - places[0];
    if (std::abs(places[i] - places[i - 1] - step) > 1e-6 * step) return false;
  }
  return true;
}

Picture cells_as_pixels(const Mark& mark, const Frame& frame, const Box& box) {
  Picture picture;
  picture.box = box;
  picture.rows = static_cast<int>(mark.z.rows);
  picture.columns = static_cast<int>(mark.z.columns);
  const bool falls = frame.y.reversed;
  for (size_t row = 0; row < mark.z.rows; ++row) {
    const size_t i = falls ? row : mark.z.rows - 1 - row;
    for (size_t j = 0; j < mark.z.columns; ++j) picture.pixels.push_back(packed(mean_color(mark, i, i + 1, j, j + 1)));
  }
  return picture;
}

Picture pixels_of_page(const Mark& mark, const Frame& frame, const std::vector<double>& columns,
                       const std::vector<double>& rows, Box box) {
  box = {std::max(box.left, frame.box.left), std::max(box.top, frame.box.top), std::min(box.right, frame.box.right),
         std::min(box.bottom, frame.box.bottom)};
  Picture picture;
  picture.box = box;
  picture.columns = std::max(1, static_cast<int>(std::ceil(box.width() * frame.canvas.scale)));
  picture.rows = std::max(1, static_cast<int>(std::ceil(box.height() * frame.canvas.scale)));
  const Spans x = spans_of(columns, frame.x, box.left, box.right, static_cast<size_t>(picture.columns));
  const Spans y = spans_of(rows, frame.y, box.top, box.bottom, static_cast<size_t>(picture.rows));
  picture.pixels.reserve(static_cast<size_t>(picture.columns) * static_cast<size_t>(picture.rows));
  for (size_t r = 0; r < y.first.size(); ++r) {
    if (r % 64 == 0) frame.canvas.look();
    for (size_t c = 0; c < x.first.size(); ++c)
      picture.pixels.push_back(packed(mean_color(mark, y.first[r], y.last[r], x.first[c], x.last[c])));
  }
  return picture;
}

void add_cells(const Mark& mark, Frame& frame) {
  if (mark.z.rows == 0 || mark.z.columns == 0) return;
  const std::vector<double> columns = cell_edges(mark.x, frame.x.scale), rows = cell_edges(mark.y, frame.y.scale);
  if (columns.empty() || rows.empty()) return;
  const double a = frame.x.place(columns.front()), b = frame.x.place(columns.back());
  const double c = frame.y.place(rows.front()), d = frame.y.place(rows.back());
  if (std::isnan(a) || std::isnan(b) || std::isnan(c) || std::isnan(d)) return;
  const Box box{std::min(a, b), std::min(c, d), std::max(a, b), std::max(c, d)};
  if (box.left >= frame.box.right || box.right <= frame.box.left || box.top >= frame.box.bottom ||
      box.bottom <= frame.box.top)
    return;
  const double most = frame.canvas.scale;
  const bool coarse = static_cast<double>(mark.z.columns) < box.width() * most &&
                      static_cast<double>(mark.z.rows) < box.height() * most;
  // Of a zoomed page most cells lie outside: then only what is seen is made.
  const bool near = box.width() < 4 * frame.box.width() && box.height() < 4 * frame.box.height();
  const bool even = near && is_even(mark.x, frame.x) && is_even(mark.y, frame.y);
  frame.canvas.shades = true;
  Picture picture =
      coarse && even ? cells_as_pixels(mark, frame, box) : pixels_of_page(mark, frame, columns, rows, box);
  picture.clip = frame.clip;
  frame.canvas.items.emplace_back(std::move(picture));
}

void add_values(const Mark& mark, Frame& frame) {
  const double cell = frame.box.width() / static_cast<double>(std::max<size_t>(1, mark.z.columns));
  const double tall = frame.box.height() / static_cast<double>(std::max<size_t>(1, mark.z.rows));
  const double size = std::min({11.0, cell / 3.4, tall / 1.6});
  if (size < 4) return;
  for (size_t i = 0; i < mark.z.rows; ++i) {
    for (size_t j = 0; j < mark.z.columns; ++j) {
      const double v = mark.z.at(i, j);
      const Point p = frame.place(mark.x[j], mark.y[i]);
      if (!std::isfinite(v) || !finite(p) || !frame.box.contains(p)) continue;
      const bool bright = to_oklab(mark.coloring.color(v)).lightness > 0.62;
      Text text{{p.x, p.y + below_middle(size)},
                number_text(v),
                size,
                bright ? rgb(0x111111) : rgb(0xffffff),
                Anchor::middle};
      frame.canvas.items.emplace_back(std::move(text));
    }
  }
}

}  // namespace

void draw_heatmap(const Mark& mark, Frame& frame) {
  add_cells(mark, frame);
  if (mark.show_values && !frame.sketch) add_values(mark, frame);
}

void draw_image(const Mark& mark, Frame& frame) { add_cells(mark, frame); }

void draw_sparsity(const Mark& mark, Frame& frame) {
  const Color ink = mark.color ? ink_of(mark, frame.theme) : series_color(0, frame.theme.dark);
  const double cell = std::min(frame.box.width() / static_cast<double>(std::max<size_t>(1, mark.z.columns)),
                               frame.box.height() / static_cast<double>(std::max<size_t>(1, mark.z.rows)));
  // Small cells are painted a little larger than they are, so that one of a large matrix is still seen.
  const double half = std::max(cell * (cell > 6 ? 0.42 : 0.5), 0.5);
  Path cells;
  cells.closed = true;
  cells.fill = ink;
  cells.clip = frame.clip;
  const bool many = mark.u.size() > frame.canvas.max_marks;
  Raster raster(frame.box, frame.canvas.scale);
  if (many) raster.begin_discs(2 * half, static_cast<double>(ink.alpha));
  for (size_t i = 0; i < mark.u.size(); ++i) {
    const Point p = frame.place(mark.v[i], mark.u[i]);
    if (!finite(p)) continue;
    if (many) {
      raster.add_disc(p);
      continue;
    }
    cells.begin();
    for (const auto& [dx, dy] :
         {std::pair(-half, -half), std::pair(half, -half), std::pair(half, half), std::pair(-half, half)})
      cells.add({p.x + dx, p.y + dy});
  }
  if (many) {
    Picture picture = raster.discs(ink);
    picture.clip = frame.clip;
    frame.canvas.items.emplace_back(std::move(picture));
  } else if (!cells.points.empty()) {
    frame.canvas.items.emplace_back(std::move(cells));
  }
}

}  // namespace covec::plot
