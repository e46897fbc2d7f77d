// Decides which residuals of a loop's body its adjoint recomputes instead of keeping them on a stack
// (rematerialization). These are the index, which follows from the number of iterations, elements of tensors that still
// exist, and a few cheap operations on them. The adjoint runs the same operation on the same values, so the result has
// the same bits and cannot fail.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
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

class ComputedAgain {
 public:
  // `stays`: whether a tensor from outside the loop is there in its adjoints, unchanged and without being copied for
  // it.
  using Stays = std::function<bool(ir::Id)>;
  ComputedAgain(ir::Graph& graph, const ir::Operation& loop, const ir::Region& body, std::span<const ir::Id> wanted,
                bool index_known, const Stays& stays);

  bool contains(ir::Id id) const {
    const auto found = answers_.find(id);
    return found != answers_.end() && found->second;
  }
  // The operations, for one adjoint; `names` knows what was popped, and learns what is computed.
  void append(const AdjointPass& adjoint, std::map<ir::Id, ir::Id>& names, std::vector<ir::Operation>& to) const;

 private:
  bool choose(ir::Id id, unsigned unwanted);
  bool answer(ir::Id id, unsigned unwanted);
  bool is_cheap(const ir::Operation& operation) const;
  bool is_there(ir::Id id, unsigned unwanted);
  ir::Id append_index(const AdjointPass& adjoint, std::vector<ir::Operation>& to) const;

  ir::Graph& graph_;
  const ir::Region& body_;
  const Stays& stays_;
  std::optional<ir::Id> index_;
  std::set<ir::Id> wanted_;
  std::map<ir::Id, const ir::Operation*> makers_;  // what stands in the body itself
  std::map<ir::Id, bool> answers_;                 // whether a value is computed again
};

}  // namespace covec::passes
