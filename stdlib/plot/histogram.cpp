// Chooses bins: 2·IQR/∛n wide (Freedman and Diaconis, 1981, "On the histogram as a density estimator"); if the
// quartiles are equal, √n bins.
#include "stdlib/plot/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace covec::plot {

namespace {

constexpr double max_bins = 500;  // bins of a histogram whose number is not given

double between(double low, double high, double t) {
  return std::isfinite(high - low) ? low + (high - low) * t : (1 - t) * low + t * high;
}

double quantile(std::vector<double>& x, double share) {
  const double at = share * static_cast<double>(x.size() - 1);
  const auto low = static_cast<size_t>(at);
  std::nth_element(x.begin(), x.begin() + static_cast<ptrdiff_t>(low), x.end());
  const double below = x[low];
  if (low + 1 >= x.size()) return below;
  const double above = *std::min_element(x.begin() + static_cast<ptrdiff_t>(low) + 1, x.end());
  return between(below, above, at - static_cast<double>(low));
}

// With half of the range, which is finite when the range is not.
double wanted_bins(std::vector<double>& x, double half_range) {
  const auto n = static_cast<double>(x.size());
  const double half_spread = quantile(x, 0.75) / 2 - quantile(x, 0.25) / 2;
  const double half_width = 2 * (half_spread / std::cbrt(n));
  const double bins = half_width > 0 ? std::ceil(half_range / half_width) : std::ceil(std::sqrt(n));
  return bins < max_bins ? std::max(bins, 1.0) : max_bins;
}

}  // namespace

std::vector<double> bin_edges(std::span<const double> x, size_t count) {
  std::vector<double> finite;
  std::copy_if(x.begin(), x.end(), std::back_inserter(finite), [](double v) { return std::isfinite(v); });
  if (finite.empty()) return {0, 1};
  const auto [least, most] = std::minmax_element(finite.begin(), finite.end());
  double low = *least, high = *most;
  if (low == high) {
    const double half = std::max(0.5, std::abs(low) * 1e-3);
    low -= half;
    high += half;
  }
  const double bins = count > 0 ? static_cast<double>(count) : wanted_bins(finite, high / 2 - low / 2);
  std::vector<double> edges;
  for (double i = 0; i <= bins; ++i) edges.push_back(i == bins ? high : between(low, high, i / bins));
  return edges;
}

std::vector<double> bin_counts(std::span<const double> x, const std::vector<double>& edges, bool density) {
  std::vector<double> counts(edges.size() - 1);
  const double low = edges.front(), high = edges.back();
  const size_t last = counts.size() - 1;
  const double per_unit = static_cast<double>(counts.size()) / (high / 2 - low / 2);
  double total = 0;
  for (const double v : x) {
    if (!(v >= low && v <= high)) continue;
    // Where bins are equally wide the guess is right, or off by one.
    size_t bin = std::min(static_cast<size_t>((v / 2 - low / 2) * per_unit), last);
    if (v < edges[bin] || (v >= edges[bin + 1] && bin < last))
      bin = std::min(static_cast<size_t>(std::upper_bound(edges.begin(), edges.end(), v) - edges.begin()) - 1, last);
    ++counts[bin];
    ++total;
  }
  if (!density || total == 0) return counts;
  for (size_t i = 0; i < counts.size(); ++i) counts[i] /= total * (edges[i + 1] - edges[i]);
  return counts;
}

}  // namespace covec::plot
