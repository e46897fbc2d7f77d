// Turns a unit of elementwise operations into a Kernel and the Launch that runs it. Arrays are the kernel's inputs, and
// numbers come as words. A value that is needed afterwards is an output. A reduction of the last operation takes its
// elements as one more output. If the kernel is the epilogue of a product, the product becomes a step of the launch.
// Start at LaunchBuilder::launch.
#pragma once

#include "jit/loops/build/steps.hpp"

namespace covec::loops {

class LaunchBuilder {
 public:
  LaunchBuilder(const ir::Graph& graph, Plan& plan, Scopes& scopes, Placement& places, StepBuilder& steps)
      : graph_(graph), plan_(plan), scopes_(scopes), places_(places), steps_(steps) {}
  void launch(const Unit& unit);

 private:
  uint32_t add(Kernel kernel);
  uint32_t product(const ir::Operation& operation);
  void update(const ir::Operation& operation, Step step);
  void add_row_kernel(Launch& launch);
  SlotId result_slot(ir::Id id);

  const ir::Graph& graph_;
  Plan& plan_;
  Scopes& scopes_;
  Placement& places_;
  StepBuilder& steps_;
};

}  // namespace covec::loops
