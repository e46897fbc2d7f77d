// "Did you mean": finds the candidate at the smallest Damerau-Levenshtein distance (a swap of neighbours is one step).
// Candidates are few (hundreds) and names short, so the plain quadratic table is enough. Names whose lengths differ too
// much are skipped first.
#include "frontend/common/nearest.hpp"

#include <algorithm>
#include <string>

namespace covec {

namespace {

constexpr size_t longest_name = 64;  // bytes of a name that is compared

size_t smallest(size_t a, size_t b, size_t c) { return std::min(a, std::min(b, c)); }

// Distance with adjacent swaps ("optimal string alignment"), by three rolling rows.
size_t distance(const std::u32string& a, const std::u32string& b) {
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

// Each character of UTF-8 as a number of its own: its bytes, of which those after the first begin with the bits 10.
std::u32string characters(std::string_view text) {
  std::u32string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80 && !out.empty())
      out.back() = out.back() << 8 | byte;
    else
      out += byte;
  }
  return out;
}

struct Nearest {
  std::string_view name;
  bool is_only = true;  // no other one is as near
};

Nearest find_nearest(std::string_view name, const std::vector<std::string_view>& candidates) {
  Nearest best;
  if (name.size() > longest_name) return best;
  const std::u32string written = characters(name);
  if (written.size() < 2) return best;
  size_t limit = std::max<size_t>(1, written.size() / 3);
  for (const std::string_view candidate : candidates) {
    if (candidate == name || candidate == best.name || candidate.size() > 2 * longest_name) continue;
    const std::u32string other = characters(candidate);
    const size_t longer = std::max(other.size(), written.size());
    if (longer - std::min(other.size(), written.size()) > limit) continue;
    const size_t steps = equal_but_for_case(candidate, name) ? 0 : distance(written, other);
    if (steps > limit || steps >= other.size()) continue;
    if (!best.name.empty() && steps == limit)
      best.is_only = false;
    else
      best = {candidate, true};
    limit = steps;
  }
  return best;
}

}  // namespace

std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& candidates) {
  return find_nearest(name, candidates).name;
}

std::string_view only_nearest_name(std::string_view name, const std::vector<std::string_view>& candidates) {
  const Nearest found = find_nearest(name, candidates);
  return found.is_only ? found.name : std::string_view();
}

}  // namespace covec
