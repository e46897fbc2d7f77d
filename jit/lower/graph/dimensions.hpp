// Manages the symbolic dimensions of a graph under construction. Each is an expression (Graph::dims): an axis of a
// value, a number of the run, a sum, a product, the wider of two. One expression has one number, so equal numbers mean
// equal extents. A separate table records other dimensions that have been found equal. Nothing is appended to the graph
// here. StagingBuilder::extent makes a number that holds an extent. It is noted here, so that it is that extent again
// if it is used as a size.
#pragma once

#include <unordered_map>
#include <vector>

#include "jit/ir/graph.hpp"

namespace covec::ir {

class Dimensions {
 public:
  explicit Dimensions(Graph& graph) : graph_(graph) {}

  Dim axis_of(Id value, unsigned axis) { return of({DimExpression::Kind::axis_of, value, axis}); }
  bool is_axis_of(Dim dim, Id value, unsigned axis) const {
    return !dim.known() && expression(dim) == DimExpression{DimExpression::Kind::axis_of, value, axis};
  }
  Dim sum(Dim a, Dim b);
  Dim product(Dim a, Dim b);
  Dim broadcast(Dim a, Dim b);
  Dim saturating_sub(Dim a, int64_t count);
  // The size that a symbolic number gives.
  Dim of_number(Id number);
  // One that only the run knows; it becomes an axis of the result whose type it stands in (bind).
  Dim unknown();
  void bind(const Type& type, Id result);
  // The unknown ones from this number on, whose type has not been found after all.
  void forget_unbound(size_t from);
  DimExpression expression(Dim dim) const { return graph_.dims[dim.id()]; }

  // A number that holds a dimension: never negative, and that dimension where it is used as a size.
  void note_extent(Id number, Dim dim) { extents_.emplace(number, dim); }
  bool is_extent(Id number) const { return extents_.contains(number); }

  // Holds from here on, to the end of the region: rollback() forgets what has been assumed since mark().
  void assume_equal(Dim a, Dim b);
  struct Mark {
    size_t equal, parts;
  };
  Mark mark() const { return {assumed_.size(), widest_.size()}; }
  void rollback(const Mark& mark);
  bool are_equal(Dim a, Dim b) const { return representative(a) == representative(b); }

 private:
  struct Hash {
    size_t operator()(Dim dim) const;
    size_t operator()(const DimExpression& expression) const;
  };
  Dim of(const DimExpression& expression);
  Dim representative(Dim dim) const;
  std::vector<Dim> parts_of(Dim dim) const;

  Graph& graph_;
  std::unordered_map<DimExpression, uint32_t, Hash> numbers_;
  std::unordered_map<Dim, Dim, Hash> equal_;              // to the representative, or closer to it
  std::unordered_map<uint32_t, std::vector<Dim>> parts_;  // of broadcast dimensions: what they are the widest of
  std::unordered_map<Id, Dim> extents_;
  std::vector<Dim> assumed_;      // keys of equal_, in order
  std::vector<uint32_t> widest_;  // keys of parts_, in order
};

}  // namespace covec::ir
