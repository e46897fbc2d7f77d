#include "stdlib/sparse/color.hpp"

#include <algorithm>

#include "stdlib/sparse/color_split.hpp"
#include "stdlib/sparse/color_star.hpp"

namespace covec::sparse {

namespace {

double cost(const Coloring& coloring) { return coloring.columns.count + reverse_cost * coloring.rows.count; }

Coloring color_forward(Steps& steps, Sides sides) {
  return {ColorKind::forward, used(color_columns(steps, sides), sides.by_column), {}, {}};
}

Coloring color_reverse(Steps& steps, Sides sides) {
  const Sides flipped{sides.by_column, sides.by_row};
  return {ColorKind::reverse, {}, used(color_columns(steps, flipped), sides.by_row), {}};
}

// The cheapest of columns, rows, and splits of rows or columns.
Coloring color_cheapest(Steps& steps, Sides sides) {
  const double most = reverse_cost * sides.by_column.longest_row(), least = sides.by_row.longest_row();
  Coloring best = least <= most ? color_forward(steps, sides) : color_reverse(steps, sides);
  const auto keep_cheaper = [&](Coloring other) {
    if (cost(other) < cost(best)) best = std::move(other);
  };
  if (best.kind != ColorKind::forward && least < cost(best)) keep_cheaper(color_forward(steps, sides));
  if (best.kind != ColorKind::reverse && most < cost(best)) keep_cheaper(color_reverse(steps, sides));
  if (auto split = split_rows(steps, sides, reverse_cost, cost(best))) {
    best = {ColorKind::both, std::move(split->columns), std::move(split->rows), {}};
  }
  const Sides flipped{sides.by_column, sides.by_row};
  if (auto split = split_rows(steps, flipped, 1 / reverse_cost, cost(best) / reverse_cost)) {
    best = {ColorKind::both, std::move(split->rows), std::move(split->columns), {}};
  }
  return best;
}

// A colouring at distance 2 serves too, and is better for grids.
Colors color_symmetric(Steps& steps, const Graph& graph) {
  Colors stars = color_stars(steps, graph), columns = color_columns(steps, {graph, graph});
  return columns.count <= stars.count ? columns : stars;
}

// Where entry (row, column) at `at` in the products lies: in those of the columns' colours, or in those of the rows'.
class EntryPlaces {
 public:
  EntryPlaces(const Graph& graph, const Coloring& coloring) : graph_(graph), coloring_(coloring) {}

  std::vector<int64_t> all() {
    std::vector<int64_t> places(graph_.indices.size());
    for (uint32_t r = 0; r < graph_.rows; ++r) {
      count_colors(r);
      for (uint32_t at = graph_.starts[r]; at < graph_.starts[r + 1]; ++at) {
        places[at] = place(r, graph_.indices[at]);
      }
    }
    return places;
  }

 private:
  int64_t place(uint32_t row, uint32_t column) const {
    const int64_t rows = graph_.rows, columns = graph_.columns;
    const auto by_column = [&](uint32_t r, uint32_t c) { return int64_t{coloring_.columns.of[c]} * rows + r; };
    if (coloring_.kind == ColorKind::forward) return by_column(row, column);
    if (coloring_.kind == ColorKind::symmetric)
      return is_alone(column) ? by_column(row, column) : by_column(column, row);
    const int64_t before = coloring_.columns.count * rows;
    const bool reverse = coloring_.rows.of[row] >= 0 && (coloring_.kind == ColorKind::reverse || !is_alone(column));
    return reverse ? before + int64_t{coloring_.rows.of[row]} * columns + column : by_column(row, column);
  }
  // Whether no other entry of the counted row has the colour of `column`.
  bool is_alone(uint32_t column) const {
    const int32_t color = coloring_.columns.of[column];
    return color >= 0 && times_[static_cast<size_t>(color)] == 1;
  }
  void count_colors(uint32_t row) {
    if (coloring_.kind != ColorKind::symmetric && coloring_.kind != ColorKind::both) return;
    times_.resize(static_cast<size_t>(coloring_.columns.count), 0);
    for (const uint32_t column : counted_) clear(column);
    counted_ = graph_.row(row);
    for (const uint32_t column : counted_) {
      if (coloring_.columns.of[column] >= 0) ++times_[static_cast<size_t>(coloring_.columns.of[column])];
    }
  }
  void clear(uint32_t column) {
    if (coloring_.columns.of[column] >= 0) times_[static_cast<size_t>(coloring_.columns.of[column])] = 0;
  }

  const Graph& graph_;
  const Coloring& coloring_;
  std::vector<uint32_t> times_;  // by colour, in the counted row
  std::span<const uint32_t> counted_;
};

}  // namespace

Coloring color(const ops::Context& context, const Graph& graph, ColorKind kind) {
  Steps steps(context);
  Coloring coloring;
  if (kind == ColorKind::symmetric) {
    coloring = {kind, used(color_symmetric(steps, graph), graph), {}, {}};
  } else {
    const Graph flipped = transposed(graph);
    const Sides sides{graph, flipped};
    switch (kind) {
      case ColorKind::forward: coloring = color_forward(steps, sides); break;
      case ColorKind::reverse: coloring = color_reverse(steps, sides); break;
      default: coloring = color_cheapest(steps, sides);
    }
  }
  coloring.places = EntryPlaces(graph, coloring).all();
  return coloring;
}

}  // namespace covec::sparse
