// What the divide-and-conquer decompositions share: the choice of vectors of the two parts to combine, and products
// with them that skip the zeros.
#pragma once

#include <utility>
#include <vector>

#include "stdlib/decompositions/dense.hpp"

namespace covec::kernels {

// Fewer rows are not divided: a method that turns whole vectors is quicker there.
inline constexpr int64_t undivided_rows = 48;

// In units of the largest element of the matrix: tolerances are relative to the largest number, but at least to this.
// Smaller numbers do not matter, and its fourth power does not underflow.
inline constexpr double least_size = 1e-40;

// 0 … n − 1 by d, equal ones by their number.
std::vector<int64_t> order_of(const double* d, int64_t n);

// So that the kept ones of n rows can take the first places: which of the others moves from where to where.
std::vector<std::pair<int64_t, int64_t>> moves_behind(const std::vector<int64_t>& kept, int64_t n);

// Where the elements of a vector that are not 0 stand: in the first part, in both, in the second.
enum class Reach : uint8_t { first, both, second };

// Vectors as rows, those of the first part first and those of the second last: each part of them has its own columns.
template <class T>
class JoinedRows {
 public:
  // `rows` of a matrix; the first part's columns end at `middle`. reach[i] is that of row kept[i].
  JoinedRows(ops::Context& context, Dense<T> rows, int64_t middle, const std::vector<int64_t>& kept,
             const std::vector<Reach>& reach);
  // Where row kept[i] stands among the columns of what is multiplied.
  const std::vector<int64_t>& places() const { return places_; }
  // to = factors·(these rows)
  void multiply(ops::Context& context, Dense<T> factors, Dense<T> to) const;

 private:
  int64_t middle_, last_first_, first_second_;  // the first part's end, the second's start
  std::vector<int64_t> places_;
  Grid<T> first_, second_;
};

// rows become c·x + s·y and c·y − s·x
template <class T>
void rotate_rows(T* x, T* y, T c, T s, int64_t n);

}  // namespace covec::kernels
