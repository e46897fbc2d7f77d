// The tensor IR as loops: numbers into registers, control flow as it is, elementwise operations into kernels (fuse.hpp
// says which together), everything else into steps. Values that are no numbers live in slots; one is moved out by the
// operation that uses it last, so that what a loop updates stays in place. Start at build.cpp.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

struct BuildOptions {
  bool fuse = true;           // false: a kernel for each elementwise operation
  bool device = false;        // numbers may stay on the device where kernels run
  bool eager_kernels = true;  // false: an operator that is a kernel by itself is code, too, where the library has one
};
std::unique_ptr<const Plan> build(std::shared_ptr<const ir::Graph> graph, const BuildOptions& options = {});

}  // namespace covec::loops
