// Decides which residuals of a loop's body its adjoint recomputes instead of keeping them on a stack
// (rematerialization). These are the index, which follows from the number of iterations, elements and parts of tensors
// that still exist, and a few cheap operations on them: numbers, and tensors by an elementwise kernel. The adjoint runs
// the same operation on the same values, so the result has the same bits and cannot fail.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_set>
#include <vector>

#include "jit/ir/graph.hpp"

namespace covec::passes {

// A region that goes back through a loop's body.
struct AdjointPass {
  ir::Region* region = nullptr;
  const ir::Operation* owner = nullptr;  // the reverse loop, or the branch of an iteration that was peeled off it
  std::optional<Value> count;            // how many iterations are left to go back through when it begins
};
// Of one walk back.
std::vector<AdjointPass> adjoints_of(ir::Graph& graph, uint32_t serial, uint32_t sweep);

// Adds what an operation, or the end of its regions, may go on with in place.
void add_taken_over(const ir::Operation& operation, std::unordered_set<ir::Id>& taken);

class ComputedAgain {
 public:
  // `stays`: whether a tensor from outside the loop is there in its adjoints, unchanged and without being copied for
  // it.
  using Stays = std::function<bool(ir::Id)>;
  ComputedAgain(ir::Graph& graph, const ir::Operation& loop, const ir::Region& body, std::span<const ir::Id> wanted,
                bool index_known, const Stays& stays);

  bool contains(ir::Id id) const { return again_.contains(id); }
  // The operations, for one adjoint; `names` knows what was popped, and learns what is computed.
  void append(const AdjointPass& adjoint, std::map<ir::Id, ir::Id>& names, std::vector<ir::Operation>& to) const;

 private:
  // What a value takes if it is computed again: operations for each element of tensors. Nothing: it is not.
  using Work = std::optional<unsigned>;
  Work choose(ir::Id id, unsigned unwanted);
  void take(ir::Id id);
  Work answer(ir::Id id, unsigned unwanted);
  bool is_number(ir::Id id) const { return graph_.values[id].type.shape.empty(); }
  bool is_small(ir::Id id) const;
  bool is_row(ir::Id id) const;
  bool is_inside(ir::Id id) const;
  bool is_part(const ir::Operation& operation) const;
  Work of_operation(const ir::Operation& operation) const;
  Work of_operand(ir::Id id, unsigned unwanted, bool of_number);
  ir::Id append_index(const AdjointPass& adjoint, std::vector<ir::Operation>& to) const;

  ir::Graph& graph_;
  const ir::Region& body_;
  const Stays& stays_;
  std::optional<ir::Id> index_;
  std::set<ir::Id> wanted_;
  std::map<ir::Id, const ir::Operation*> makers_;  // what stands in the body itself
  std::map<ir::Id, Work> answers_;
  std::set<ir::Id> again_;
};

}  // namespace covec::passes
