// Runs iterations of a loop side by side, one in each lane of a vector (step::RunLaneLoop).
#pragma once

#include <span>

#include "jit/loops/plan.hpp"
#include "jit/runtime/run.hpp"
#include "stdlib/value/context.hpp"

namespace covec::runtime {

// The room that the stacks and arrays of lanes have at first. Becomes what a loop has needed.
struct LaneRoom {
  int64_t rows = 256;           // of a stack
  uint64_t arrays = 16 * 1024;  // bytes of all arrays of a thread
};
struct LaneMemory {
  ops::Context& context;  // its pool and threads
  LaneRoom& room;
};

void run_lane_loop(const loops::Plan& plan, const loops::step::RunLaneLoop& run, const Backend& backend,
                   loops::ActivationRecord& activation, std::span<Value> slots, LaneMemory memory);

}  // namespace covec::runtime
