// The sum by pairs: pieces of ranks give the bits of the sum that one rank makes, for many numbers of parts and ranks.
#include "stdlib/cluster/pair_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace covec::cluster {

namespace {

using Sums = PairSum<double>;

double plus(double a, double b) { return a + b; }

// The definition: level by level.
double sum_by_levels(std::vector<double> values) {
  while (values.size() > 1) {
    std::vector<double> above;
    for (size_t i = 0; i + 1 < values.size(); i += 2) above.push_back(values[i] + values[i + 1]);
    if (values.size() % 2 != 0) above.push_back(values.back());
    values = std::move(above);
  }
  return values.front();
}

std::vector<double> parts_of(size_t count) {
  std::mt19937_64 random(count);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-8, 8);
  std::vector<double> parts;
  for (size_t i = 0; i < count; ++i) parts.push_back(mantissa(random) * std::pow(10.0, exponent(random)));
  return parts;
}

// What one rank has of parts [first, end).
Sums sums_of(const std::vector<double>& parts, size_t first, size_t end) {
  Sums sums;
  for (size_t i = first; i < end; ++i) sums.push({static_cast<int64_t>(i), 1, parts[i]}, plus);
  return sums;
}

struct OnRanks {
  double total = 0;
  double of_local_sums = 0;  // the plain way, which has other bits
  size_t max_pieces = 0;
};

OnRanks sum_on(const std::vector<double>& parts, size_t ranks) {
  OnRanks result;
  Sums all;
  std::vector<double> local_sums;
  for (size_t rank = 0; rank < ranks; ++rank) {
    const size_t first = parts.size() * rank / ranks, end = parts.size() * (rank + 1) / ranks;
    Sums sums = sums_of(parts, first, end);
    result.max_pieces = std::max(result.max_pieces, sums.pieces().size());
    for (const Sums::Piece& piece : sums.pieces()) all.push(piece, plus);
    if (first < end)
      local_sums.push_back(
          sum_by_levels({parts.begin() + static_cast<long>(first), parts.begin() + static_cast<long>(end)}));
  }
  result.total = all.total(plus);
  result.of_local_sums = sum_by_levels(local_sums);
  return result;
}

}  // namespace

TEST(PairSum, bits_depend_on_the_parts_alone) {
  std::vector<size_t> counts = {255, 256, 257, 1000};
  for (size_t n = 1; n < 130; ++n) counts.push_back(n);
  size_t cases = 0, plain_differs = 0, max_pieces = 0;
  for (const size_t n : counts) {
    const std::vector<double> parts = parts_of(n);
    const double wanted = sum_by_levels(parts);
    for (size_t ranks = 1; ranks <= 40; ++ranks) {
      const OnRanks got = sum_on(parts, ranks);
      ASSERT_EQ(std::bit_cast<uint64_t>(got.total), std::bit_cast<uint64_t>(wanted))
          << n << " parts, " << ranks << " ranks";
      plain_differs += got.of_local_sums != wanted;
      max_pieces = std::max(max_pieces, got.max_pieces);
      ++cases;
    }
  }
  EXPECT_EQ(cases, 133u * 40u);
  EXPECT_GT(plain_differs, cases / 4);  // so the test can fail
  EXPECT_LE(max_pieces, 2u * 10u);      // 2 log2(1000)
}

}  // namespace covec::cluster
