// Bins of a histogram.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace covec::plot {

// Edges of `count` bins of one width over what is finite; of 0 as many as the rule of Freedman and Diaconis gives.
std::vector<double> bin_edges(std::span<const double> x, size_t count);
// How many lie in each bin (the last has its upper edge), divided so that the area is 1 if it is a density.
std::vector<double> bin_counts(std::span<const double> x, const std::vector<double>& edges, bool density);

}  // namespace covec::plot
