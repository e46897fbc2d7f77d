// Computes the Levenshtein distance (Wagner and Fischer 1974), row by row.
#include "stdlib/text/nearest.hpp"

#include <algorithm>
#include <vector>

namespace covec {

namespace {

constexpr size_t longest_name = 64;  // bytes of a name that is compared

size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_of(std::string_view name, std::span<const std::string> names) {
  std::string_view best;
  size_t limit = std::max<size_t>(1, name.size() / 3) + 1;
  if (name.size() < 2 || name.size() > longest_name) return best;
  for (const std::string& candidate : names) {
    if (candidate.size() > longest_name) continue;
    const size_t steps = distance(name, candidate);
    if (steps >= limit || steps >= candidate.size()) continue;
    limit = steps;
    best = candidate;
  }
  return best;
}

}  // namespace covec
