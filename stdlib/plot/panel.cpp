#include "stdlib/plot/panel.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "stdlib/canvas/font.hpp"
#include "stdlib/plot/histogram.hpp"

namespace covec::plot {

namespace {

constexpr double padding = 0.04;  // of the range, at each end of an axis
// Of a range's ends: the least length, far enough above 2^-1022 that parts of it are normal numbers, chosen; the
// largest number.
constexpr double least = 1e-290, largest = std::numeric_limits<double>::max();
constexpr double narrowest = 2e-15;  // a range as small beside its ends is a few numbers of f64

bool is_series(const Mark& mark) {
  switch (mark.kind) {
    case Kind::line:
    case Kind::scatter:
    case Kind::hist:
    case Kind::bar:
    case Kind::errorbar:
    case Kind::fill:
    case Kind::quiver: return !mark.color && !mark.colored();
    default: return false;
  }
}

void number_series(Axes& axes) {
  size_t number = 0;
  for (Mark& mark : axes.marks) {
    if (is_series(mark)) mark.number = number++;
  }
}

// The categories of an axis in the order in which they came, and where each lies. Bars and cells of one mark that have
// the same name lie side by side: there the k-th of a name has a place of its own. Points of one name share it.
class Categories {
 public:
  explicit Categories(std::vector<std::string>& names) : names_(names) {}
  Numbers places(const std::vector<std::string>& own, bool apart) {
    std::unordered_map<std::string_view, size_t> seen;
    std::vector<double> places;
    for (const std::string& name : own) places.push_back(static_cast<double>(place(name, apart ? seen[name]++ : 0)));
    return Numbers(std::move(places));
  }

 private:
  size_t place(const std::string& name, size_t which) {
    std::vector<size_t>& all = of_[name];
    while (all.size() <= which) {
      all.push_back(names_.size());
      names_.push_back(name);
    }
    return all[which];
  }
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::vector<size_t>> of_;
};

// Cells whose names another mark had in another order, or with others between, are put where the names are.
void rearrange(Mark& mark, Numbers& places, bool columns) {
  const auto all = places.all();
  bool in_order = true;
  for (size_t i = 1; i < all.size(); ++i) in_order &= all[i] == all[i - 1] + 1;
  if (in_order) return;
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  const double first = *low;
  const auto count = static_cast<size_t>(*high - first) + 1;
  Grid z;
  z.rows = columns ? mark.z.rows : count;
  z.columns = columns ? count : mark.z.columns;
  std::vector<double> cells(z.rows * z.columns, NAN), even(count);
  for (size_t i = 0; i < mark.z.rows; ++i) {
    for (size_t j = 0; j < mark.z.columns; ++j) {
      const auto at = static_cast<size_t>(all[columns ? j : i] - first);
      cells[(columns ? i : at) * z.columns + (columns ? at : j)] = mark.z.at(i, j);
    }
  }
  for (size_t i = 0; i < count; ++i) even[i] = first + static_cast<double>(i);
  z.cells = Numbers(std::move(cells));
  mark.z = std::move(z);
  places = Numbers(std::move(even));
}

// Histograms over each other let each other through.
void let_through(std::vector<Mark>& marks) {
  const auto is_hist = [](const Mark& m) { return m.kind == Kind::hist; };
  if (std::count_if(marks.begin(), marks.end(), is_hist) < 2) return;
  for (Mark& mark : marks) {
    if (is_hist(mark) && mark.alpha < 0) mark.alpha = 0.65;
  }
}

// Marks may know different categories: each gets its place among all of them.
void merge_names(Panel& panel) {
  Categories x(panel.x_names), y(panel.y_names);
  for (Mark& mark : panel.axes->marks) {
    const bool cells = mark.kind == Kind::heatmap, apart = cells || mark.kind == Kind::bar;
    if (!mark.names.empty()) {
      mark.x = (mark.horizontal ? y : x).places(mark.names, apart);
      if (cells) rearrange(mark, mark.x, true);
    }
    if (mark.y_names.empty()) continue;
    mark.y = y.places(mark.y_names, apart);
    if (cells) rearrange(mark, mark.y, false);
  }
}

const Numbers& colored_numbers(const Mark& mark) { return mark.values.empty() ? mark.z.cells : mark.values; }

void find_colors(Mark& mark) {
  Coloring& c = mark.coloring;
  if (c.map == nullptr) return;
  for (const double v : colored_numbers(mark).all()) {
    if (!c.log || v > 0) c.range.add(v);
  }
  if (c.range.empty()) c.range = c.log ? Extent{1, 10} : Extent{0, 1};
  if (c.low) c.range = {*c.low, *c.high};
  if (c.center && c.log) {
    const double reach = std::max(c.range.high / *c.center, *c.center / c.range.low);
    c.range = {*c.center / reach, *c.center * reach};
  } else if (c.center) {
    const double reach = std::max(std::abs(c.range.high - *c.center), std::abs(c.range.low - *c.center));
    c.range = {*c.center - reach, *c.center + reach};
  }
  if (c.range.low == c.range.high) {
    const double half = c.range.low == 0 ? 0.5 : std::abs(c.range.low) / 2;
    c.range = {c.range.low - half, c.range.high + half};
  }
}

bool is_cells(const Mark& mark) {
  return mark.kind == Kind::heatmap || mark.kind == Kind::image || mark.kind == Kind::sparsity ||
         (mark.kind == Kind::contour && mark.filled);
}

// One bar explains the colours of all marks of one kind that share a map: so they share its range.
void share_ranges(std::vector<Mark>& marks) {
  const auto open = [](const Mark& m) { return m.colored() && !m.coloring.low && m.kind != Kind::image; };
  for (Mark& mark : marks) {
    if (!open(mark)) continue;
    for (const Mark& other : marks) {
      const Coloring& c = other.coloring;
      if (!open(other) || other.kind != mark.kind || c.map != mark.coloring.map || c.log != mark.coloring.log ||
          c.center != mark.coloring.center)
        continue;
      for (const double v : {c.range.low, c.range.high}) mark.coloring.range.add(v);
    }
  }
}

Scale scale_of(const AxisOptions& options, bool time, bool names) {
  if (options.scale) return *options.scale;
  return names ? Scale::category : time ? Scale::time : Scale::linear;
}

double widened(double at, Scale scale, double by) {
  if (scale == Scale::log) return at * (by > 0 ? 2 : 0.5);
  return at + by * (at == 0 ? 1 : scale == Scale::time ? 1 : std::max(std::abs(at) * 0.05, least));
}

// Within what f64 can reckon with, and never without width.
Extent usable(Extent extent, Scale scale) {
  if (extent.empty()) return scale == Scale::log ? Extent{1, 10} : Extent{0, 1};
  const double lowest = scale == Scale::log ? 1e-307 : -largest;
  extent = {std::clamp(extent.low, lowest, largest), std::clamp(extent.high, lowest, largest)};
  const double size = std::max(std::abs(extent.low), std::abs(extent.high));
  const bool narrow =
      scale == Scale::log ? extent.low == extent.high : extent.high - extent.low <= std::max(narrowest * size, least);
  if (!narrow) return extent;
  return {std::max(widened(extent.low, scale, -1), lowest), std::min(widened(extent.high, scale, 1), largest)};
}

Extent padded(const Extent& extent, Scale scale) {
  if (scale != Scale::log) {
    const double room = padding * extent.high - padding * extent.low;
    return {std::max(extent.low - room, -largest), std::min(extent.high + room, largest)};
  }
  const double factor = std::exp(padding * (std::log(extent.high) - std::log(extent.low)));
  return {extent.low / factor, std::min(extent.high * factor, largest)};
}

void set_limits(Axis& axis, const AxisOptions& options, Extent extent, const std::vector<double>& tight, size_t names) {
  const bool named = names > 0;
  if (named && tight.size() < 2) extent = {-0.5 - padding, static_cast<double>(names) - 0.5 + padding};
  extent = usable(extent, axis.scale);
  const Extent wide = padded(extent, axis.scale);
  const auto is_tight = [&](double v) { return named || std::find(tight.begin(), tight.end(), v) != tight.end(); };
  extent = {options.low.value_or(is_tight(extent.low) ? extent.low : wide.low),
            options.high.value_or(is_tight(extent.high) ? extent.high : wide.high)};
  if (!(extent.low < extent.high)) extent.high = extent.low;  // one limit was given, beyond the data
  extent = usable(extent, axis.scale);
  axis.low = extent.low;
  axis.high = extent.high;
}

bool explains_colors(const Mark& mark) {
  if (!mark.colored() || mark.kind == Kind::image) return false;
  if (mark.kind == Kind::contour) return mark.filled && !mark.levels.empty();
  return mark.kind != Kind::surface;
}

std::string non_zero(const Mark& mark) {
  return std::to_string(mark.u.size()) + " of " + std::to_string(mark.z.rows * mark.z.columns) + " are not zero";
}

// On a logarithmic axis bins are equally wide there.
std::vector<double> log_edges(const Numbers& x, size_t bins) {
  std::vector<double> powers;
  for (const double v : x.all()) {
    if (v > 0 && std::isfinite(v)) powers.push_back(std::log10(v));
  }
  if (powers.empty()) return {1, 10};
  std::vector<double> edges = bin_edges(powers, bins);
  for (double& edge : edges) edge = std::pow(10.0, edge);
  // Powers of logarithms are rounded: the outermost numbers are in.
  const auto [low, high] = std::minmax_element(powers.begin(), powers.end());
  if (*low < *high) edges.front() *= 1 - 1e-12, edges.back() *= 1 + 1e-12;
  return edges;
}

void count_bins(Mark& mark, Scale scale) {
  if (mark.kind != Kind::hist) return;
  std::vector<double> edges(mark.edges.all().begin(), mark.edges.all().end());
  if (edges.empty()) edges = scale == Scale::log ? log_edges(mark.x, mark.bins) : bin_edges(mark.x.all(), mark.bins);
  mark.y = Numbers(bin_counts(mark.x.all(), edges, mark.density));
  mark.edges = Numbers(std::move(edges));
}

void find_limits(Panel& panel) {
  Extent x, y;
  std::vector<double> tight_x, tight_y;
  for (const Mark& mark : panel.axes->marks) {
    const Cover cover = cover_of(mark, panel.x.scale, panel.y.scale);
    for (const double v : {cover.x.low, cover.x.high}) x.add(v);
    for (const double v : {cover.y.low, cover.y.high}) y.add(v);
    tight_x.insert(tight_x.end(), cover.tight_x.begin(), cover.tight_x.end());
    tight_y.insert(tight_y.end(), cover.tight_y.begin(), cover.tight_y.end());
  }
  set_limits(panel.x, panel.axes->x, x, tight_x, panel.x_names.size());
  set_limits(panel.y, panel.axes->y, y, tight_y, panel.y_names.size());
}

// Ticks of time belong under bars, not between them.
void find_bar_places(Panel& panel) {
  for (const Mark& mark : panel.axes->marks) {
    if (mark.kind != Kind::bar || !mark.x_time) continue;
    std::vector<double>& places = mark.horizontal ? panel.y_bars : panel.x_bars;
    std::copy_if(mark.x.all().begin(), mark.x.all().end(), std::back_inserter(places),
                 [](double v) { return std::isfinite(v); });
  }
  for (std::vector<double>* places : {&panel.x_bars, &panel.y_bars}) {
    std::sort(places->begin(), places->end());
    places->erase(std::unique(places->begin(), places->end()), places->end());
  }
}

}  // namespace

void prepare(Panel& panel) {
  Axes& axes = *panel.axes;
  number_series(axes);
  let_through(axes.marks);
  merge_names(panel);
  bool x_time = false, y_time = false;
  for (Mark& mark : axes.marks) {
    find_colors(mark);
    (mark.horizontal ? y_time : x_time) |= mark.x_time;
    y_time |= mark.y_time;
    panel.x_whole |= mark.counted_x;
    panel.y_whole |= mark.counted_y;
    if (panel.bar == nullptr && explains_colors(mark)) panel.bar = &mark;
    panel.y.reversed |= mark.kind == Kind::image || mark.kind == Kind::sparsity;
  }
  if (axes.marks.size() == 1 && axes.marks[0].kind == Kind::sparsity && axes.x.label.empty())
    axes.x.label = non_zero(axes.marks[0]);
  share_ranges(axes.marks);
  panel.x.scale = scale_of(axes.x, x_time, !panel.x_names.empty());
  panel.y.scale = scale_of(axes.y, y_time, !panel.y_names.empty());
  for (Mark& mark : axes.marks) count_bins(mark, panel.x.scale);
  find_bar_places(panel);
  find_limits(panel);
}

namespace {

Ticks ticks_of(const Axis& axis, const std::vector<std::string>& names, double longest, const std::vector<double>& bars,
               bool whole, double wanted) {
  if (axis.scale == Scale::time && !bars.empty()) {
    std::vector<double> seen;
    std::copy_if(bars.begin(), bars.end(), std::back_inserter(seen),
                 [&](double v) { return v >= axis.low && v <= axis.high; });
    return time_ticks_at(seen, wanted);
  }
  if (whole && axis.scale == Scale::linear) return whole_ticks(axis.low, axis.high, wanted);
  switch (axis.scale) {
    case Scale::log: return log_ticks(axis.low, axis.high, wanted);
    case Scale::time: return time_ticks(axis.low, axis.high, wanted);
    case Scale::linear: return linear_ticks(axis.low, axis.high, wanted);
    case Scale::category: break;
  }
  Ticks ticks;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto at = static_cast<double>(i);
    if (at >= axis.low && at <= axis.high) ticks.major.push_back({at, elided(names[i], tick_text, longest)});
  }
  return ticks;
}

// Whether texts below the axis come too near to each other.
bool crowded(const Ticks& ticks, const Axis& axis, double width) {
  double end = -INFINITY, end_below = -INFINITY;
  for (const Tick& tick : ticks.major) {
    const double at = axis.share(tick.value) * width;
    const double half = text_width(tick.text, tick_text) / 2, half_below = text_width(tick.below, tick_text) / 2;
    if (at - half < end + 8) return true;
    end = at + half;
    if (tick.below.empty()) continue;
    if (at - half_below < end_below + 8) return true;
    end_below = at + half_below;
  }
  return false;
}

void thin_out(Ticks& ticks, size_t most) {
  if (ticks.major.size() <= most) return;
  const size_t step = (ticks.major.size() + most - 1) / most;
  std::vector<Tick> kept;
  for (size_t i = 0; i < ticks.major.size(); i += step) kept.push_back(ticks.major[i]);
  ticks.major = std::move(kept);
}

}  // namespace

std::vector<const Mark*> in_layers(const Axes& axes) {
  const auto layer = [](const Mark* m) { return is_cells(*m) ? 0 : m->kind == Kind::fill ? 1 : 2; };
  std::vector<const Mark*> marks;
  for (const Mark& mark : axes.marks) marks.push_back(&mark);
  std::stable_sort(marks.begin(), marks.end(), [&](const Mark* a, const Mark* b) { return layer(a) < layer(b); });
  return marks;
}

void place_ticks(Panel& panel, double width, double height) {
  panel.slanted = false;
  for (double wanted = std::max(2.0, width / 70);; wanted *= 0.8) {
    panel.x_ticks = ticks_of(panel.x, panel.x_names, panel.longest_name, panel.x_bars, panel.x_whole, wanted);
    if (wanted < 2 || panel.x.scale == Scale::category || !crowded(panel.x_ticks, panel.x, width)) break;
  }
  if (panel.x.scale == Scale::category && crowded(panel.x_ticks, panel.x, width)) {
    panel.slanted = true;
    thin_out(panel.x_ticks, static_cast<size_t>(std::max(1.0, width / (2 * tick_text))));
  }
  panel.y_ticks =
      ticks_of(panel.y, panel.y_names, panel.longest_name, panel.y_bars, panel.y_whole, std::max(2.0, height / 42));
  if (panel.y.scale == Scale::category)
    thin_out(panel.y_ticks, static_cast<size_t>(std::max(1.0, height / (1.2 * tick_text))));
}

namespace {

constexpr double slant = 35;  // degrees

double widest(const Ticks& ticks) {
  double width = 0;
  for (const Tick& tick : ticks.major) width = std::max(width, text_width(tick.text, tick_text));
  return width;
}

bool has_second_line(const Ticks& ticks) {
  return std::any_of(ticks.major.begin(), ticks.major.end(), [](const Tick& t) { return !t.below.empty(); });
}

double room_below(const Panel& panel) {
  double room = tick_length + gap + tick_text * line_height;
  if (panel.slanted) room = tick_length + gap + 0.58 * widest(panel.x_ticks) + tick_text;
  if (has_second_line(panel.x_ticks)) room += tick_text * line_height;
  if (!panel.axes->x.label.empty()) room += gap + label_text * line_height;
  return room;
}

double room_left(const Panel& panel) {
  const double texts = has_second_line(panel.y_ticks) ? text_width("May 2024", tick_text) : 0;
  double room = tick_length + gap + std::max(widest(panel.y_ticks), texts);
  if (!panel.axes->y.label.empty()) room += 2 * gap + label_text * line_height;
  return room;
}

// How far texts below the axis reach to the left of it.
double reach_left(const Panel& panel) {
  double reach = 0;
  for (const Tick& tick : panel.x_ticks.major) {
    const double at = std::max(0.0, panel.x.share(tick.value)) * std::max(panel.plot.width(), 100.0);
    const double half = std::max(text_width(tick.text, tick_text), text_width(tick.below, tick_text)) / 2;
    reach = std::max(reach, (panel.slanted ? 0.82 * text_width(tick.text, tick_text) + 4 : half) - at);
  }
  return reach;
}

// How far the outermost text below the axis reaches beyond it.
double overhang(const Panel& panel) {
  if (panel.x_ticks.major.empty() || panel.slanted) return 6;
  const Tick& last = panel.x_ticks.major.back();
  const double half = std::max(text_width(last.text, tick_text), text_width(last.below, tick_text)) / 2;
  const double left = panel.plot.width() > 0 ? (1 - panel.x.share(last.value)) * panel.plot.width() : 0;
  return std::max(4.0, half - left + 1);
}

}  // namespace

Margins margins_of(const Panel& panel) {
  Margins m;
  m.top = panel.axes->title.empty() ? 4 : title_text * line_height + 8;
  if (panel.solid()) return {10, m.top, 10, 10};
  if (!panel.y_ticks.suffix.empty()) m.top += tick_text * line_height + 2;
  m.left = std::max(room_left(panel), reach_left(panel));
  m.bottom = room_below(panel);
  m.right = overhang(panel);
  if (!panel.x_ticks.suffix.empty() && panel.axes->x.label.empty()) m.bottom += tick_text * line_height;
  if (panel.bar != nullptr) m.right = std::max(m.right, bar_gap + bar_room(*panel.bar));
  const std::vector<Entry> entries = entries_on_page(panel);
  if (panel.axes->legend == Legend::outside && !entries.empty()) m.right += 14 + legend_size(entries).x;
  return m;
}

namespace {

// On the nearest edge of a pixel, so that thin lines are sharp.
double crisp(double at, const Canvas& canvas) { return (std::floor(at * canvas.scale) + 0.5) / canvas.scale; }

void add_text(Canvas& canvas, Point at, std::string text, double size, Color color, Anchor anchor, bool bold = false,
              double turn = 0) {
  if (text.empty()) return;
  Text item{at, std::move(text), size, color, anchor};
  item.bold = bold;
  item.turn = turn;
  canvas.items.emplace_back(std::move(item));
}

void draw_x_ticks(const Panel& panel, Canvas& canvas, const Theme& theme) {
  const Box& box = panel.plot;
  for (const Tick& tick : panel.x_ticks.major) {
    const double at = panel.x.place(tick.value), x = crisp(at, canvas);
    if (panel.x.scale != Scale::category)
      canvas.items.emplace_back(segment({x, box.bottom}, {x, box.bottom + tick_length}, {theme.axis, 1}));
    const double y = box.bottom + tick_length + gap + ascent * tick_text;
    if (panel.slanted) {
      add_text(canvas, {at + 4, y - 3}, tick.text, tick_text, theme.ticks, Anchor::end, false, -slant);
      continue;
    }
    add_text(canvas, {at, y}, tick.text, tick_text, theme.ticks, Anchor::middle);
    add_text(canvas, {at, y + tick_text * line_height}, tick.below, tick_text, theme.ticks, Anchor::middle);
  }
  for (const double value : panel.x_ticks.minor) {
    const double x = crisp(panel.x.place(value), canvas);
    canvas.items.emplace_back(segment({x, box.bottom}, {x, box.bottom + tick_length / 2}, {theme.axis, 0.7}));
  }
}

void draw_y_ticks(const Panel& panel, Canvas& canvas, const Theme& theme) {
  const Box& box = panel.plot;
  for (const Tick& tick : panel.y_ticks.major) {
    const double at = panel.y.place(tick.value), y = crisp(at, canvas);
    if (panel.y.scale != Scale::category)
      canvas.items.emplace_back(segment({box.left - tick_length, y}, {box.left, y}, {theme.axis, 1}));
    const double x = box.left - tick_length - gap, down = tick.below.empty() ? 0 : tick_text * line_height / 2;
    add_text(canvas, {x, at + below_middle(tick_text) - down}, tick.text, tick_text, theme.ticks, Anchor::end);
    add_text(canvas, {x, at + below_middle(tick_text) + down}, tick.below, tick_text, theme.ticks, Anchor::end);
  }
  for (const double value : panel.y_ticks.minor) {
    const double y = crisp(panel.y.place(value), canvas);
    canvas.items.emplace_back(segment({box.left - tick_length / 2, y}, {box.left, y}, {theme.axis, 0.7}));
  }
}

void draw_labels(const Panel& panel, Canvas& canvas, const Theme& theme) {
  const Box& box = panel.plot;
  const Axes& axes = *panel.axes;
  const double wide = 2 * std::min((box.left + box.right) / 2 - panel.cell.left,
                                   panel.cell.right - (box.left + box.right) / 2),
               high = 2 * std::min((box.top + box.bottom) / 2 - panel.cell.top,
                                   panel.cell.bottom - (box.top + box.bottom) / 2);
  const double below = box.bottom + room_below(panel) - label_text * line_height + ascent * label_text;
  if (!axes.x.label.empty())
    add_text(canvas, {(box.left + box.right) / 2, below}, elided(axes.x.label, label_text, wide), label_text,
             theme.text, Anchor::middle);
  if (!axes.y.label.empty()) {
    const double x = box.left - room_left(panel) + ascent * label_text;
    add_text(canvas, {x, (box.top + box.bottom) / 2}, elided(axes.y.label, label_text, high), label_text, theme.text,
             Anchor::middle, false, -90);
  }
  const double above = box.top - 6;
  if (!panel.y_ticks.suffix.empty())
    add_text(canvas, {box.left, above}, panel.y_ticks.suffix, tick_text, theme.ticks, Anchor::middle);
  if (!panel.x_ticks.suffix.empty()) {
    const double y = axes.x.label.empty() ? box.bottom + room_below(panel) + ascent * tick_text : below;
    add_text(canvas, {box.right, y}, panel.x_ticks.suffix, tick_text, theme.ticks, Anchor::end);
  }
}

bool has_cells(const Panel& panel) { return std::any_of(panel.axes->marks.begin(), panel.axes->marks.end(), is_cells); }

}  // namespace

void draw_grid_lines(const Panel& panel, Canvas& canvas, const Theme& theme, bool above) {
  const Box& box = panel.plot;
  const bool cells = has_cells(panel);
  if (panel.axes->grid == Lines::none || cells != above || (cells && panel.axes->grid != Lines::drawn)) return;
  const Color color = cells ? theme.text.with_alpha(0.3) : theme.grid;
  if (panel.x.scale != Scale::category) {
    for (const Tick& tick : panel.x_ticks.major) {
      const double x = crisp(panel.x.place(tick.value), canvas);
      canvas.items.emplace_back(segment({x, box.top}, {x, box.bottom}, {color, 0.8}));
    }
  }
  if (panel.y.scale == Scale::category) return;
  for (const Tick& tick : panel.y_ticks.major) {
    const double y = crisp(panel.y.place(tick.value), canvas);
    canvas.items.emplace_back(segment({box.left, y}, {box.right, y}, {color, 0.8}));
  }
}

void draw_axes(const Panel& panel, Canvas& canvas, const Theme& theme) {
  const Box& box = panel.plot;
  const Axes& axes = *panel.axes;
  if (!panel.solid()) {
    const double left = crisp(box.left, canvas), bottom = crisp(box.bottom, canvas);
    if (has_cells(panel)) {
      canvas.items.emplace_back(
          rectangle({left, crisp(box.top, canvas), crisp(box.right, canvas), bottom}, {}, {theme.axis, 0.8}));
    } else {
      Path lines = segment({left, box.top}, {left, bottom}, {theme.axis, 1});
      lines.add({box.right, bottom});
      canvas.items.emplace_back(std::move(lines));
    }
    draw_x_ticks(panel, canvas, theme);
    draw_y_ticks(panel, canvas, theme);
    draw_labels(panel, canvas, theme);
  }
  const double top = box.top - 8 - (panel.y_ticks.suffix.empty() || panel.solid() ? 0 : tick_text * line_height + 2);
  const double middle = (box.left + box.right) / 2,
               wide = 2 * std::min(middle - panel.cell.left, panel.cell.right - middle);
  add_text(canvas, {middle, top - descent * title_text + 1}, elided(axes.title, title_text, wide, true), title_text,
           theme.text, Anchor::middle, true);
}

}  // namespace covec::plot
