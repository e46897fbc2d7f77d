// The tensor IR as loops: numbers into registers, control flow as it is, elementwise operations into kernels (fuse.hpp
// says which together), everything else into steps. Values that are no numbers live in slots; one is moved out by the
// operation that uses it last, so that what a loop updates stays in place. Start at build.cpp. What is done with the
// units before, and with the program afterwards, stands in jit/pipeline.cpp.
#pragma once

#include "jit/loops/fuse/fuse.hpp"

namespace covec::loops {

struct BuildOptions {
  bool fuse = true;           // false: a kernel for each elementwise operation
  bool device = false;        // numbers may stay on the device where kernels run
  bool eager_kernels = true;  // false: an operator that is a kernel by itself is code, too, where the library has one
  // For text that others run: no launch does more than its members, and of numbers each longer operator is a step.
  bool plain = false;
};
FuseLimits limits_of(const ir::Graph& graph, const BuildOptions& options);
// `block`: the graph's, scheduled within these limits.
std::unique_ptr<Plan> build(std::shared_ptr<const ir::Graph> graph, const Block& block, const FuseLimits& limits);

}  // namespace covec::loops
