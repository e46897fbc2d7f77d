// Sparse matrices as text: `sparse f64[1000, 1000], 2998 nonzeros`, and below it the upper left corner.
#pragma once

#include <functional>
#include <string>

#include "stdlib/value/value.hpp"

namespace covec {

// Whether a value is a sparse matrix whose tensors are there: no parts of a compiled function.
bool is_shown_sparse_matrix(const Value& value);
std::string sparse_title(const Value& matrix);
// With the corner; number_text writes an element, `column` says where the text begins.
std::string sparse_text(const Value& matrix, size_t column,
                        const std::function<std::string(const Value&)>& number_text);

}  // namespace covec
