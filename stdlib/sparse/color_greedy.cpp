#include "stdlib/sparse/color_greedy.hpp"

#include <algorithm>
#include <optional>

#include "stdlib/sparse/color_lattice.hpp"

namespace covec::sparse {

namespace {

// Gives each column of `order` the first colour that no column sharing a row with it has.
void color_in_order(Steps& steps, Sides sides, const Vertices& order, Colors& colors) {
  std::vector<uint32_t> taken(static_cast<size_t>(colors.count) + 1, 0);  // by colour: the last column that met it, + 1
  for (const uint32_t column : order) {
    int64_t visits = 1;
    for (const uint32_t row : sides.by_column.row(column)) {
      visits += sides.by_row.length(row);
      for (const uint32_t other : sides.by_row.row(row)) {
        const int32_t color = colors.of[other];
        if (color >= 0) taken[static_cast<size_t>(color)] = column + 1;
      }
    }
    steps.done(visits);
    size_t color = 0;
    while (taken[color] == column + 1) ++color;
    colors.of[column] = static_cast<int32_t>(color);
    if (color + 1 == taken.size()) taken.push_back(0);
    colors.count = std::max(colors.count, static_cast<int32_t>(color) + 1);
  }
}

// The rows of at most `longest` entries; the others without any.
Graph without_dense_rows(const Graph& graph, uint32_t longest) {
  Graph result{graph.rows, graph.columns, {0}, {}};
  for (uint32_t r = 0; r < graph.rows; ++r) {
    const auto row = graph.row(r);
    if (row.size() <= longest) result.indices.insert(result.indices.end(), row.begin(), row.end());
    result.starts.push_back(static_cast<uint32_t>(result.indices.size()));
  }
  return result;
}

// Each column of a dense row has a colour of its own, the others are coloured by the sparse rows alone.
Colors color_with_dense_rows(Steps& steps, Sides sides, uint32_t longest) {
  const uint32_t n = sides.by_column.rows;
  Colors colors{std::vector<int32_t>(n, -1), 0};
  for (uint32_t r = 0; r < sides.by_row.rows; ++r) {
    if (sides.by_row.length(r) <= longest) continue;
    for (const uint32_t column : sides.by_row.row(r)) {
      if (colors.of[column] < 0) colors.of[column] = colors.count++;
    }
  }
  const Graph rows = without_dense_rows(sides.by_row, longest), columns = transposed(rows);
  Vertices order;
  for (uint32_t column = 0; column < n; ++column) {
    if (colors.of[column] < 0) order.push_back(column);
  }
  color_in_order(steps, {rows, columns}, order, colors);
  return colors;
}

}  // namespace

uint32_t longest_sparse_row(const Graph& graph) {
  Vertices lengths(graph.rows);
  for (uint32_t r = 0; r < graph.rows; ++r) lengths[r] = graph.length(r);
  std::ranges::sort(lengths);
  int64_t visits = 0;
  uint32_t longest = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    visits += int64_t{lengths[i]} * lengths[i];
    if (visits > max_visits) return longest;
    if (i + 1 == lengths.size() || lengths[i + 1] > lengths[i]) longest = lengths[i];
  }
  return longest;
}

Colors color_columns(Steps& steps, Sides sides) {
  const uint32_t n = sides.by_column.rows, longest = sides.by_row.longest_row();
  const uint32_t sparse = longest_sparse_row(sides.by_row);
  if (sparse < longest) return color_with_dense_rows(steps, sides, sparse);
  std::optional<Colors> best = color_lattice(steps, sides.by_row);
  const auto is_least = [&] { return best && best->count <= static_cast<int32_t>(longest); };
  const auto try_order = [&](const Vertices& order) {
    Colors colors{std::vector<int32_t>(n, -1), 0};
    color_in_order(steps, sides, order, colors);
    if (!best || colors.count < best->count) best = std::move(colors);
  };
  if (!is_least()) try_order(natural_order(n));
  if (is_least()) return *best;
  const auto each_sharing = [&](uint32_t column, auto&& visit) {
    for (const uint32_t row : sides.by_column.row(column)) {
      for (const uint32_t other : sides.by_row.row(row)) visit(other);
    }
  };
  const Vertices degrees = degrees_of(steps, n, each_sharing);
  try_order(largest_first(degrees));
  if (!is_least()) try_order(smallest_last(steps, degrees, each_sharing));
  return *best;
}

Colors used(const Colors& colors, const Graph& by_column) {
  std::vector<int32_t> number(static_cast<size_t>(colors.count) + 1, -1);
  Colors result{std::vector<int32_t>(colors.of.size(), -1), 0};
  for (uint32_t column = 0; column < by_column.rows; ++column) {
    if (by_column.length(column) == 0) continue;
    int32_t& now = number[static_cast<size_t>(colors.of[column])];
    if (now < 0) now = result.count++;
    result.of[column] = now;
  }
  return result;
}

}  // namespace covec::sparse
