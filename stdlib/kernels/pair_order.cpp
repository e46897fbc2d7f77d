#include "stdlib/kernels/pair_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <tuple>

namespace covec::kernels {

namespace {

// What is above this cannot be computed anyway; sums and differences of a few of them do not overflow.
constexpr int64_t endless = std::numeric_limits<int64_t>::max() / 64;

int64_t size_of_indices(uint64_t indices, std::span<const int64_t> extents) {
  int64_t size = 1;
  for (; indices != 0; indices &= indices - 1) {
    const int64_t extent = extents[static_cast<size_t>(std::countr_zero(indices))];
    if (extent == 0) return 0;
    if (__builtin_mul_overflow(size, extent, &size) || size > endless) size = endless;
  }
  return size;
}

// A factor, or the result of a step: its indices, and the number that it goes by.
struct Part {
  uint64_t indices;
  unsigned number;
};

// --- every order ---

constexpr size_t max_compared = 6;  // factors of which every order is tried: 2^6 sets

// The best way to each set of parts; sets are bits too, and the part to the left of a step holds the set's first.
class EveryOrder {
 public:
  EveryOrder(std::span<const Part> parts, uint64_t output, std::span<const int64_t> extents)
      : parts_(parts), extents_(extents) {
    const unsigned sets = 1u << parts.size();
    for (unsigned set = 1; set < sets; ++set) {
      uint64_t inside = 0, outside = output;
      for (size_t i = 0; i < parts.size(); ++i) (set >> i & 1 ? inside : outside) |= parts[i].indices;
      best_[set] = {inside & outside, 0, 0};
      if (!std::has_single_bit(set)) choose(set);
    }
  }

  unsigned steps(std::vector<PairStep>& out, unsigned set, unsigned& next) const {
    if (std::has_single_bit(set)) return parts_[static_cast<size_t>(std::countr_zero(set))].number;
    const unsigned left = steps(out, best_[set].left, next), right = steps(out, set & ~best_[set].left, next);
    out.push_back({left, right});
    return next++;
  }

 private:
  struct Best {
    uint64_t indices;  // of the set's product
    int64_t cost;
    unsigned left;
  };

  void choose(unsigned set) {
    const unsigned first = set & -set, others = set & ~first;
    Best& best = best_[set];
    for (unsigned some = others; some != 0;) {  // the sets of others, without all of them
      some = (some - 1) & others;
      const unsigned left = first | some;
      const int64_t cost = cost_of(left, set & ~left);
      if (best.left != 0 && (cost > best.cost || (cost == best.cost && !further_left(left, best.left)))) continue;
      best.cost = cost;
      best.left = left;
    }
  }
  int64_t cost_of(unsigned left, unsigned right) const {
    const int64_t own = size_of_indices(best_[left].indices | best_[right].indices, extents_);
    return std::min(endless, best_[left].cost + best_[right].cost + own);
  }
  // More on the left, or lower factors there.
  static bool further_left(unsigned left, unsigned than) {
    if (std::popcount(left) != std::popcount(than)) return std::popcount(left) > std::popcount(than);
    const unsigned differ = left ^ than;
    return (left & (differ & -differ)) != 0;
  }

  const std::span<const Part> parts_;
  const std::span<const int64_t> extents_;
  std::array<Best, 1u << max_compared> best_;
};

// --- of many ---

// Takes the pair that adds least to what is kept, of those the cheapest, of those the leftmost; its result stands where
// the left one stood.
void contract_one(std::vector<Part>& parts, uint64_t output, std::span<const int64_t> extents,
                  std::vector<PairStep>& out, unsigned& next) {
  uint64_t once = 0, twice = 0, often = output;
  for (const Part& part : parts) {
    often |= twice & part.indices;
    twice |= once & part.indices;
    once |= part.indices;
  }
  std::vector<int64_t> sizes;
  for (const Part& part : parts) sizes.push_back(size_of_indices(part.indices, extents));
  std::tuple<int64_t, int64_t> least{std::numeric_limits<int64_t>::max(), 0};
  size_t left = 0, right = 1;
  uint64_t result = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t k = i + 1; k < parts.size(); ++k) {
      const uint64_t all = parts[i].indices | parts[k].indices;
      const uint64_t kept = all & ~(parts[i].indices & parts[k].indices & ~often);
      const std::tuple cost{size_of_indices(kept, extents) - sizes[i] - sizes[k], size_of_indices(all, extents)};
      if (cost >= least) continue;
      least = cost;
      left = i, right = k, result = kept;
    }
  }
  out.push_back({parts[left].number, parts[right].number});
  parts[left] = {result, next++};
  parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(right));
}

}  // namespace

std::vector<PairStep> pair_order(std::span<const uint64_t> factors, uint64_t output, std::span<const int64_t> extents) {
  std::vector<PairStep> out;
  std::vector<Part> parts;
  for (const uint64_t indices : factors) parts.push_back({indices, static_cast<unsigned>(parts.size())});
  auto next = static_cast<unsigned>(factors.size());
  while (parts.size() > max_compared) contract_one(parts, output, extents, out, next);
  EveryOrder(parts, output, extents).steps(out, (1u << parts.size()) - 1, next);
  return out;
}

}  // namespace covec::kernels
