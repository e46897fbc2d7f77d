// The derivative of regions. The entries that a tape recorded in a branch or loop become one entry. Its reverse is
// again a branch or loop, the adjoint region: the same entries, swept backwards inside the new region. It uses values
// of the forward region; jit/passes/residuals.cpp brings them there later, by results and stacks. Cotangents of values
// from outside are variables of the adjoint region. A value that leaves a region is a new value
// (stdlib/autodiff/renewal.hpp), so cotangents are added in the order of eager code.
#pragma once

#include "jit/lower/graph/graph_writer.hpp"
#include "jit/lower/graph/region_tape.hpp"
#include "jit/lower/regions.hpp"

namespace covec::ir {

// Put the entry on the tape, if it is open and something active leaves the region; it owns `entries` then.
class AdjointRecorder {
 public:
  AdjointRecorder(ops::Builder& builder, GraphWriter& writer, Regions& regions)
      : builder_(builder), writer_(writer), regions_(regions) {}
  // `paths`: the region's own; `back_through`: those that they are the adjoints of.
  void record_branch(RegionTapes& tapes, const Value& condition, std::vector<Entries> first,
                     std::vector<Entries> second, AdjointOf paths, AdjointOf back_through) const;
  // `trip_count`: how many iterations there were.
  void record_loop(RegionTapes& tapes, const Value& trip_count, std::vector<Entries> entries, uint32_t serial,
                   uint32_t back_through) const;

 private:
  ops::Builder& builder_;
  GraphWriter& writer_;
  Regions& regions_;
};

}  // namespace covec::ir
