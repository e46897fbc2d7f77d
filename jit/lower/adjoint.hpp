// The derivative of regions. The entries that a tape recorded in a branch or loop become one entry. Its reverse is
// again a branch or loop, the adjoint region: the same entries, swept backwards inside the new region. It uses values
// of the forward region; jit/passes/residuals.cpp brings them there later, by results and stacks. Cotangents of values
// from outside are variables of the adjoint region. A value that leaves a region is a new value
// (stdlib/autodiff/renewal.hpp), so cotangents are added in the order of eager code.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "jit/lower/graph/graph_writer.hpp"
#include "jit/lower/graph/region_tape.hpp"
#include "jit/lower/paths/control_flow.hpp"
#include "jit/lower/paths/conversions.hpp"

namespace covec::ir {

// Loops of adjoints, as they have been walked: of which tape and family (autodiff::Tape::end_region), in which
// direction, and which nodes of the family have got other cotangents in them.
struct AdjointWalk {
  uint64_t level = 0;
  uint32_t family = 0;
  bool back = false;
  std::set<uint32_t> touched = {};
};

class AdjointWalks {
 public:
  void note(AdjointWalk walk) { all_.push_back(std::move(walk)); }
  // Whether the node's cotangent of each iteration can be brought into a walk that comes next: it has been made by one
  // in the other direction, or another one in that direction has come since (jit/passes/residuals.cpp).
  bool reaches(const AdjointWalk& next, uint32_t node) const;

 private:
  std::vector<AdjointWalk> all_;
};

// Puts the entry on the tape, if it is open and something active leaves the region; it owns `entries` then.
class AdjointRecorder {
 public:
  AdjointRecorder(ops::Builder& builder, GraphWriter& writer, Conversions& conversions, ControlFlow& control_flow)
      : builder_(builder), writer_(writer), conversions_(conversions), control_flow_(control_flow) {}
  // `paths`: the region's own; `back_through`: those that they are the adjoints of.
  void record_branch(RegionTapes& tapes, const Value& condition, std::vector<Entries> first,
                     std::vector<Entries> second, AdjointOf paths, AdjointOf back_through);
  // `trip_count`: how many iterations there were.
  void record_loop(RegionTapes& tapes, const Value& trip_count, std::vector<Entries> entries, uint32_t serial,
                   uint32_t back_through);
  // By tape, the rules of functions that the condition of such a loop calls, which has been asked once at least.
  void record_condition(RegionTapes& tapes, std::span<const autodiff::RuleUse> uses);

 private:
  ops::Builder& builder_;
  GraphWriter& writer_;
  Conversions& conversions_;
  ControlFlow& control_flow_;
  AdjointWalks walks_;
};

}  // namespace covec::ir
