// The orders in which vertices are coloured, for any graph. Neighbours are visited by a function
// each_neighbor(vertex, visit), which may visit one of them several times, and the vertex itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::sparse {

// Looks at the interrupt flag now and then, and throws.
class Steps {
 public:
  explicit Steps(const ops::Context& context) : context_(context), polls_(context) {}
  void done(int64_t operations) {
    if (polls_.stop(operations)) kernels::poll_interrupt(context_);
  }

 private:
  const ops::Context& context_;
  kernels::InterruptPolls polls_;
};

using Vertices = std::vector<uint32_t>;

inline Vertices natural_order(uint32_t n) {
  Vertices order(n);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

// How many other vertices each vertex has as neighbours.
template <class EachNeighbor>
Vertices degrees_of(Steps& steps, uint32_t n, EachNeighbor&& each_neighbor) {
  Vertices degrees(n, 0), seen(n, 0);
  for (uint32_t v = 0; v < n; ++v) {
    int64_t visits = 1;
    seen[v] = v + 1;
    each_neighbor(v, [&](uint32_t other) {
      ++visits;
      degrees[v] += seen[other] != v + 1;
      seen[other] = v + 1;
    });
    steps.done(visits);
  }
  return degrees;
}

inline Vertices largest_first(const Vertices& degrees) {
  Vertices order = natural_order(static_cast<uint32_t>(degrees.size()));
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return degrees[a] > degrees[b]; });
  return order;
}

// The reverse of an order in which vertices of small degree are removed first. Vertices stand sorted by degree; one
// whose degree falls changes places with the first of its degree (Batagelj and Zaversnik, 2003).
template <class EachNeighbor>
Vertices smallest_last(Steps& steps, Vertices degrees, EachNeighbor&& each_neighbor) {
  const auto n = static_cast<uint32_t>(degrees.size());
  Vertices order = natural_order(n), place(n), seen(n, 0), first(size_t{n} + 1, 0);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return degrees[a] < degrees[b]; });
  for (const uint32_t degree : degrees) ++first[size_t{degree} + 1];
  for (uint32_t degree = 0; degree < n; ++degree) first[degree + 1] += first[degree];
  for (uint32_t i = 0; i < n; ++i) place[order[i]] = i;
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t v = order[i];
    int64_t visits = 1;
    seen[v] = v + 1;
    each_neighbor(v, [&](uint32_t other) {
      ++visits;
      if (seen[other] == v + 1) return;
      seen[other] = v + 1;
      if (degrees[other] <= degrees[v]) return;
      const uint32_t to = first[degrees[other]]++, moved = order[to];
      std::swap(order[place[other]], order[to]);
      std::swap(place[other], place[moved]);
      --degrees[other];
    });
    steps.done(visits);
  }
  std::ranges::reverse(order);
  return order;
}

}  // namespace covec::sparse
