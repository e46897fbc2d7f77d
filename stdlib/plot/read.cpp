// A figure of the language is a record: {figure: "axes", marks: list(…), options: {…}}, or {figure: "grid", rows,
// options}. A mark is a record too: {kind: "line", x: …}; its fields are the arguments of the function that made it.
#include "stdlib/plot/read.hpp"

#include <algorithm>

#include "stdlib/plot/fields.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::plot {

namespace {

constexpr std::string_view kinds[] = {"line",    "scatter", "hist",  "bar",    "errorbar", "fill",
                                      "heatmap", "contour", "image", "quiver", "surface",  "sparsity"};
constexpr std::string_view dash_words[] = {"solid", "dashed", "dotted", "dashdot"};
constexpr std::string_view shape_words[] = {"circle", "square", "diamond", "triangle", "plus", "cross", "star"};
constexpr std::string_view scale_words[] = {"linear", "log", "time"};
constexpr std::string_view legend_words[] = {"outside", "top left", "top right", "bottom left", "bottom right"};
constexpr std::string_view theme_words[] = {"light", "dark"};

void require_length(const Fields& fields, std::string_view name, size_t length, size_t wanted, const char* of) {
  if (length != wanted)
    fields.fail("`" + std::string(name) + "` has " + std::to_string(length) + " elements, but " + of + " " +
                std::to_string(wanted));
}

// One for all, or one each.
void require_each(const Fields& fields, std::string_view name, const Numbers& numbers, size_t wanted, const char* of) {
  if (numbers.size() != 1 && !numbers.empty()) require_length(fields, name, numbers.size(), wanted, of);
}

void require_positive(const Fields& fields, std::string_view name, const Numbers& numbers) {
  for (const double x : numbers.all()) {
    if (x > 1e4)
      fields.fail("`" + std::string(name) + "` must hold numbers of at most 10000, got " + number_text(x, 6));
    if (!(x > 0) || !std::isfinite(x))
      fields.fail("`" + std::string(name) + "` must hold positive numbers, got " + number_text(x, 6));
  }
}

Numbers counted(size_t n) {
  std::vector<double> places(n);
  for (size_t i = 0; i < n; ++i) places[i] = static_cast<double>(i);
  return Numbers(std::move(places));
}

// An argument that would change nothing is an error: it was meant to.
void require_none(const Fields& fields, std::initializer_list<const char*> names, const std::string& why) {
  for (const char* name : names) {
    const Value* value = fields.find(name);
    const bool off = value == nullptr || (value->tag() == Tag::boolean && !value->boolean());
    if (!off) fields.fail("`" + std::string(name) + "` has no effect: " + why);
  }
}

// The middle of the map stands for the centre, so both ends are as far from it.
void require_centered(const Fields& fields, const Coloring& c) {
  if (c.log && !(*c.center > 0)) fields.refuse("center", "above 0 for logarithmic colours");
  if (!c.low) return;
  const double below = c.log ? *c.center / *c.low : *c.center - *c.low,
               above = c.log ? *c.high / *c.center : *c.high - *c.center;
  if (std::abs(below - above) > 1e-9 * std::max(std::abs(below), std::abs(above)))
    fields.refuse("limits", "as far below `center` as above it");
}

void read_coloring(const Fields& fields, Mark& mark, std::string_view otherwise) {
  mark.coloring.map = color_map(
      map_names()[fields.word("map", map_names())
                      .value_or(static_cast<size_t>(std::find(map_names().begin(), map_names().end(), otherwise) -
                                                    map_names().begin()))]);
  if (const auto limits = fields.pair("limits")) {
    mark.coloring.low = limits->first;
    mark.coloring.high = limits->second;
  }
  if (fields.find("center") != nullptr) mark.coloring.center = fields.number("center", 0);
  mark.coloring.log = fields.flag("log", false);
  if (mark.coloring.log && mark.coloring.low && !(*mark.coloring.low > 0))
    fields.refuse("limits", "above 0 for logarithmic colours");
  if (mark.coloring.center) require_centered(fields, mark.coloring);
}

// A colour for each point, between limits; or one for all, and then no map.
void read_colors(const Fields& fields, Mark& mark) {
  const Value* color = fields.find("color");
  if (color == nullptr || color->is(ObjectKind::string)) {
    mark.color = fields.color("color");
    return require_none(fields, {"map", "limits", "log"}, "`color` holds no number for each point");
  }
  mark.values = fields.numbers("color");
  require_length(fields, "color", mark.values.size(), mark.x.size(), "`x` has");
  read_coloring(fields, mark, "lagoon");
}

void read_style(const Fields& fields, Mark& mark) {
  mark.label = fields.label();
  mark.width = fields.positive("width", 0);
  if (mark.width > 1e4) fields.refuse("width", "at most 10000");
  mark.alpha = fields.share("alpha", -1);
  if (const auto dash = fields.word("style", dash_words)) mark.dash = static_cast<Dash>(*dash);
  if (const auto shape = fields.word("marker", shape_words)) mark.marker = static_cast<Shape>(*shape);
  mark.sizes = fields.numbers("size");
  require_positive(fields, "size", mark.sizes);
}

// x and y of one length; with one of them it is y, over 0, 1, ….
void read_points(const Fields& fields, Mark& mark) {
  const bool alone = fields.find("y") == nullptr;
  mark.y = fields.places(alone ? "x" : "y", mark.y_time, nullptr);
  mark.x = alone ? counted(mark.y.size()) : fields.places("x", mark.x_time, &mark.names);
  if (!alone) require_length(fields, "y", mark.y.size(), mark.x.size(), "`x` has");
}

void require_one_size(const Fields& fields, const Mark& mark) {
  const Value* size = fields.find("size");
  if (size != nullptr && !size->is_scalar())
    fields.refuse("size", "a number; only plot.scatter takes one for each point");
  if (mark.kind == Kind::line && !mark.marker) require_none(fields, {"size"}, "without `marker` there are no points");
}

void read_line(const Fields& fields, Mark& mark) {
  read_points(fields, mark);
  require_one_size(fields, mark);
  mark.color = fields.color("color");
}

void read_scatter(const Fields& fields, Mark& mark) {
  read_points(fields, mark);
  require_each(fields, "size", mark.sizes, mark.x.size(), "`x` has");
  read_colors(fields, mark);
}

void read_hist(const Fields& fields, Mark& mark) {
  mark.x = fields.vector("x");
  mark.density = fields.flag("density", false);
  mark.color = fields.color("color");
  const Value* bins = fields.find("bins");
  std::vector<double> edges;
  if (bins != nullptr && !bins->is_scalar()) {
    const Numbers given = fields.numbers("bins");
    edges.assign(given.all().begin(), given.all().end());
    const auto falls = [](double a, double b) { return !(a < b) || !std::isfinite(a) || !std::isfinite(b); };
    if (edges.size() < 2 || std::adjacent_find(edges.begin(), edges.end(), falls) != edges.end())
      fields.refuse("bins", "a number of bins, or two and more edges that rise");
  } else {
    const double count = fields.positive("bins", 0);
    if (count != std::floor(count) || count > 100000) fields.refuse("bins", "an integer from 1 to 100000, or edges");
    mark.bins = static_cast<size_t>(count);
  }
  mark.edges = Numbers(std::move(edges));
}

void read_bar(const Fields& fields, Mark& mark) {
  const bool alone = fields.find("height") == nullptr;
  mark.y = fields.vector(alone ? "x" : "height");
  mark.x = alone ? counted(mark.y.size()) : fields.places("x", mark.x_time, &mark.names);
  if (!alone) require_length(fields, "height", mark.y.size(), mark.x.size(), "`x` has");
  mark.base = fields.numbers("base");
  require_each(fields, "base", mark.base, mark.x.size(), "`x` has");
  mark.horizontal = fields.flag("horizontal", false);
  mark.color = fields.color("color");
  if (fields.flag("stacked", false) && !fields.has_columns())
    require_none(fields, {"stacked"}, "it is for a matrix of heights");
}

// A number, a vector, or a pair of vectors: below and above.
void read_lengths(const Fields& fields, std::string_view name, size_t n, Numbers& less, Numbers& more) {
  const Value* value = fields.find(name);
  if (value == nullptr) return;
  const auto read = [&](const Value& v) {
    const Value record = make_record(std::make_shared<const RecordLayout>(RecordLayout{{std::string(name)}}), {v});
    Numbers numbers = Fields(record, fields.function()).numbers(name);
    require_each(fields, name, numbers, n, "there are");
    for (const double x : numbers.all()) {
      if (x < 0) fields.fail("`" + std::string(name) + "` must not be negative, got " + number_text(x, 6));
    }
    return numbers;
  };
  if (value->is(ObjectKind::tuple) && children(*value)->size() == 2) {
    less = read((*children(*value))[0]);
    more = read((*children(*value))[1]);
  } else {
    less = read(*value);
    more = read(*value);
  }
}

void read_errorbar(const Fields& fields, Mark& mark) {
  read_points(fields, mark);
  mark.color = fields.color("color");
  require_one_size(fields, mark);
  read_lengths(fields, "error", mark.x.size(), mark.y_less, mark.y_more);
  read_lengths(fields, "xerror", mark.x.size(), mark.x_less, mark.x_more);
  if (mark.y_less.empty() && mark.x_less.empty() && mark.x.size() > 0)
    fields.refuse("error", "a number, a vector, or a pair of them (xerror may be given in its place)");
}

void read_fill(const Fields& fields, Mark& mark) {
  mark.x = fields.places("x", mark.x_time, &mark.names);
  mark.y = fields.vector("y");
  require_length(fields, "y", mark.y.size(), mark.x.size(), "`x` has");
  mark.u = fields.numbers("to");
  require_each(fields, "to", mark.u, mark.x.size(), "`x` has");
  mark.color = fields.color("color");
}

// Places of columns and rows: given, or 0, 1, ….
void read_sides(const Fields& fields, Mark& mark) {
  mark.counted_x = fields.find("x") == nullptr;
  mark.counted_y = fields.find("y") == nullptr;
  const bool named = mark.kind == Kind::heatmap;
  const auto side = [&](std::string_view name, size_t wanted, const char* of, bool& time,
                        std::vector<std::string>& names) {
    if (fields.find(name) == nullptr) return counted(wanted);
    Numbers places = fields.places(name, time, named ? &names : nullptr);
    require_length(fields, name, places.size(), wanted, of);
    for (size_t i = 0; i < places.size(); ++i) {
      if (!std::isfinite(places[i]) || (i > 0 && !(places[i] > places[i - 1])))
        fields.fail("`" + std::string(name) + "` must rise, without NaN and infinities");
    }
    return places;
  };
  mark.x = side("x", mark.z.columns, "the columns of `z` are", mark.x_time, mark.names);
  mark.y = side("y", mark.z.rows, "the rows of `z` are", mark.y_time, mark.y_names);
}

void read_heatmap(const Fields& fields, Mark& mark) {
  mark.z = fields.matrix("z");
  read_sides(fields, mark);
  mark.show_values = fields.flag("values", false);
  const bool diverging = fields.find("center") != nullptr;
  read_coloring(fields, mark, diverging ? "tide" : "lagoon");
}

void read_contour(const Fields& fields, Mark& mark) {
  mark.z = fields.matrix("z");
  if (mark.z.rows < 2 || mark.z.columns < 2) fields.fail("`z` needs two rows and two columns at least");
  read_sides(fields, mark);
  mark.filled = fields.flag("filled", false);
  mark.labels = fields.flag("labels", !mark.filled);
  mark.color = fields.color("color");
  if (mark.color && !mark.filled) require_none(fields, {"map", "limits", "center"}, "lines of one `color` have no map");
  read_coloring(fields, mark, fields.find("center") != nullptr ? "tide" : "lagoon");
  const Value* levels = fields.find("levels");
  double wanted = 8;
  if (levels != nullptr && levels->is_scalar()) {
    wanted = fields.positive("levels", 8);
    if (wanted != std::floor(wanted) || wanted > 1000) fields.refuse("levels", "an integer from 1 to 1000, or numbers");
  } else if (levels != nullptr) {
    const Numbers given = fields.numbers("levels");
    for (const double level : given.all()) {
      if (!std::isfinite(level)) fields.refuse("levels", "a number of levels, or finite numbers");
      mark.levels.push_back(level);
    }
    std::sort(mark.levels.begin(), mark.levels.end());
    mark.levels.erase(std::unique(mark.levels.begin(), mark.levels.end()), mark.levels.end());
    if (mark.levels.empty()) fields.refuse("levels", "a number of levels, or finite numbers");
  }
  if (!mark.levels.empty()) return;
  Extent range;
  for (const double v : mark.z.cells.all()) range.add(v);
  if (range.empty() || range.low == range.high) return;
  for (const Tick& tick : linear_ticks(range.low, range.high, wanted).major) mark.levels.push_back(tick.value);
}

void read_image(const Fields& fields, Mark& mark) {
  mark.z = fields.matrix("z", true);
  mark.x = counted(mark.z.columns);
  mark.y = counted(mark.z.rows);
  mark.counted_x = mark.counted_y = true;
  if (mark.z.channels == 1) return read_coloring(fields, mark, fields.find("center") != nullptr ? "tide" : "grey");
  require_none(fields, {"map", "limits", "center", "log"}, "`z` holds colours");
}

void read_quiver(const Fields& fields, Mark& mark) {
  mark.x = fields.places("x", mark.x_time, nullptr);
  mark.y = fields.places("y", mark.y_time, nullptr);
  mark.u = fields.vector("u");
  mark.v = fields.vector("v");
  require_length(fields, "y", mark.y.size(), mark.x.size(), "`x` has");
  require_length(fields, "u", mark.u.size(), mark.x.size(), "`x` has");
  require_length(fields, "v", mark.v.size(), mark.x.size(), "`x` has");
  mark.length = fields.positive("scale", 0);
  read_colors(fields, mark);
}

void read_surface(const Fields& fields, Mark& mark) {
  mark.z = fields.matrix("z");
  if (mark.z.rows < 2 || mark.z.columns < 2) fields.fail("`z` needs two rows and two columns at least");
  read_sides(fields, mark);
  mark.azimuth = fields.number("azimuth", -60);
  mark.elevation = fields.number("elevation", 30);
  if (mark.elevation < 0 || mark.elevation > 90) fields.refuse("elevation", "a number of degrees from 0 to 90");
  read_coloring(fields, mark, "lagoon");
}

// Of a sparse matrix, `rows` and `columns` are the places of its entries.
void read_sparsity(const Fields& fields, Mark& mark) {
  if (fields.find("rows") != nullptr) {
    mark.u = fields.vector("rows");
    mark.v = fields.vector("columns");
    mark.z.rows = static_cast<size_t>(fields.number("row_count", 0));
    mark.z.columns = static_cast<size_t>(fields.number("column_count", 0));
  } else {
    mark.z = fields.matrix("a");
    std::vector<double> rows, columns;
    for (size_t i = 0; i < mark.z.rows * mark.z.columns; ++i) {
      if (mark.z.cells[i] == 0) continue;
      rows.push_back(static_cast<double>(i / mark.z.columns));
      columns.push_back(static_cast<double>(i % mark.z.columns));
    }
    mark.u = Numbers(std::move(rows));
    mark.v = Numbers(std::move(columns));
  }
  mark.color = fields.color("color");
  mark.x = counted(mark.z.columns);
  mark.y = counted(mark.z.rows);
  mark.counted_x = mark.counted_y = true;
}

using Reading = void (*)(const Fields&, Mark&);
constexpr Reading readings[] = {read_line,    read_scatter, read_hist,  read_bar,    read_errorbar, read_fill,
                                read_heatmap, read_contour, read_image, read_quiver, read_surface,  read_sparsity};

[[noreturn]] void fail_no_figure(const Value& value) {
  fail(message("plot_data"),
       {"figure", "a part of this is not a figure from plot.line or a similar function: " + describe(value)});
}

// How many columns the matrix has that a line or bars are given in place of a vector; -1 where they are given a vector.
int64_t columns_of(const Value& mark, Kind kind) {
  if (kind != Kind::line && kind != Kind::bar) return -1;
  const Value* y = mark.record().find(kind == Kind::line ? "y" : "height");
  if (y == nullptr || y->is_none()) y = mark.record().find("x");
  return y != nullptr && y->is_tensor() && y->tensor().rank() == 2 ? y->tensor().dim(1) : -1;
}

// The function that made a mark, if that has not its kind's name (`spy`).
std::string maker_of(const Value& mark, size_t kind) {
  const Value* function = mark.record().find("function");
  return function != nullptr && function->is(ObjectKind::string) ? function->string().text : std::string(kinds[kind]);
}

Mark read_mark(const Value& value, size_t kind, int64_t column) {
  const Fields fields(value, maker_of(value, kind), column);
  Mark mark;
  mark.kind = static_cast<Kind>(kind);
  mark.function = fields.function();
  read_style(fields, mark);
  readings[kind](fields, mark);
  return mark;
}

// Each stands on the last one of its sign: what is negative hangs below the base.
void stack_bars(std::vector<Mark>& marks, size_t first) {
  std::vector<double> above, below;
  for (size_t i = first; i < marks.size(); ++i) {
    const Numbers& heights = marks[i].y;
    if (i == first) {
      for (size_t k = 0; k < heights.size(); ++k) above.push_back(marks[i].base.each(k, 0));
      below = above;
    }
    std::vector<double> base(heights.size());
    for (size_t k = 0; k < base.size(); ++k) {
      double& end = heights[k] < 0 ? below[k] : above[k];
      base[k] = end;
      if (std::isfinite(heights[k])) end += heights[k];
    }
    marks[i].base = Numbers(std::move(base));
  }
}

// Bars of the columns of a matrix stand side by side, or on each other.
void arrange_bars(std::vector<Mark>& marks, size_t first, const Fields& fields) {
  if (!fields.flag("stacked", false)) {
    for (size_t i = first; i < marks.size(); ++i) {
      marks[i].part = static_cast<int>(i - first);
      marks[i].parts = static_cast<int>(marks.size() - first);
    }
    return;
  }
  const Value* base = fields.find("base");
  if (base != nullptr && base->is_tensor() && base->tensor().rank() > 1)
    fields.refuse("base", "a number or a vector where bars are stacked");
  stack_bars(marks, first);
}

void read_marks(const Value& value, std::vector<Mark>& marks) {
  const Value* kind = value.is(ObjectKind::record) ? value.record().find("kind") : nullptr;
  if (kind == nullptr || !kind->is(ObjectKind::string)) fail_no_figure(value);
  const auto at = std::find(std::begin(kinds), std::end(kinds), kind->string().text);
  if (at == std::end(kinds)) fail_no_figure(value);
  const auto number = static_cast<size_t>(at - std::begin(kinds));
  const int64_t columns = columns_of(value, static_cast<Kind>(number));
  if (columns < 0) {
    marks.push_back(read_mark(value, number, -1));
    return;
  }
  const size_t first = marks.size();
  for (int64_t column = 0; column < columns; ++column) marks.push_back(read_mark(value, number, column));
  if (static_cast<Kind>(number) == Kind::bar) arrange_bars(marks, first, Fields(value, "bar"));
}

std::optional<Scale> read_scale(const Fields& fields, std::string_view name) {
  const auto word = fields.word(name, scale_words);
  return word ? std::optional(static_cast<Scale>(*word)) : std::nullopt;
}

AxisOptions read_axis(const Fields& fields, const std::string& letter) {
  AxisOptions axis;
  axis.label = fields.text(letter + "label");
  axis.scale = read_scale(fields, letter + "scale");
  if (const auto limits = fields.pair(letter + "lim")) {
    axis.low = limits->first;
    axis.high = limits->second;
    if (axis.scale == Scale::log && !(limits->first > 0))
      fields.refuse(letter + "lim", "above 0 on a logarithmic axis");
  }
  return axis;
}

Legend read_legend(const Fields& fields) {
  const Value* value = fields.find("legend");
  if (value == nullptr) return Legend::automatic;
  if (value->tag() == Tag::boolean) return value->boolean() ? Legend::automatic : Legend::none;
  const auto word = fields.word("legend", legend_words);
  return static_cast<Legend>(static_cast<size_t>(Legend::outside) + *word);
}

std::string speaker(const std::vector<Value>& marks, const std::string& function) {
  if (!function.empty()) return function;
  const Value* kind = marks.size() == 1 && marks[0].is(ObjectKind::record) ? marks[0].record().find("kind") : nullptr;
  return kind != nullptr && kind->is(ObjectKind::string) ? kind->string().text : "figure";
}

const Value& part_of(const Value& figure, std::string_view name) {
  const Value* part = figure.record().find(name);
  if (part == nullptr) fail_no_figure(figure);
  return *part;
}

const std::vector<Value>& items_of(const Value& figure, std::string_view name) {
  const Value& part = part_of(figure, name);
  if (!part.is(ObjectKind::list) && !part.is(ObjectKind::tuple)) fail_no_figure(figure);
  return *children(part);
}

const Value& options_of(const Value& figure) {
  const Value& options = part_of(figure, "options");
  if (!options.is(ObjectKind::record)) fail_no_figure(figure);
  return options;
}

void require_alone(const Axes& axes, const std::string& function) {
  const auto solid =
      std::count_if(axes.marks.begin(), axes.marks.end(), [](const Mark& m) { return m.kind == Kind::surface; });
  if (solid > 0 && axes.marks.size() > 1)
    fail(message("plot_data"), {function, "a surface stands alone in its axes: plot.grid puts figures side by side"});
}

// An axis counts in one way: names, dates and logarithms do not mix.
void require_one_kind(const Fields& fields, const Axes& axes, bool along_x) {
  bool dates = false, names = false;
  for (const Mark& mark : axes.marks) {
    const bool holds_x = mark.horizontal != along_x;  // lying bars have their places on the other axis
    dates |= (holds_x ? mark.x_time : false) || (!along_x && mark.y_time);
    names |= (holds_x && !mark.names.empty()) || (!along_x && !mark.y_names.empty());
  }
  const std::string letter = along_x ? "x" : "y";
  if (dates && names) fields.fail("`" + letter + "` is dates in one part and names in another");
  if (names && (along_x ? axes.x : axes.y).scale)
    fields.fail("`" + letter + "scale` has no effect: `" + letter + "` is names");
}

Axes read_axes(const Value& figure, const std::string& function) {
  const std::vector<Value>& marks = items_of(figure, "marks");
  Axes axes;
  for (const Value& mark : marks) read_marks(mark, axes.marks);
  const Fields fields(options_of(figure), speaker(marks, function));
  axes.title = fields.text("title");
  axes.x = read_axis(fields, "x");
  axes.y = read_axis(fields, "y");
  axes.legend = read_legend(fields);
  axes.equal = fields.flag("equal", false);
  axes.grid = fields.find("grid") == nullptr ? Lines::automatic
              : fields.flag("grid", true)    ? Lines::drawn
                                             : Lines::none;
  for (const Mark& mark : axes.marks) {
    const bool square = mark.kind == Kind::image || mark.kind == Kind::sparsity;
    if (square && fields.find("equal") == nullptr) axes.equal = true;
  }
  require_alone(axes, fields.function());
  for (const bool along_x : {true, false}) require_one_kind(fields, axes, along_x);
  return axes;
}

void read_page(const Fields& fields, Figure& figure) {
  figure.dark = fields.word("theme", theme_words).value_or(0) == 1;
  if (const Value* size = fields.find("page")) {
    const Numbers both = size->is_scalar() ? Numbers() : fields.numbers("page");
    const auto fits = [](double x) { return x >= 50 && x <= 10000; };
    if (both.size() != 2 || !fits(both[0]) || !fits(both[1]))
      fields.refuse("page", "a pair of numbers from 50 to 10000, width and height");
    figure.width = both[0];
    figure.height = both[1];
  }
}

bool is_kind(const Value& value, std::string_view wanted) {
  if (!value.is(ObjectKind::record)) return false;
  const Value* kind = value.record().find("figure");
  return kind != nullptr && kind->is(ObjectKind::string) && kind->string().text == wanted;
}

// The theme that a page is not told is that of its last part that says one.
void read_grid(const Value& value, Figure& figure) {
  bool last_part_is_dark = false;
  for (const Value& row : items_of(value, "rows")) {
    if (!row.is(ObjectKind::list) && !row.is(ObjectKind::tuple)) fail_no_figure(row);
    std::vector<Axes>& cells = figure.rows.emplace_back();
    for (const Value& cell : *children(row)) {
      if (!is_kind(cell, "axes")) fail_no_figure(cell);
      cells.push_back(read_axes(cell, {}));
      const Fields options(options_of(cell), "grid");
      if (const auto theme = options.word("theme", theme_words)) last_part_is_dark = *theme == 1;
    }
  }
  const Fields fields(options_of(value), "grid");
  figure.title = fields.text("title");
  read_page(fields, figure);
  if (fields.find("theme") == nullptr) figure.dark = last_part_is_dark;
  const auto drawn = [](const std::vector<Axes>& row) { return !row.empty(); };
  if (std::none_of(figure.rows.begin(), figure.rows.end(), drawn)) fields.fail("there are no figures");
}

}  // namespace

bool is_figure(const Value& value) { return is_kind(value, "axes") || is_kind(value, "grid"); }

Figure read_figure(const Value& value, const std::string& function) {
  Figure figure;
  if (is_kind(value, "grid")) {
    read_grid(value, figure);
  } else if (is_kind(value, "axes")) {
    figure.rows.emplace_back().push_back(read_axes(value, function));
    read_page(Fields(options_of(value), speaker(items_of(value, "marks"), function)), figure);
  } else {
    fail_no_figure(value);
  }
  return figure;
}

}  // namespace covec::plot
