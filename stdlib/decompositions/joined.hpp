// Finds the connected blocks of a matrix: rows and columns that nonzero elements connect. Each block is decomposed by
// itself, so that numbers of very different size in different blocks do not mix.
#pragma once

#include <vector>

#include "stdlib/decompositions/dense.hpp"

namespace covec::kernels {

struct JoinedPart {
  std::vector<int64_t> rows, columns;  // ascending
  int64_t height() const { return static_cast<int64_t>(rows.size()); }
  int64_t width() const { return static_cast<int64_t>(columns.size()); }
  int64_t smaller() const { return std::min(height(), width()); }
  int64_t row(int64_t i) const { return rows[static_cast<size_t>(i)]; }
  int64_t column(int64_t j) const { return columns[static_cast<size_t>(j)]; }
};

template <class T>
std::vector<JoinedPart> joined_parts(Dense<T> a);

// Of a symmetric matrix: only rows are said.
template <class T>
std::vector<JoinedPart> joined_parts_of_symmetric(Dense<T> a);

}  // namespace covec::kernels
