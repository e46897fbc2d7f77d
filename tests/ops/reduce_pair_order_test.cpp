// The order of contractions by pairs: against every sequence of pairs, written down plainly; ties; many factors.
#include "stdlib/kernels/pair_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

namespace covec::test {
namespace {

using kernels::pair_order;
using kernels::PairStep;

struct Problem {
  std::vector<uint64_t> factors;
  uint64_t output;
  std::vector<int64_t> extents;

  double size(uint64_t indices) const {
    double size = 1;
    for (size_t i = 0; i < extents.size(); ++i) size *= (indices >> i & 1) != 0 ? static_cast<double>(extents[i]) : 1;
    return size;
  }
  uint64_t kept(const std::vector<uint64_t>& parts, size_t left, size_t right) const {
    uint64_t others = output;
    for (size_t i = 0; i < parts.size(); ++i) others |= i != left && i != right ? parts[i] : 0;
    return (parts[left] | parts[right]) & others;
  }
  double least(const std::vector<uint64_t>& parts) const {
    double best = parts.size() == 1 ? 0 : HUGE_VAL;
    for (size_t i = 0; i < parts.size(); ++i) {
      for (size_t k = i + 1; k < parts.size(); ++k) {
        std::vector<uint64_t> rest = parts;
        rest[i] = kept(parts, i, k);
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
        best = std::min(best, size(parts[i] | parts[k]) + least(rest));
      }
    }
    return best;
  }
  // What the steps cost; also that each part is used once and the last is the result.
  double cost_of(const std::vector<PairStep>& steps) const {
    std::vector<uint64_t> parts = factors;
    std::vector<int> uses(2 * factors.size());
    double cost = 0;
    for (const PairStep& step : steps) {
      cost += size(parts.at(step.left) | parts.at(step.right));
      EXPECT_EQ(++uses[step.left] + ++uses[step.right], 2);
      parts.push_back(kept(parts, step.left, step.right));
      parts[step.left] = parts[step.right] = 0;
    }
    EXPECT_EQ(steps.size() + 1, factors.size());
    EXPECT_EQ(parts.back(), output);
    return cost;
  }
};

Problem random_problem(std::mt19937& random, size_t factors) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Problem problem{{}, 0, {}};
  const unsigned indices = 2 + below(7);
  for (unsigned i = 0; i < indices; ++i) problem.extents.push_back(std::vector<int64_t>{0, 1, 2, 3, 7, 100}[below(6)]);
  for (size_t f = 0; f < factors; ++f) problem.factors.push_back(random() & random() & ((1u << indices) - 1));
  uint64_t once = 0, twice = 0;
  for (uint64_t factor : problem.factors) {
    twice |= once & factor;
    once |= factor;
  }
  problem.output = (random() & once) | (once & ~twice);  // nobody has an index to himself that is summed over
  return problem;
}

std::vector<PairStep> order_of(const Problem& problem) {
  return pair_order(problem.factors, problem.output, problem.extents);
}

TEST(PairOrder, IsTheCheapestOfUpToSix) {
  std::mt19937 random(3);
  for (int i = 0; i < 600; ++i) {
    const Problem problem = random_problem(random, 2 + static_cast<size_t>(i % 5));
    ASSERT_EQ(problem.cost_of(order_of(problem)), problem.least(problem.factors)) << "problem " << i;
  }
}

TEST(PairOrder, OfManyUsesEachOnce) {
  std::mt19937 random(4);
  for (size_t factors = 7; factors < 40; ++factors) {
    const Problem problem = random_problem(random, factors);
    problem.cost_of(order_of(problem));
  }
}

// A chain of n matrices, index i between factors i − 1 and i.
Problem chain(const std::vector<int64_t>& extents) {
  Problem problem{{}, 0, extents};
  for (size_t i = 0; i + 1 < extents.size(); ++i) problem.factors.push_back(uint64_t{3} << i);
  problem.output = uint64_t{1} | uint64_t{1} << (extents.size() - 1);
  return problem;
}

TEST(PairOrder, TiesGoToTheLeft) {
  EXPECT_EQ(order_of(chain({5, 5, 5, 5})), (std::vector<PairStep>{{0, 1}, {3, 2}}));
  EXPECT_EQ(order_of(chain({5, 5, 5, 5, 5, 5, 5})), (std::vector<PairStep>{{0, 1}, {6, 2}, {7, 3}, {8, 4}, {9, 5}}));
  EXPECT_EQ(pair_order(std::vector<uint64_t>(4, 0), 0, {}), (std::vector<PairStep>{{0, 1}, {4, 2}, {5, 3}}));
  const std::vector<PairStep> many = pair_order(std::vector<uint64_t>(9, 0), 0, {});
  for (unsigned i = 0; i < many.size(); ++i) EXPECT_EQ(many[i], (PairStep{i == 0 ? 0 : 8 + i, i + 1})) << i;
}

TEST(PairOrder, OfAChainBeginsAtItsThinEnd) {
  EXPECT_EQ(order_of(chain({100, 100, 100, 2})), (std::vector<PairStep>{{1, 2}, {0, 3}}));
  EXPECT_EQ(order_of(chain({2, 100, 100, 100})), (std::vector<PairStep>{{0, 1}, {3, 2}}));
  const Problem twelve = chain({9, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 1});
  EXPECT_EQ(twelve.cost_of(order_of(twelve)), 10 * 10000 + 900);
}

TEST(PairOrder, EndlessCostsAreNoneTheLess) {
  const int64_t huge = int64_t{1} << 62, many = int64_t{1} << 40;
  const Problem problem{{1, 2, 4, 7}, 0, {huge, huge, huge}};
  EXPECT_EQ(order_of(problem).size(), 3u);
  EXPECT_EQ(order_of(chain({many, 4, many, 2})), (std::vector<PairStep>{{1, 2}, {0, 3}}));
}

}  // namespace
}  // namespace covec::test
