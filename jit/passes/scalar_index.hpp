// Elements of numbers at an index that only the run knows: choices among the numbers. An index that is out of range
// raises the operation's own error. Start at read_by_choice() and write_by_choice().
#pragma once

#include <vector>

#include "jit/passes/analysis/index_choice.hpp"
#include "jit/passes/scalar_writer.hpp"

namespace covec::passes {

// The elements of the part that `read` names, of a tensor with these elements.
std::vector<Value> read_by_choice(ScalarWriter& writer, const IndexChoice& choice, const ir::Operation& read,
                                  const std::vector<Value>& elements, Dtype dtype);
// The elements of the tensor behind `change`, which sets or adds `values` to the part. All are of this dtype.
std::vector<Value> write_by_choice(ScalarWriter& writer, const IndexChoice& choice, const ir::Operation& change,
                                   const std::vector<Value>& elements, const std::vector<Value>& values, Dtype dtype);

}  // namespace covec::passes
