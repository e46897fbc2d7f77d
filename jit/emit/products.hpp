// Gives the text of matrix products of f32 and f64. Start at product_function.
#pragma once

#include <string>

#include "jit/emit/file.hpp"

namespace covec::emit {

// The name of the file's function of (m, n, k, a, a_row, a_column, b, b_row, c, c_row): c = a @ b, where a is m by k, b
// k by n. The others are distances between elements: of rows, and of a's columns. So a may be a transposed matrix. Any
// of the extents may be 0.
std::string product_function(File& file, Dtype dtype);

}  // namespace covec::emit
