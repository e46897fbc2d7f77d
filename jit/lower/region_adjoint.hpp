// What the adjoints of all kinds of region do in a sweep: branches and loops (adjoint.cpp), recursive functions
// (recursion_adjoint.cpp).
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "jit/lower/graph/graph_writer.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/graph/region_tape.hpp"
#include "jit/lower/paths/control_flow.hpp"
#include "stdlib/autodiff/sweep.hpp"

namespace covec::ir {

// The types of tensors that entries have as operands, by node.
void add_types(const Entries& entries, uint32_t first, std::map<uint32_t, Type>& types);
// Nodes from outside that entries use.
void add_outer_nodes(const Entries& entries, uint32_t first, std::set<uint32_t>& nodes);

bool any_always_gives(const Entries& entries);
// On the paths through all of them.
autodiff::RuleUse rule_use_of(const Entries& entries);
bool any_meets(const Entries& entries);

inline bool is_one_of(uint32_t node, std::span<const autodiff::Tape::Nodes> ranges) {
  return std::ranges::any_of(ranges, [&](const auto& nodes) { return node >= nodes.first && node < nodes.second; });
}

class RegionAdjoint : public autodiff::Composite {
 public:
  std::vector<uint32_t> outer_nodes() const override { return {outer_.begin(), outer_.end()}; }
  std::map<uint32_t, Type> outer_types() const override { return types_; }

 protected:
  using LiveOuts = std::vector<RegionTape::LiveOut>;
  RegionAdjoint(ops::Builder& builder, GraphWriter& writer, ControlFlow& control_flow, const RegionTape& tape)
      : builder_(builder),
        writer_(writer),
        control_flow_(control_flow),
        live_outs_(tape.live_outs()),
        base_(tape.base()),
        first_(tape.first_node()) {}

  // A reverse sweep inside an outer derivative uses what was made in the region: those cotangents come from the
  // adjoint of that sweep's own region, iteration by iteration.
  void begin(std::vector<Value>& cotangents) {
    came_.assign(cotangents.begin() + first_, cotangents.begin() + base_);
    came_over_.clear();
    for (const uint32_t node : handed_over_) came_over_.push_back(cotangents[node]);
  }
  bool nothing_came(const std::vector<Value>& cotangents) const {
    const auto none = [](const Value& c) { return c.is_none(); };
    const auto first = cotangents.begin() + base_;
    return std::all_of(first, first + static_cast<ptrdiff_t>(live_outs_.size()), none) &&
           std::all_of(came_.begin(), came_.end(), none);
  }
  void start_inner(std::vector<Value>& cotangents) const {
    std::copy(came_.begin(), came_.end(), cotangents.begin() + first_);
  }
  void start_handed_over(std::vector<Value>& cotangents) const {
    size_t i = 0;
    for (const uint32_t node : handed_over_) cotangents[node] = came_over_[i++];
  }
  void clear_inner(std::vector<Value>& cotangents) const {
    for (uint32_t node = first_; node < base_; ++node) cotangents[node] = Value();
  }
  // Nodes from outside that were made in a region of the same family: their cotangents belong to one iteration or path.
  // The adjoint of this region adds to what the adjoints before it, in the same iteration, have made of them, and
  // leaves the sums to those behind it.
  void find_handed_over(const RegionTape& tape, uint32_t family) {
    family_nodes_ = tape.nodes_of(family);
    std::erase_if(family_nodes_, [&](const auto& nodes) { return nodes.second > first_; });
    for (const uint32_t node : outer_) {
      if (is_one_of(node, family_nodes_)) handed_over_.insert(node);
    }
  }
  bool is_handed_over(uint32_t node) const { return handed_over_.contains(node); }
  // The cotangents of nodes that regions of the family before this one have made. Where there are any, the adjoint of
  // this one may have to relay them (jit/passes/residuals.cpp).
  std::map<uint32_t, Value> family_cotangents(const std::vector<Value>& cotangents) const {
    std::map<uint32_t, Value> found;
    for (const auto& [first, last] : family_nodes_) {
      for (uint32_t node = first; node < last; ++node) {
        if (!cotangents[node].is_none()) found[node] = cotangents[node];
      }
    }
    return found;
  }
  void add_outer(uint32_t node, const std::optional<Type>& type) {
    if (node == 0 || node >= first_) return;
    outer_.insert(node);
    if (type) types_.try_emplace(node, *type);
  }

  ops::Builder& builder_;
  GraphWriter& writer_;
  ControlFlow& control_flow_;
  const LiveOuts live_outs_;
  const uint32_t base_, first_;   // nodes of the region: first_ … base_ - 1; what leaves it: from base_ on
  std::vector<Value> came_;       // cotangents of the region's nodes, from outside
  std::vector<Value> came_over_;  // those of handed_over_, from the adjoints before it
  std::set<uint32_t> handed_over_;
  std::vector<autodiff::Tape::Nodes> family_nodes_;  // of regions of the family before it
  std::set<uint32_t> outer_;
  std::map<uint32_t, Type> types_;  // of those, where they are known
};

}  // namespace covec::ir
