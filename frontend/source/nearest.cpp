// "Did you mean": finds the candidate at the smallest Damerau-Levenshtein distance (a swap of neighbours is one step).
// Candidates are few (hundreds) and names short, so the plain quadratic table is enough. Names whose lengths differ too
// much are skipped first.
#include <algorithm>
#include <vector>

#include "frontend/source/diagnostic.hpp"

namespace covec {

namespace {

constexpr size_t kLongestName = 64;  // bytes of a name that is compared; chosen, not measured

size_t smallest(size_t a, size_t b, size_t c) { return std::min(a, std::min(b, c)); }

// Distance with adjacent swaps ("optimal string alignment"), by three rolling rows.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = smallest(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; }

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& candidates) {
  if (name.size() > kLongestName) return {};
  size_t limit = std::max<size_t>(1, name.size() / 3);
  if (name.size() < 2) return {};
  std::string_view best;
  for (std::string_view candidate : candidates) {
    size_t longer = std::max(candidate.size(), name.size());
    if (candidate != name && equal_but_for_case(candidate, name)) return candidate;
    if (candidate == name || longer - std::min(candidate.size(), name.size()) > limit) continue;
    size_t steps = distance(name, candidate);
    if (steps > limit || steps >= candidate.size()) continue;
    limit = steps - 1;
    best = candidate;
    if (limit == 0) break;
  }
  return best;
}

}  // namespace covec
