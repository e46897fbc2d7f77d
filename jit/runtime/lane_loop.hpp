// Runs iterations of a loop side by side, one in each lane of a vector (step::RunLaneLoop).
#pragma once

#include <span>

#include "jit/loops/plan.hpp"
#include "jit/runtime/run.hpp"
#include "stdlib/value/context.hpp"

namespace covec::runtime {

// For the stacks of lanes.
struct LaneMemory {
  static constexpr int64_t first_rows = 256;  // chosen, not measured
  ops::Context& context;                      // its pool and threads
  int64_t& rows;                              // that they have at first; becomes what this loop has needed
};

void run_lane_loop(const loops::Plan& plan, const loops::step::RunLaneLoop& run, const Backend& backend,
                   loops::ActivationRecord& activation, std::span<Value> slots, LaneMemory memory);

}  // namespace covec::runtime
