#include "stdlib/sparse/color_star.hpp"

#include <algorithm>
#include <random>

namespace covec::sparse {

namespace {

constexpr uint32_t none = ~0u;
// Graphs of up to so many edges are coloured in so many further orders.
constexpr size_t few_edges = 4096;
constexpr int further_orders = 16;

// Edges of two colours form stars: one vertex, the hub, is in all edges of a star. A star of one edge has no hub yet.
class StarColoring {
 public:
  StarColoring(Steps& steps, const Graph& graph)
      : steps_(steps), graph_(graph), star_(graph.indices.size(), none), treated_(graph.rows, none) {
    colors_.of.assign(graph.rows, -1);
    grow();
  }

  Colors run(const Vertices& order) {
    for (const uint32_t v : order) {
      forbid(v);
      size_t color = 0;
      while (forbidden_[color] == v) ++color;
      colors_.of[v] = static_cast<int32_t>(color);
      colors_.count = std::max(colors_.count, static_cast<int32_t>(color) + 1);
      if (color + 1 == forbidden_.size()) grow();
      join_stars(v);
    }
    return std::move(colors_);
  }

 private:
  // The first neighbour of `of` that has a colour: `at` is the edge's place in row `of`.
  struct First {
    uint32_t of = none, neighbor = none, at = none;
  };

  void grow() {
    forbidden_.push_back(none);
    first_.emplace_back();
  }
  int32_t color(uint32_t v) const { return colors_.of[v]; }

  // Calls visit(neighbour, place of the edge) for each neighbour of v that has a colour.
  template <class Visit>
  void each_colored(uint32_t v, Visit&& visit) {
    steps_.done(graph_.length(v) + 1);
    for (uint32_t at = graph_.starts[v]; at < graph_.starts[v + 1]; ++at) {
      const uint32_t w = graph_.indices[at];
      if (w != v && color(w) >= 0) visit(w, at);
    }
  }

  // No neighbour of w may share its colour with v.
  void treat(uint32_t v, uint32_t w) {
    if (treated_[w] == v) return;
    treated_[w] = v;
    each_colored(w, [&](uint32_t x, uint32_t) { forbidden_[static_cast<size_t>(color(x))] = v; });
  }

  void forbid(uint32_t v) {
    each_colored(v, [&](uint32_t w, uint32_t at) {
      forbidden_[static_cast<size_t>(color(w))] = v;
      First& first = first_[static_cast<size_t>(color(w))];
      if (first.of == v) {  // two neighbours of one colour
        treat(v, first.neighbor);
        treat(v, w);
        return;
      }
      first = {v, w, at};
      each_colored(w, [&](uint32_t x, uint32_t edge) {
        if (x != v && hubs_[star_[edge]] == x) forbidden_[static_cast<size_t>(color(x))] = v;
      });
    });
  }

  // The edges from v, which has its colour now, to coloured neighbours.
  void join_stars(uint32_t v) {
    each_colored(v, [&](uint32_t w, uint32_t at) {
      uint32_t star = none;
      each_colored(w, [&](uint32_t x, uint32_t edge) {
        if (x != v && color(x) == color(v) && star == none) star = star_[edge];
      });
      const First& first = first_[static_cast<size_t>(color(w))];
      if (star != none) {
        hubs_[star] = w;
      } else if (first.of == v && first.neighbor != w) {
        star = star_[first.at];
        hubs_[star] = v;
      } else {
        star = static_cast<uint32_t>(hubs_.size());
        hubs_.push_back(none);
      }
      star_[at] = star_[mirror(w, v)] = star;
    });
  }

  // The place of the edge to v in row w.
  uint32_t mirror(uint32_t w, uint32_t v) const {
    const auto row = graph_.row(w);
    return graph_.starts[w] + static_cast<uint32_t>(std::ranges::lower_bound(row, v) - row.begin());
  }

  Steps& steps_;
  const Graph& graph_;
  Colors colors_;
  std::vector<uint32_t> star_;       // of each edge, at both of its places
  std::vector<uint32_t> hubs_;       // of each star
  std::vector<uint32_t> forbidden_;  // by colour: the last vertex that must not have it
  std::vector<First> first_;         // by colour
  std::vector<uint32_t> treated_;    // by vertex: for which other one
};

// The graph without vertices of more than `most` edges.
Graph without_dense_vertices(const Graph& graph, uint32_t most) {
  Graph result{graph.rows, graph.columns, {0}, {}};
  for (uint32_t v = 0; v < graph.rows; ++v) {
    for (const uint32_t w : graph.row(v)) {
      if (graph.length(v) <= most && graph.length(w) <= most) result.indices.push_back(w);
    }
    result.starts.push_back(static_cast<uint32_t>(result.indices.size()));
  }
  return result;
}

Colors fewest(Steps& steps, const Graph& graph) {
  const auto each_neighbor = [&](uint32_t v, auto&& visit) {
    for (const uint32_t w : graph.row(v)) visit(w);
  };
  const Vertices degrees = degrees_of(steps, graph.rows, each_neighbor);
  Colors best = StarColoring(steps, graph).run(natural_order(graph.rows));
  const auto try_order = [&](const Vertices& order) {
    Colors colors = StarColoring(steps, graph).run(order);
    if (colors.count < best.count) best = std::move(colors);
  };
  if (best.count > 1) try_order(largest_first(degrees));
  if (best.count > 1) try_order(smallest_last(steps, degrees, each_neighbor));
  Vertices order = natural_order(graph.rows);
  std::minstd_rand random(1);  // its numbers are the same everywhere
  for (int k = 0; k < further_orders && best.count > 1 && graph.indices.size() <= few_edges; ++k) {
    for (uint32_t i = 1; i < graph.rows; ++i) std::swap(order[i], order[random() % (i + 1)]);
    try_order(order);
  }
  return best;
}

}  // namespace

Colors color_stars(Steps& steps, const Graph& symmetric) {
  const uint32_t most = longest_sparse_row(symmetric);
  if (most >= symmetric.longest_row()) return fewest(steps, symmetric);
  Colors colors = fewest(steps, without_dense_vertices(symmetric, most));
  for (uint32_t v = 0; v < symmetric.rows; ++v) {
    if (symmetric.length(v) > most) colors.of[v] = colors.count++;
  }
  return colors;
}

}  // namespace covec::sparse
