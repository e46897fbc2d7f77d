// Writes an index as a sum of a loop's counters, of numbers from outside the loop and of constants, modulo 2^64.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "jit/ir/graph.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::passes {

struct IndexSum {
  std::map<ir::Id, uint64_t> times;  // none is 0
  uint64_t constant = 0;
  bool operator==(const IndexSum&) const = default;
  void add(const IndexSum& other, uint64_t factor);
};

// Whether a value is a number of this dtype.
bool is_number_of(const ir::Graph& graph, const Value& value, Dtype dtype);

// x[i, j] with a number for each axis: whether the operation reads or sets that; argument `spec` says what the indices
// are.
bool names_element(const ir::Graph& graph, const ir::Operation& operation, size_t spec);

// What makes the values of a loop's body; nullptr: a parameter.
using Makers = std::unordered_map<ir::Id, const ir::Operation*>;
// Nothing where the number is no sum of what `stands` for itself, counters for example, and of what is from outside.
std::optional<IndexSum> index_sum(const ir::Graph& graph, const Makers& makers, const Value& number,
                                  FunctionRef<bool(ir::Id)> stands);

// Operations that compute the sum, at the end of a list.
Value write_sum(ir::Graph& graph, const IndexSum& sum, uint32_t place, std::vector<ir::Operation>& to);

}  // namespace covec::passes
