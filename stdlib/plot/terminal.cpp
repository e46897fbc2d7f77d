#include "stdlib/plot/terminal.hpp"

#include <algorithm>
#include <array>

#include "stdlib/canvas/screen.hpp"
#include "stdlib/plot/panel.hpp"
#include "stdlib/plot/surface.hpp"

namespace covec::plot {

namespace {

// As many characters of a text as fit.
std::string fitted(const std::string& text, int cells) {
  if (cells_of(text) <= cells) return text;
  return first_cells(text, std::max(0, cells - 1)) + "…";
}

// How wide and high a cell is, for those who reckon ticks in units of a page.
constexpr double cell_width = 7.5, cell_height = 15;

struct Area {
  int left, top, columns, rows;
};

int widest(const Ticks& ticks) {
  int width = 0;
  for (const Tick& tick : ticks.major) width = std::max(width, cells_of(tick.text));
  return width;
}

class TextPanel {
 public:
  TextPanel(Axes& axes, Screen& screen, Area area, const Theme& theme, bool colors, const ops::Context* context)
      : panel_(axes), screen_(screen), area_(area), theme_(theme), colors_(colors), context_(context) {
    panel_.longest_name = INFINITY;  // names are cut to cells
    // Shades of characters rise with the numbers, whatever the map.
    for (Mark& mark : axes.marks) {
      if (!colors && mark.colored()) mark.coloring.map = color_map("grey");
    }
    prepare(panel_);
  }

  void draw() {
    header();
    panel_.solid() ? solid() : plane();
  }

 private:
  Color color(Color c) const { return colors_ ? c : Color{}; }

  void centered(int row, const std::string& whole) {
    const std::string text = fitted(whole, area_.columns);
    screen_.write(area_.left + (area_.columns - cells_of(text)) / 2, row, text);
  }

  void header() {
    top_ = area_.top;
    if (!panel_.axes->title.empty()) centered(top_++, panel_.axes->title);
    const std::vector<Entry> entries = entries_of(*panel_.axes);
    if (entries.empty()) return;
    int at = area_.left + 1;
    const int last = top_ + std::max(1, area_.rows / 4) - 1;
    for (size_t i = 0; i < entries.size(); ++i) {
      const std::string label = fitted(entries[i].label, area_.columns - 4);
      const int width = cells_of(label) + 4;
      if (at > area_.left + 1 && at + width > area_.left + area_.columns) {
        if (top_ == last) break;
        at = area_.left + 1, ++top_;
      }
      screen_.write(at, top_, sample(*entries[i].mark), color(ink(*entries[i].mark)));
      screen_.write(at + 2, top_, label);
      at += width;
    }
    ++top_;
  }

  // Where there are no colours, areas of a colour more have another character: Dots counts them alike.
  std::string area_sample(const Mark& mark) const {
    std::vector<Color> inks;
    for (const Mark* other : in_layers(*panel_.axes)) {
      if (other->kind != Kind::bar && other->kind != Kind::hist) continue;
      if (std::find(inks.begin(), inks.end(), ink(*other)) == inks.end()) inks.push_back(ink(*other));
    }
    const auto at = std::find(inks.begin(), inks.end(), ink(mark));
    return std::string(area_shade(colors_ || at == inks.end() ? 0 : static_cast<size_t>(at - inks.begin())));
  }

  std::string sample(const Mark& mark) const {
    switch (mark.kind) {
      case Kind::line:
      case Kind::contour: return mark.dash == Dash::solid ? "━" : mark.dash == Dash::dotted ? "┈" : "╍";
      case Kind::scatter:
      case Kind::errorbar: return "●";
      case Kind::quiver: return "→";
      default: return area_sample(mark);
    }
  }
  Color ink(const Mark& mark) const {
    return mark.colored() ? color_at(*mark.coloring.map, 0.5) : ink_of(mark, theme_).with_alpha(1);
  }

  Canvas canvas(int columns, int rows) const {
    Canvas canvas;
    canvas.width = 2 * columns;
    canvas.height = 4 * rows;
    canvas.scale = 1;
    canvas.max_marks = SIZE_MAX;
    canvas.background = theme_.page;
    canvas.context = context_;
    return canvas;
  }

  void solid() {
    const int rows = std::max(2, area_.top + area_.rows - top_);
    Canvas c = canvas(area_.columns, rows);
    draw_surface(panel_.axes->marks[0], *panel_.axes, {2, 2, c.width - 2, c.height - 2}, c, theme_, true);
    paint(c, screen_, area_.left, top_, colors_);
  }

  void plane() {
    place_ticks(panel_, area_.columns * cell_width * 0.8, area_.rows * cell_height * 0.7);
    const bool below = panel_.x.scale == Scale::time;
    const bool name = !panel_.axes->x.label.empty() || !panel_.x_ticks.suffix.empty();
    if (!panel_.axes->y.label.empty()) screen_.write(area_.left, top_++, fitted(panel_.axes->y.label, area_.columns));
    const int foot = 2 + (below ? 1 : 0) + (name ? 1 : 0) + (panel_.bar != nullptr ? 1 : 0);
    rows_ = std::max(2, area_.top + area_.rows - top_ - foot);
    place_ticks(panel_, area_.columns * cell_width * 0.8, rows_ * cell_height);
    make_room();
    if (panel_.axes->equal) {
      square();
      place_ticks(panel_, columns_ * cell_width, rows_ * cell_height);
      make_room();
      square();
    }
    place_ticks(panel_, columns_ * cell_width, rows_ * cell_height);
    marks();
    y_axis();
    x_axis();
  }

  // For the texts beside the axis.
  void make_room() {
    left_ = std::min(area_.columns / 2, widest(panel_.y_ticks) + 2);
    columns_ = std::max(4, area_.columns - left_ - 1);
  }

  // As many cells each way as units of one length need; a cell is twice as high as wide.
  void square() {
    const double aspect = (panel_.x.high - panel_.x.low) / (panel_.y.high - panel_.y.low);
    if (!std::isfinite(aspect) || !(aspect > 0)) return;
    const double wide = std::min<double>(columns_, 2 * rows_ * aspect);
    columns_ = std::max(4, static_cast<int>(std::lround(wide)));
    rows_ = std::clamp(static_cast<int>(std::lround(wide / aspect / 2)), 2, rows_);
  }

  void marks() {
    Canvas c = canvas(columns_, rows_);
    const Box box{0, 0, c.width, c.height};
    panel_.x.from = 0, panel_.x.to = c.width - 1e-9;
    panel_.y.from = c.height - 1e-9, panel_.y.to = 0;
    Frame frame{panel_.x, panel_.y, box, c, theme_, c.clip(box), true};
    for (const Mark* mark : in_layers(*panel_.axes)) plot::draw(*mark, frame);
    paint(c, screen_, area_.left + left_, top_, colors_);
  }

  void y_axis() {
    const int at = area_.left + left_ - 1;
    for (int row = 0; row < rows_; ++row) screen_.write(at, top_ + row, "│");
    for (const Tick& tick : panel_.y_ticks.major) {
      const int row = std::clamp(static_cast<int>(panel_.y.place(tick.value) / 4), 0, rows_ - 1);
      screen_.write(at, top_ + row, "┤");
      const std::string text = fitted(tick.text, left_ - 1);
      screen_.write(at - cells_of(text), top_ + row, text);
    }
    if (!panel_.y_ticks.suffix.empty())
      screen_.write(area_.left + left_, top_ > area_.top ? top_ - 1 : top_, panel_.y_ticks.suffix);
  }

  void x_axis() {
    int row = top_ + rows_;
    const int left = area_.left + left_;
    screen_.write(left - 1, row, "└");
    for (int i = 0; i < columns_; ++i) screen_.write(left + i, row, "─");
    int end = -1, end_below = -1;
    const bool below = panel_.x.scale == Scale::time;
    const int room = columns_ / std::max(1, static_cast<int>(panel_.x_names.size())) - 1;
    for (const Tick& tick : panel_.x_ticks.major) {
      const int column = std::clamp(static_cast<int>(panel_.x.place(tick.value) / 2), 0, columns_ - 1);
      const std::string text = panel_.x_names.empty() ? tick.text : fitted(tick.text, std::max(room, 5));
      const int from = std::max(area_.left, left + column - cells_of(text) / 2);
      if (from > end && from + cells_of(text) <= area_.left + area_.columns) {
        screen_.write(left + column, row, "┬");
        screen_.write(from, row + 1, text);
        end = from + cells_of(text);
      }
      const int from_below = std::max(area_.left, left + column - cells_of(tick.below) / 2);
      if (below && !tick.below.empty() && from_below > end_below) {
        screen_.write(from_below, row + 2, tick.below);
        end_below = from_below + cells_of(tick.below);
      }
    }
    row += below ? 3 : 2;
    std::string label = panel_.axes->x.label;
    if (!panel_.x_ticks.suffix.empty()) label += (label.empty() ? "" : "  ") + panel_.x_ticks.suffix;
    label = fitted(label, area_.columns - left_);
    if (!label.empty()) screen_.write(left + std::max(0, (columns_ - cells_of(label)) / 2), row++, label);
    if (panel_.bar != nullptr) color_bar(left, row);
  }

  void color_bar(int left, int row) {
    const Mark& mark = *panel_.bar;
    const std::string low = number_text(mark.coloring.range.low), high = number_text(mark.coloring.range.high);
    screen_.write(left, row, low);
    int at = left + cells_of(low) + 1;
    constexpr int cells = 16;  // of the bar's width
    static constexpr std::array<std::string_view, 5> shades = {" ", "░", "▒", "▓", "█"};
    for (int i = 0; i < cells; ++i) {
      const Color c = color_at(*mark.coloring.map, (i + 0.5) / cells);
      const auto shade = static_cast<size_t>(std::clamp(to_oklab(c).lightness * 5, 0.0, 4.0));
      screen_.set(at++, row, std::string(colors_ ? "█" : shades[shade]), color(c), {});
    }
    screen_.write(at + 1, row, high);
  }

  Panel panel_;
  Screen& screen_;
  Area area_;
  const Theme& theme_;
  bool colors_;
  const ops::Context* context_;
  int top_ = 0, left_ = 0, columns_ = 0, rows_ = 0;
};

}  // namespace

TextOptions options_for(const ops::Screen& screen) {
  if (screen.columns == 0) return {};
  return {std::clamp(screen.columns, 20, 100), std::clamp(screen.rows - 2, 8, 24), screen.colors};
}

std::string draw_text(Figure& figure, const TextOptions& options) {
  size_t columns = 1;
  for (const std::vector<Axes>& row : figure.rows) columns = std::max(columns, row.size());
  Screen screen(options.columns, options.rows);
  int top = 0;
  if (!figure.title.empty())
    screen.write(std::max(0, (options.columns - cells_of(figure.title)) / 2), top++,
                 fitted(figure.title, options.columns));
  const int wide = options.columns / static_cast<int>(columns),
            high = (options.rows - top) / static_cast<int>(figure.rows.size());
  for (size_t r = 0; r < figure.rows.size(); ++r) {
    for (size_t c = 0; c < figure.rows[r].size(); ++c) {
      const Area area{static_cast<int>(c) * wide, top + static_cast<int>(r) * high, wide, high};
      TextPanel(figure.rows[r][c], screen, area, theme_of(figure.dark), options.colors, options.context).draw();
    }
  }
  return screen.text(options.colors);
}

}  // namespace covec::plot
