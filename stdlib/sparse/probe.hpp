// The check of a compressed matrix: its product with one more vector, computed from its entries, against what the
// function gives for that vector. An entry that the pattern lacks makes them differ, unless it is less than rounding of
// the other entries of its row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stdlib/sparse/color_graph.hpp"

namespace covec::sparse {

// Number `at` of the vector: pseudo-random, of either sign, from ½ to 1 in size.
double probe_at(uint64_t at);

// One side of a check: the matrix A with these entries, a vector v, and A @ v as the function gives it.
struct Probed {
  std::span<const int64_t> starts, indices;
  std::span<const double> data, vector, product;
};

// How far rounding may move the sum of a row's terms: so many epsilons of the sum of their absolute values, and one
// more for each of them.
struct Rounding {
  double epsilon, allowance;
};

// The first rows (at most `most`) in which both differ by more than rounding, or in which one of them is not finite. A
// row that has all columns lacks none: it is left out, unless `full`.
std::vector<int64_t> misses(const Probed& probed, const Rounding& rounding, bool full, size_t most);
// The same of v @ A, by columns.
std::vector<int64_t> misses_of_columns(const Probed& probed, const Rounding& rounding, bool full, size_t most);

}  // namespace covec::sparse
