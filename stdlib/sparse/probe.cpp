#include "stdlib/sparse/probe.hpp"

#include <cmath>

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

// What a row (or column) adds up.
struct Sum {
  double sum = 0, size = 0;
  size_t count = 0;
  void add(double term) {
    sum += term;
    size += std::abs(term);
    ++count;
  }
  // A term that is not finite hides all others.
  bool differs(double product, const Rounding& rounding) const {
    if (!std::isfinite(size) || !std::isfinite(product)) return true;
    return std::abs(sum - product) > (rounding.allowance + static_cast<double>(count)) * rounding.epsilon * size;
  }
};

}  // namespace

std::vector<int64_t> misses(const Probed& probed, const Rounding& rounding, bool full, size_t most) {
  std::vector<int64_t> found;
  for (size_t row = 0; row + 1 < probed.starts.size() && found.size() < most; ++row) {
    Sum sum;
    for (auto at = static_cast<size_t>(probed.starts[row]); at < static_cast<size_t>(probed.starts[row + 1]); ++at)
      sum.add(probed.data[at] * probed.vector[static_cast<size_t>(probed.indices[at])]);
    if (!full && sum.count == probed.vector.size()) continue;
    if (sum.differs(probed.product[row], rounding)) found.push_back(static_cast<int64_t>(row));
  }
  return found;
}

std::vector<int64_t> misses_of_columns(const Probed& probed, const Rounding& rounding, bool full, size_t most) {
  std::vector<Sum> sums(probed.product.size());
  for (size_t row = 0; row + 1 < probed.starts.size(); ++row) {
    for (auto at = static_cast<size_t>(probed.starts[row]); at < static_cast<size_t>(probed.starts[row + 1]); ++at)
      sums[static_cast<size_t>(probed.indices[at])].add(probed.data[at] * probed.vector[row]);
  }
  std::vector<int64_t> found;
  for (size_t column = 0; column < sums.size() && found.size() < most; ++column) {
    if (!full && sums[column].count == probed.vector.size()) continue;
    if (sums[column].differs(probed.product[column], rounding)) found.push_back(static_cast<int64_t>(column));
  }
  return found;
}

}  // namespace covec::sparse
