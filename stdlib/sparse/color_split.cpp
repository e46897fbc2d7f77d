#include "stdlib/sparse/color_split.hpp"

#include <algorithm>

namespace covec::sparse {

namespace {

constexpr size_t max_trials = 4;  // splits that are coloured

// Rows longer than `longest` are taken out, and the least that the colours may cost then.
struct Candidate {
  uint32_t longest;
  double bound;
};

std::vector<Candidate> candidates_of(const Graph& by_row, double row_cost) {
  Vertices order = natural_order(by_row.rows);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return by_row.length(a) > by_row.length(b); });
  std::vector<Candidate> candidates;
  Vertices counts(by_row.columns, 0);  // entries of each column in the rows that are taken out
  uint32_t most = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const uint32_t length = by_row.length(order[i]);
    if (i > 0 && length < by_row.length(order[i - 1])) candidates.push_back({length, length + row_cost * most});
    for (const uint32_t column : by_row.row(order[i])) most = std::max(most, ++counts[column]);
  }
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) { return a.bound < b.bound; });
  return candidates;
}

// The rows for which `keep` is true, the others without entries.
template <class Keep>
Graph rows_of(const Graph& graph, Keep&& keep) {
  Graph result{graph.rows, graph.columns, {0}, {}};
  for (uint32_t r = 0; r < graph.rows; ++r) {
    const auto row = graph.row(r);
    if (keep(row.size())) result.indices.insert(result.indices.end(), row.begin(), row.end());
    result.starts.push_back(static_cast<uint32_t>(result.indices.size()));
  }
  return result;
}

Split split_at(Steps& steps, const Graph& by_row, uint32_t longest) {
  const Graph few = rows_of(by_row, [&](size_t length) { return length <= longest; });
  const Graph many = rows_of(by_row, [&](size_t length) { return length > longest; });
  const Graph few_columns = transposed(few), many_columns = transposed(many);
  return {used(color_columns(steps, {few, few_columns}), few_columns),
          used(color_columns(steps, {many_columns, many}), many)};
}

}  // namespace

std::optional<Split> split_rows(Steps& steps, Sides sides, double row_cost, double most) {
  std::optional<Split> best;
  size_t trials = 0;
  for (const Candidate& candidate : candidates_of(sides.by_row, row_cost)) {
    if (candidate.bound >= most || trials++ == max_trials) break;
    Split split = split_at(steps, sides.by_row, candidate.longest);
    const double cost = split.columns.count + row_cost * split.rows.count;
    if (cost >= most) continue;
    most = cost;
    best = std::move(split);
  }
  return best;
}

}  // namespace covec::sparse
