#include "stdlib/plot/page.hpp"

#include <algorithm>

#include "stdlib/canvas/font.hpp"
#include "stdlib/plot/panel.hpp"
#include "stdlib/plot/surface.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::plot {

namespace {

constexpr double edge = 12, between_plots = 22;  // around the page, and between plots
// Pixels: a side, all, and pictures in a vector format; libcairo holds sides up to 32767.
constexpr double max_side = 32000, max_pixels = 1e8, max_within = 1e7;
constexpr double least_side = 80;  // of a plot of equal units

class Page {
 public:
  Page(Figure& figure, const PageOptions& options)
      : figure_(figure), theme_(theme_of(figure.dark)), vector_(options.vector) {
    for (std::vector<Axes>& row : figure.rows) {
      std::vector<Panel>& panels = rows_.emplace_back();
      for (Axes& axes : row) prepare(panels.emplace_back(axes));
      columns_ = std::max(columns_, row.size());
    }
    canvas_.scale = options.scale;
    canvas_.max_marks = options.max_marks;
    canvas_.max_items = options.max_items;
    canvas_.context = options.context;
    canvas_.background = theme_.page;
    canvas_.width = figure.width > 0 ? figure.width : columns_ <= 1 ? 600 : 380 * static_cast<double>(columns_);
    canvas_.height = figure.height > 0                    ? figure.height
                     : rows_.size() <= 1 && columns_ <= 1 ? 400
                                                          : 300 * static_cast<double>(rows_.size());
  }

  Canvas draw() {
    arrange();
    limit_pixels();
    for (std::vector<Panel>& row : rows_) {
      for (Panel& panel : row) {
        if (!paint(panel)) {  // the legend finds no room within: once more, with it outside
          panel.axes->legend = Legend::outside;
          canvas_.items.clear();
          canvas_.clips.clear();
          return draw();
        }
      }
    }
    if (!figure_.title.empty()) {
      Text title{{canvas_.width / 2, edge + ascent * page_title_text},
                 elided(figure_.title, page_title_text, canvas_.width - 2 * edge, true),
                 page_title_text,
                 theme_.text,
                 Anchor::middle};
      title.bold = true;
      canvas_.items.emplace_back(std::move(title));
    }
    return std::move(canvas_);
  }

 private:
  // What a PNG's painter, a reader of pictures and a computer's memory hold. Pictures within a larger page are coarser.
  void limit_pixels() {
    if (vector_) {
      const double widest = std::max(canvas_.width, canvas_.height), area = canvas_.width * canvas_.height;
      canvas_.scale = std::min({canvas_.scale, max_side / widest, std::sqrt(max_within / area)});
      return;
    }
    const double columns = canvas_.width * canvas_.scale, rows = canvas_.height * canvas_.scale;
    if (columns <= max_side && rows <= max_side && columns * rows <= max_pixels) return;
    const auto whole = [](double v) { return std::to_string(std::llround(v)); };
    fail(message("plot_data"),
         {"save", "a page of " + whole(columns) + " × " + whole(rows) + " pixels is too large: at most " +
                      whole(max_side) + " each way and " + whole(max_pixels) + " in all"},
         {}, "make `page` or `scale` smaller");
  }

  // Ticks need the size of the plots, and the margins the ticks: twice settles both.
  void arrange() {
    const double columns = static_cast<double>(columns_), rows = static_cast<double>(rows_.size());
    for (std::vector<Panel>& row : rows_) {
      for (Panel& panel : row) {
        panel.cell = {0, 0, canvas_.width / columns, canvas_.height / rows};
        panel.longest_name = std::min(160.0, 0.3 * std::min(panel.cell.width(), 1.3 * panel.cell.height()));
        place_ticks(panel, 300, 200);
      }
    }
    for (int round = 0; round < 3; ++round) {
      place_plots();
      if (round == 0) fit_page();
      for (std::vector<Panel>& row : rows_) {
        for (Panel& panel : row) {
          if (!panel.solid()) place_ticks(panel, panel.plot.width(), panel.plot.height());
        }
      }
    }
    place_plots();
  }

  // Each row and column of plots has the largest margins of its plots, so that axes stand in line; what is left is
  // shared.
  void place_plots() {
    std::vector<double> lefts(columns_), rights(columns_), tops(rows_.size()), bottoms(rows_.size());
    for (size_t r = 0; r < rows_.size(); ++r) {
      for (size_t c = 0; c < rows_[r].size(); ++c) {
        const Margins m = margins_of(rows_[r][c]);
        lefts[c] = std::max(lefts[c], m.left);
        rights[c] = std::max(rights[c], m.right);
        tops[r] = std::max(tops[r], m.top);
        bottoms[r] = std::max(bottoms[r], m.bottom);
      }
    }
    const double title = figure_.title.empty() ? 0 : page_title_text * line_height + 4;
    const double width = share(canvas_.width, lefts, rights), height = share(canvas_.height - title, tops, bottoms);
    double y = edge + title;
    for (size_t r = 0; r < rows_.size(); ++r) {
      double x = edge;
      for (size_t c = 0; c < rows_[r].size(); ++c) {
        rows_[r][c].cell = {x, y, x + lefts[c] + width + rights[c], y + tops[r] + height + bottoms[r]};
        place(rows_[r][c], {x + lefts[c], y + tops[r], x + lefts[c] + width, y + tops[r] + height});
        x += lefts[c] + width + rights[c] + between_plots;
      }
      y += tops[r] + height + bottoms[r] + between_plots;
    }
  }

  static double share(double whole, const std::vector<double>& before, const std::vector<double>& after) {
    double rest = whole - 2 * edge - between_plots * static_cast<double>(before.size() - 1);
    for (size_t i = 0; i < before.size(); ++i) rest -= before[i] + after[i];
    return std::max(20.0, rest / static_cast<double>(before.size()));
  }

  void place(Panel& panel, Box box) const {
    if (panel.axes->equal && !panel.solid()) widen_narrow(panel, box), box = squared(panel, box);
    // Whole pixels, so that pictures and edges are sharp.
    const auto whole = [&](double v) { return std::round(v * canvas_.scale) / canvas_.scale; };
    panel.plot = {whole(box.left), whole(box.top), whole(box.right), whole(box.bottom)};
    panel.x.from = panel.plot.left;
    panel.x.to = panel.plot.right;
    panel.y.from = panel.plot.bottom;
    panel.y.to = panel.plot.top;
  }

  // How many units of the axis there are; on a logarithmic one a unit is a decade.
  static double units(const Axis& axis) {
    return axis.scale == Scale::log ? std::log10(axis.high) - std::log10(axis.low) : axis.high - axis.low;
  }
  static double aspect(const Panel& panel) { return units(panel.x) / units(panel.y); }

  // Ranges so unlike that a plot of equal units would be a thread: the smaller one shows more.
  static void widen_narrow(Panel& panel, const Box& box) {
    const double a = aspect(panel);
    if (!std::isfinite(a) || !(a > 0)) return;
    const double widest = box.width() / std::min(least_side, box.height()),
                 highest = std::min(least_side, box.width()) / box.height();
    if (a > widest) widen(panel.y, a / widest);
    if (a < highest) widen(panel.x, highest / a);
  }
  static void widen(Axis& axis, double factor) {
    if (axis.scale == Scale::log) {
      const double middle = (std::log(axis.low) + std::log(axis.high)) / 2, half = std::log(axis.high) - middle;
      axis.low = std::exp(middle - factor * half), axis.high = std::exp(middle + factor * half);
      return;
    }
    const double middle = axis.low / 2 + axis.high / 2, half = axis.high - middle;
    axis.low = middle - factor * half, axis.high = middle + factor * half;
  }

  // The largest box in the middle in which a unit is as long across as along.
  static Box squared(const Panel& panel, const Box& box) {
    const double a = aspect(panel);
    if (!std::isfinite(a) || !(a > 0)) return box;
    const double width = std::max(1.0, std::min(box.width(), box.height() * a)), height = std::max(1.0, width / a);
    const double x = (box.left + box.right - width) / 2, y = (box.top + box.bottom - height) / 2;
    return {x, y, x + width, y + height};
  }

  // A page that nobody gave a size, with one plot of equal units, has no more room at the sides than it needs.
  void fit_page() {
    const bool one = rows_.size() == 1 && rows_[0].size() == 1;
    if (!one || figure_.width > 0 || !rows_[0][0].axes->equal || rows_[0][0].solid()) return;
    Panel& panel = rows_[0][0];
    const Margins m = margins_of(panel);
    widen_narrow(panel, {0, 0, 500, 300});
    const double height = canvas_.height - 2 * edge - m.top - m.bottom, a = aspect(panel);
    if (!std::isfinite(a) || !(a > 0)) return;
    const double width = std::clamp(height * a, 150.0, 800.0);
    canvas_.width = std::ceil(width + m.left + m.right + 2 * edge);
    if (a * height > width) canvas_.height = std::ceil(std::max(width / a, 60.0) + m.top + m.bottom + 2 * edge);
    place_plots();
  }

  bool paint(Panel& panel) {
    if (panel.solid()) {
      draw_surface(panel.axes->marks[0], *panel.axes, panel.plot, canvas_, theme_, false);
      draw_axes(panel, canvas_, theme_);
      return true;
    }
    draw_grid_lines(panel, canvas_, theme_, false);
    const size_t first = canvas_.items.size();
    Frame frame{panel.x, panel.y, panel.plot, canvas_, theme_, canvas_.clip(panel.plot)};
    for (const Mark* mark : in_layers(*panel.axes)) plot::draw(*mark, frame);
    draw_grid_lines(panel, canvas_, theme_, true);
    const size_t last = canvas_.items.size();
    draw_axes(panel, canvas_, theme_);
    draw_color_bar(panel, canvas_, theme_);
    canvas_.items.reserve(canvas_.items.size() + 16);
    return legend(panel, first, last);
  }

  bool legend(const Panel& panel, size_t first, size_t last) {
    // Only marks are in the legend's way.
    std::vector<Item> others(std::make_move_iterator(canvas_.items.begin() + static_cast<ptrdiff_t>(last)),
                             std::make_move_iterator(canvas_.items.end()));
    canvas_.items.resize(last);
    const size_t before = canvas_.items.size();
    const bool found = draw_legend(panel, canvas_, theme_, first);
    std::vector<Item> drawn(std::make_move_iterator(canvas_.items.begin() + static_cast<ptrdiff_t>(before)),
                            std::make_move_iterator(canvas_.items.end()));
    canvas_.items.resize(before);
    for (std::vector<Item>* list : {&others, &drawn}) {
      for (Item& item : *list) canvas_.items.emplace_back(std::move(item));
    }
    return found;
  }

  Figure& figure_;
  const Theme& theme_;
  bool vector_;
  std::vector<std::vector<Panel>> rows_;
  size_t columns_ = 0;
  Canvas canvas_;
};

}  // namespace

PageOptions page_options(bool is_vector, double scale, const ops::Context& context) {
  PageOptions options;
  options.scale = scale;
  options.vector = is_vector;
  options.max_marks = is_vector ? 10000 : 2000;
  options.max_items = is_vector ? 10000 : SIZE_MAX;
  options.context = &context;
  return options;
}

Canvas draw_page(Figure& figure, const PageOptions& options) { return Page(figure, options).draw(); }

}  // namespace covec::plot
