#include "stdlib/sparse/color_graph.hpp"

#include <algorithm>
#include <iterator>

namespace covec::sparse {

uint32_t Graph::longest_row() const {
  uint32_t most = 0;
  for (uint32_t r = 0; r < rows; ++r) most = std::max(most, length(r));
  return most;
}

Graph graph_of(std::span<const int64_t> starts, std::span<const int64_t> indices, int64_t columns) {
  const auto narrow = [](std::span<const int64_t> numbers) {
    std::vector<uint32_t> result(numbers.size());
    std::ranges::transform(numbers, result.begin(), [](int64_t number) { return static_cast<uint32_t>(number); });
    return result;
  };
  return {static_cast<uint32_t>(starts.size() - 1), static_cast<uint32_t>(columns), narrow(starts), narrow(indices)};
}

Graph transposed(const Graph& graph) {
  Graph result{graph.columns, graph.rows, std::vector<uint32_t>(size_t{graph.columns} + 1, 0),
               std::vector<uint32_t>(graph.indices.size())};
  for (const uint32_t column : graph.indices) ++result.starts[column + 1];
  for (uint32_t c = 0; c < graph.columns; ++c) result.starts[c + 1] += result.starts[c];
  std::vector<uint32_t> next(result.starts.begin(), result.starts.end() - 1);
  for (uint32_t r = 0; r < graph.rows; ++r) {
    for (const uint32_t column : graph.row(r)) result.indices[next[column]++] = r;
  }
  return result;
}

Graph united(const Graph& a, const Graph& b) {
  Graph result{a.rows, a.columns, {0}, {}};
  for (uint32_t r = 0; r < a.rows; ++r) {
    std::ranges::set_union(a.row(r), b.row(r), std::back_inserter(result.indices));
    result.starts.push_back(static_cast<uint32_t>(result.indices.size()));
  }
  return result;
}

bool is_symmetric(const Graph& graph) {
  if (graph.rows != graph.columns) return false;
  const Graph mirror = transposed(graph);
  return mirror.starts == graph.starts && mirror.indices == graph.indices;
}

}  // namespace covec::sparse
