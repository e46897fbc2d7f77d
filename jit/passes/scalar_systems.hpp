// Linear systems of a few rows, computed with numbers: solve, inv, det and its derivative, slogdet, cholesky and
// solve_triangular. The text is that of the eager kernels (stdlib/decompositions/elimination.hpp), so the bits are the
// same. Start at system_by_numbers().
#pragma once

#include <vector>

#include "jit/passes/scalar_writer.hpp"

namespace covec::passes {

struct SystemResult {
  std::vector<Value> elements;  // of the result, row by row
  Value leaves;                 // a bool: the library has to do it, which raises the error or has more range
};

// `operands`: the elements of the operation's matrices, in the dtype of the result.
SystemResult system_by_numbers(ScalarWriter& writer, const ir::Operation& operation,
                               const std::vector<std::vector<Value>>& operands, Dtype dtype);

}  // namespace covec::passes
