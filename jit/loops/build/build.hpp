// Turns the tensor IR into loops. Numbers go into registers, control flow stays as it is, elementwise operations become
// kernels (fuse.hpp groups them), and everything else becomes steps. Values that are not numbers live in slots. The
// operation that uses a value last moves it out of its slot, so loops update tensors in place. Start at build.cpp.
// jit/pipeline.cpp lists the work on units before this, and on the program after it.
#pragma once

#include "jit/loops/fuse/fuse.hpp"

namespace covec::loops {

struct BuildOptions {
  bool fuse = true;           // false: a kernel for each elementwise operation
  bool device = false;        // numbers may stay on the device where kernels run
  bool eager_kernels = true;  // false: an operator that is a kernel by itself is code, too, where the library has one
  // For text that others run: no launch does more than its members, and of numbers each longer operator is a step.
  bool plain = false;
  uint32_t function = 0;  // which of Code::functions it is, of a graph that is one
};
FuseLimits limits_of(const ir::Graph& graph, const BuildOptions& options);
// `block`: the graph's, scheduled within these limits.
std::unique_ptr<Plan> build(std::shared_ptr<const ir::Graph> graph, const Block& block, const FuseLimits& limits);

}  // namespace covec::loops
