// Diagonals and triangles of matrices, and grids of coordinates.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& tril_entry();  // (x, k=0)
const Entry& triu_entry();  // (x, k=0)

// Of the last two axes: the diagonal, and its transpose, a matrix of zeros but for it.
const Entry& diagonal_entry();     // (x, k)
const Entry& on_diagonal_entry();  // (x, k, rows, columns)

}  // namespace covec::ops
