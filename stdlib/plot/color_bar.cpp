// Draws the bar beside a plot that shows which colour stands for which number.
#include <algorithm>

#include "stdlib/canvas/font.hpp"
#include "stdlib/plot/panel.hpp"

namespace covec::plot {

namespace {

// The levels of contours, as many as there is room for.
Ticks level_ticks(const Mark& mark, double wanted) {
  Ticks ticks;
  const size_t step = static_cast<size_t>(static_cast<double>(mark.levels.size()) / (2 * wanted)) + 1;
  std::vector<double> values;
  for (size_t i = 0; i < mark.levels.size(); i += step) {
    if (mark.levels[i] >= mark.coloring.range.low && mark.levels[i] <= mark.coloring.range.high)
      values.push_back(mark.levels[i]);
  }
  for (const double value : values) ticks.major.push_back({value, number_text(value, 4)});
  double apart = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    if (i > 1 && std::abs(values[i] - values[i - 1] - apart) > 1e-9 * apart) return ticks;
    apart = values[i] - values[i - 1];
  }
  if (apart == 0) return ticks;
  const std::vector<std::string> texts = number_labels(values, apart, ticks.suffix);
  for (size_t i = 0; i < values.size(); ++i) ticks.major[i].text = texts[i];
  return ticks;
}

}  // namespace

Ticks bar_ticks(const Mark& mark, double height) {
  const Extent& range = mark.coloring.range;
  const double wanted = std::max(2.0, height / 42);
  if (mark.kind == Kind::contour) return level_ticks(mark, wanted);
  return mark.coloring.log ? log_ticks(range.low, range.high, wanted) : linear_ticks(range.low, range.high, wanted);
}

namespace {

double widest(const Ticks& ticks) {
  double width = text_width(ticks.suffix, tick_text) / 2;
  for (const Tick& tick : ticks.major) width = std::max(width, text_width(tick.text, tick_text));
  return width;
}

std::string bar_label(const Mark& mark) {
  return mark.kind == Kind::scatter || mark.kind == Kind::quiver ? "" : mark.label;
}

// A pixel for each colour; of contours for each band.
Picture strip(const Mark& mark, Box box) {
  Picture picture;
  picture.box = box;
  picture.columns = 1;
  picture.rows = 256;
  const Extent& range = mark.coloring.range;
  for (int i = 0; i < 256; ++i) {
    double share = 1 - (i + 0.5) / 256;
    if (mark.kind == Kind::contour && mark.filled) {
      const double v = range.low + share * (range.high - range.low);
      const auto above = std::upper_bound(mark.levels.begin(), mark.levels.end(), v);
      const double low = above == mark.levels.begin() ? range.low : std::max(range.low, *(above - 1));
      const double high = above == mark.levels.end() ? range.high : std::min(range.high, *above);
      share = mark.coloring.share(low / 2 + high / 2);
    }
    picture.pixels.push_back(packed(color_at(*mark.coloring.map, share)));
  }
  return picture;
}

}  // namespace

double bar_room(const Mark& mark) {
  const double label = bar_label(mark).empty() ? 0 : 2 * gap + label_text * line_height;
  return bar_width_on_page + tick_length + gap + widest(bar_ticks(mark, 250)) + label + 2;
}

void draw_color_bar(const Panel& panel, Canvas& canvas, const Theme& theme) {
  if (panel.bar == nullptr) return;
  const Mark& mark = *panel.bar;
  const double left = panel.plot.right + bar_gap;
  const Box box{left, panel.plot.top, left + bar_width_on_page, panel.plot.bottom};
  canvas.items.emplace_back(strip(mark, box));
  canvas.items.emplace_back(rectangle(box, {}, {theme.axis, 0.8}));
  const Ticks ticks = bar_ticks(mark, box.height());
  for (const Tick& tick : ticks.major) {
    const double y = box.bottom - mark.coloring.share(tick.value) * box.height();
    canvas.items.emplace_back(segment({box.right, y}, {box.right + tick_length, y}, {theme.axis, 1}));
    canvas.items.emplace_back(
        Text{{box.right + tick_length + gap, y + below_middle(tick_text)}, tick.text, tick_text, theme.ticks});
  }
  if (!ticks.suffix.empty())
    canvas.items.emplace_back(Text{{box.left, box.top - 6}, ticks.suffix, tick_text, theme.ticks});
  if (bar_label(mark).empty()) return;
  Text label{
      {box.right + tick_length + gap + widest(ticks) + 2 * gap + ascent * label_text, (box.top + box.bottom) / 2},
      elided(bar_label(mark), label_text, panel.cell.height()),
      label_text,
      theme.text,
      Anchor::middle};
  label.turn = -90;
  canvas.items.emplace_back(std::move(label));
}

}  // namespace covec::plot
