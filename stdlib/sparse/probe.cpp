#include "stdlib/sparse/probe.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace covec::sparse {

// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): one bit for the sign, 53 for the size.
double probe_at(uint64_t at) {
  uint64_t bits = (at + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  bits ^= bits >> 31;
  const double size = 0.5 + 0.5 * static_cast<double>(bits >> 11) / static_cast<double>(uint64_t{1} << 53);
  return (bits & 1) != 0 ? size : -size;
}

namespace {

bool differs(double sum, double size, double product, double tolerance) {
  if (!std::isfinite(sum)) return false;
  if (!std::isfinite(product)) return true;
  return std::abs(sum - product) > tolerance * size + std::numeric_limits<double>::min();
}

}  // namespace

int64_t first_miss(const Probed& probed, double tolerance, int64_t from) {
  for (size_t row = static_cast<size_t>(from); row + 1 < probed.starts.size(); ++row) {
    double sum = 0, size = 0;
    for (auto at = static_cast<size_t>(probed.starts[row]); at < static_cast<size_t>(probed.starts[row + 1]); ++at) {
      const double term = probed.data[at] * probed.vector[static_cast<size_t>(probed.indices[at])];
      sum += term;
      size += std::abs(term);
    }
    if (differs(sum, size, probed.product[row], tolerance)) return static_cast<int64_t>(row);
  }
  return -1;
}

int64_t first_miss_of_columns(const Probed& probed, double tolerance, int64_t from) {
  std::vector<double> sums(probed.product.size(), 0.0), sizes(probed.product.size(), 0.0);
  for (size_t row = 0; row + 1 < probed.starts.size(); ++row) {
    for (auto at = static_cast<size_t>(probed.starts[row]); at < static_cast<size_t>(probed.starts[row + 1]); ++at) {
      const double term = probed.data[at] * probed.vector[row];
      sums[static_cast<size_t>(probed.indices[at])] += term;
      sizes[static_cast<size_t>(probed.indices[at])] += std::abs(term);
    }
  }
  for (size_t column = static_cast<size_t>(from); column < sums.size(); ++column) {
    if (differs(sums[column], sizes[column], probed.product[column], tolerance)) return static_cast<int64_t>(column);
  }
  return -1;
}

}  // namespace covec::sparse
