// Finds indices that name a few elements of a tensor of any size: some axes by a number that only the run knows, the
// others by constants along extents that are known (X[i], X[:, j], X[i, 1:3], X[i, newaxis]). The eager engine says
// which elements these are: it indexes numbered ones. Start at part_index().
#pragma once

#include <optional>
#include <vector>

#include "jit/ir/graph.hpp"
#include "jit/passes/analysis/evaluate.hpp"

namespace covec::passes {

struct PartIndex {
  std::vector<Value> at;        // for each axis of the tensor its number; none: the place of an element gives it
  std::vector<size_t> from;     // for each axis the position of its number among the operation's
  Shape open;                   // the extents of the axes without a number
  std::vector<int64_t> places;  // of the part's elements, row-major in `open`
  Shape shape;                  // of the part

  // The number along each axis of element k of the part.
  std::vector<Value> of_element(size_t k) const;
  // The place of operations on elements in place of `whole`: their errors point at its indices.
  uint32_t place_of_elements(ir::Graph& graph, const ir::Operation& whole) const;
};

// Nothing where the index is another one, or names no element. `open` of an index that names one element is empty.
std::optional<PartIndex> part_index(const ir::Graph& graph, Evaluator& evaluator, const Value& tensor,
                                    const Value& spec, const std::vector<Value>& numbers);

}  // namespace covec::passes
