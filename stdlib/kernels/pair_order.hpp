// Chooses the order in which a product of several indexed factors is contracted, two at a time. It takes the cheapest
// order by the extents. The cost of one contraction is the product of the extents of all indices of its two factors
// (its multiply-adds). Up to six factors, every order is compared. With more, the pair whose result adds least to the
// stored elements is contracted until six are left. Among orders of equal cost the one further left wins. Start at
// pair_order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace covec::kernels {

// Of the factors, numbered from 0, and of the results of the steps before, numbered on from there. left < right in the
// sense that left holds the lowest factor of both.
struct PairStep {
  unsigned left, right;
  friend bool operator==(const PairStep&, const PairStep&) = default;
};

// Sets of indices as bits. Each index of a factor is one of the output or another factor's too. At least one factor.
std::vector<PairStep> pair_order(std::span<const uint64_t> factors, uint64_t output, std::span<const int64_t> extents);

}  // namespace covec::kernels
