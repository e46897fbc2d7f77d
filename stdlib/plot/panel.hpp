// Prepares one axes for the page: its scales, the positions of its ticks, and the room needed around it.
#pragma once

#include "stdlib/plot/frame.hpp"

namespace covec::plot {

// Sizes of text, and distances.
inline constexpr double tick_text = 11, label_text = 12.5, title_text = 14, page_title_text = 16;
inline constexpr double tick_length = 4, gap = 4, line_height = 1.25;

struct Margins {
  double left = 0, top = 0, right = 0, bottom = 0;
};

struct Panel {
  explicit Panel(Axes& a) : axes(&a) {}
  Axes* axes;
  Axis x, y;
  std::vector<std::string> x_names, y_names;  // of categories
  std::vector<double> x_bars, y_bars;         // where bars stand on an axis of time
  Ticks x_ticks, y_ticks;
  bool x_whole = false, y_whole = false;  // only integers mean something
  bool slanted = false;                   // the texts below x
  const Mark* bar = nullptr;              // whose colours a bar explains
  Box cell;                               // of the page, with margins
  double longest_name = 160;              // longer names of categories are cut
  Box plot;
  bool solid() const { return axes->marks.size() == 1 && axes->marks[0].kind == Kind::surface; }
};

// Numbers the series, merges categories, finds ranges of colours and the limits of both axes.
void prepare(Panel& panel);
// Ticks for a plot of that size.
void place_ticks(Panel& panel, double width, double height);
// Room for ticks, labels, title, the bar of colours and a legend outside.
Margins margins_of(const Panel& panel);

// The marks in the order in which they are painted: cells, then areas of `fill`, then the others as they were given.
std::vector<const Mark*> in_layers(const Axes& axes);

void draw_grid_lines(const Panel& panel, Canvas& canvas, const Theme& theme, bool above);
void draw_axes(const Panel& panel, Canvas& canvas, const Theme& theme);
void draw_color_bar(const Panel& panel, Canvas& canvas, const Theme& theme);
inline constexpr double bar_gap = 14, bar_width_on_page = 13;  // units of the page
Ticks bar_ticks(const Mark& mark, double height);
double bar_room(const Mark& mark);

// The legend: what it needs, and where it finds room.
struct Entry {
  const Mark* mark;
  std::string label;
};
std::vector<Entry> entries_of(const Axes& axes);
// The same, as many and as long as there is room for on the page.
std::vector<Entry> entries_on_page(const Panel& panel);
Point legend_size(const std::vector<Entry>& entries);
// False where the data leave no room within the plot.
bool draw_legend(const Panel& panel, Canvas& canvas, const Theme& theme, size_t first_item);

}  // namespace covec::plot
