// The check of a compressed matrix: its product with one more vector, computed from its entries, against what the
// function gives for that vector. An entry that the pattern lacks makes them differ, unless the entry is tiny.
#pragma once

#include <cstdint>
#include <span>

#include "stdlib/sparse/color_graph.hpp"

namespace covec::sparse {

// Number `at` of the vector: pseudo-random, of either sign, from ½ to 1 in size.
double probe_at(uint64_t at);

// One side of a check: the matrix A with these entries, a vector v, and A @ v as the function gives it.
struct Probed {
  std::span<const int64_t> starts, indices;
  std::span<const double> data, vector, product;
};

// The first row from `from` on in which both differ by more than `tolerance` times what the row adds up, in absolute
// values; −1: none. Where the entries give nothing finite, nothing is compared.
int64_t first_miss(const Probed& probed, double tolerance, int64_t from);
// The same of v @ A, by columns.
int64_t first_miss_of_columns(const Probed& probed, double tolerance, int64_t from);

}  // namespace covec::sparse
