// Finds operations that read, set or add to elements of a small tensor where an index is a number that only the run
// knows (w[i], P[i, j], P[i], w[i] += x). If the tensor is numbers, a choice among these does it (scalar_index.hpp).
// Start at index_choice().
#pragma once

#include <optional>
#include <vector>

#include "jit/ir/graph.hpp"
#include "jit/passes/analysis/evaluate.hpp"
#include "jit/passes/analysis/part_index.hpp"

namespace covec::passes {

struct IndexChoice {
  // Of an element of the tensor: the choice that names it, and the element of the part that it is then.
  struct Named {
    int32_t choice = 0, of_part = none;
    static constexpr int32_t none = -1;  // no choice names it
  };
  PartIndex index;
  std::vector<Value> at;      // for each axis the number that only the run knows; none: it has none
  Shape extents;              // of the axes that have one; 1 in place of the others
  int64_t choices = 1;        // the product of these
  std::vector<Named> places;  // row by row
  bool reads = false;

  // Operations on numbers, roughly.
  double instructions() const;
};

// Nothing where the operation is another one, or cannot be done so.
std::optional<IndexChoice> index_choice(const ir::Graph& graph, Evaluator& evaluator, const ir::Operation& operation);

}  // namespace covec::passes
