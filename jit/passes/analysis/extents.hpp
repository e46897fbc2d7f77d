// Tracks which symbolic dimensions are the same number while a pass walks over a graph. A dimension has one canonical
// form at each place. The form is a number, the axis of the value that the dimension stems from, or a sorted
// combination of those. An operation that has succeeded proves equalities (the inner extents of a product); they hold
// from there to the end of the region.
//
// The trade-off: no equations are solved. n + m and m + n are equal; 2·n and n + n are not. A dimension may mention a
// value that is not visible here (another loop's, in the reverse of that loop). It has no canonical form, and nothing
// is concluded.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "jit/ir/graph.hpp"

namespace covec::passes {

class KnownValues;

class Extents {
 public:
  Extents(ir::Graph& graph, const KnownValues& values);

  std::optional<Dim> canonical(Dim dim);
  bool same(Dim a, Dim b);
  bool same(const Shape& a, const Shape& b);
  Dim own(ir::Id id, unsigned axis);  // the extent of that value along that axis, whatever it is
  bool is_own(Dim dim, ir::Id id, unsigned axis) const;
  bool is_extent(Dim dim) const;  // of a tensor, or a number
  // What the operator's type rule says of the operands' types as they are known here; of rank 0 when it cannot say.
  Shape shape_of(const ir::Operation& operation);
  // From here on a and b are equal.
  void equate(Dim a, Dim b);
  size_t mark() const { return changes_.size(); }
  void rollback(size_t mark);

 private:
  class Rules;
  struct Hash {
    size_t operator()(const ir::DimExpression& e) const;
  };
  Dim intern(const ir::DimExpression& expression);
  Dim representative(Dim dim) const;
  std::optional<Dim> of_axis(ir::Id value, uint32_t axis);
  std::optional<Dim> of_number(ir::Id value);
  std::optional<Dim> of_choice(const ir::Operation& choice);
  Dim combined(ir::DimExpression::Kind kind, Dim a, Dim b);
  Dim saturating_sub(Dim a, int64_t count);
  Dim broadcast(Dim a, Dim b);
  void broadcast_parts(Dim dim, std::vector<Dim>& parts) const;

  ir::Graph& graph_;
  const KnownValues& values_;
  std::unordered_map<ir::DimExpression, uint32_t, Hash> numbers_;
  std::unordered_map<uint32_t, Dim> equal_;
  std::vector<uint32_t> changes_;  // keys of equal_, in order
  // Dimensions share their parts: each is looked at once for a question.
  std::unordered_map<uint32_t, std::optional<Dim>> found_;
  unsigned depth_ = 0;
};

}  // namespace covec::passes
