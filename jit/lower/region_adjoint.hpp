// What the adjoints of all kinds of region do in a sweep: branches and loops (adjoint.cpp), recursive functions
// (recursion_adjoint.cpp).
#pragma once

#include <map>
#include <set>

#include "jit/lower/graph/graph_writer.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/graph/region_tape.hpp"
#include "jit/lower/regions.hpp"
#include "stdlib/autodiff/sweep.hpp"

namespace covec::ir {

// The types of tensors that entries have as operands, by node.
void add_types(const Entries& entries, uint32_t first, std::map<uint32_t, Type>& types);
// Nodes from outside that entries use.
void add_outer_nodes(const Entries& entries, uint32_t first, std::set<uint32_t>& nodes);

bool any_always_gives(const Entries& entries);

class RegionAdjoint : public autodiff::Composite {
 public:
  std::vector<uint32_t> outer_nodes() const override { return {outer_.begin(), outer_.end()}; }
  bool has_rule() const override { return false; }
  std::map<uint32_t, Type> outer_types() const override { return types_; }

 protected:
  using LiveOuts = std::vector<RegionTape::LiveOut>;
  RegionAdjoint(ops::Builder& builder, GraphWriter& writer, Regions& regions, const RegionTape& tape,
                Regions::Nodes back)
      : builder_(builder),
        writer_(writer),
        regions_(regions),
        live_outs_(tape.live_outs()),
        base_(tape.base()),
        first_(tape.first_node()),
        back_(back) {}

  // A reverse sweep inside an outer derivative uses what was made in the region: those cotangents come from the
  // adjoint of that sweep's own region, iteration by iteration.
  void begin(std::vector<Value>& cotangents) { came_.assign(cotangents.begin() + first_, cotangents.begin() + base_); }
  bool nothing_came(const std::vector<Value>& cotangents) const {
    const auto none = [](const Value& c) { return c.is_none(); };
    const auto first = cotangents.begin() + base_;
    return std::all_of(first, first + static_cast<ptrdiff_t>(live_outs_.size()), none) &&
           std::all_of(came_.begin(), came_.end(), none);
  }
  void start_inner(std::vector<Value>& cotangents) const {
    std::copy(came_.begin(), came_.end(), cotangents.begin() + first_);
  }
  void clear_inner(std::vector<Value>& cotangents) const {
    for (uint32_t node = first_; node < base_; ++node) cotangents[node] = Value();
  }
  // Made in the region that this one's own region goes back through: the same pass of that one's adjoint takes it over.
  bool is_handed_over(uint32_t node) const { return node >= back_.first && node < back_.second; }
  void refuse_handed_over(const std::vector<Value>& cotangents) const {
    for (const uint32_t node : outer_) {
      if (is_handed_over(node) && !cotangents[node].is_none()) not_staged("a derivative of one taken back twice");
    }
  }
  void clear_handed_over(std::vector<Value>& cotangents) const {
    for (const uint32_t node : outer_) {
      if (is_handed_over(node)) cotangents[node] = Value();
    }
  }
  void add_outer(uint32_t node, const std::optional<Type>& type) {
    if (node == 0 || node >= first_) return;
    outer_.insert(node);
    if (type) types_.try_emplace(node, *type);
  }

  ops::Builder& builder_;
  GraphWriter& writer_;
  Regions& regions_;
  const LiveOuts live_outs_;
  const uint32_t base_, first_;  // nodes of the region: first_ … base_ - 1; what leaves it: from base_ on
  const Regions::Nodes back_;
  std::vector<Value> came_;  // cotangents of the region's nodes, from outside
  std::set<uint32_t> outer_;
  std::map<uint32_t, Type> types_;  // of those, where they are known
};

}  // namespace covec::ir
