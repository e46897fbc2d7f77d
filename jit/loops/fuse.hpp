// Which operations of a region run together, and when each value is needed for the last time. Elementwise operations
// that are connected become one unit, a kernel, by merging a consumer's group with its producers' as long as: all have
// (as far as can be known) one shape; what is needed elsewhere has it as well; nothing that fails or has an effect
// trades places with another such operation; and the kernel stays small. The price of 'as far as can be known': shapes
// that turn out otherwise are computed one operation at a time (jit/runtime/launch.cpp). Start at schedule().
#pragma once

#include <functional>
#include <unordered_map>

#include "jit/loops/plan.hpp"

namespace covec::loops {

struct Block;

// Operations of a region that are one piece of code: one operation, or the elementwise ones of a kernel in program
// order, with the reduction of the last one, if any.
struct Unit {
  std::vector<const ir::Operation*> operations;
  std::vector<Boundary> boundaries;  // of each, when it is a kernel
  bool kernel = false;
  const ir::Operation* reduction = nullptr;
  std::vector<Block> blocks;  // its regions
};

struct Block {
  const ir::Region* region = nullptr;
  std::vector<Unit> units;
  std::unordered_map<ir::Id, uint32_t> last;  // the unit that uses a value last; units.size(): the region's results do
  std::vector<std::vector<ir::Id>> deaths;    // the other way round
};

struct FuseLimits {
  bool fuse = true;
  bool eager_kernels = true;  // the library's kernel for a long body that stands alone
  uint32_t inputs = 12;
  uint32_t instructions = 300;
  uint32_t members = 64;
};

Block schedule(const ir::Graph& graph, const ir::Region& region, const FuseLimits& limits);

// An elementwise operation over tensors that a kernel can hold.
bool is_elementwise(const ir::Graph& graph, const ir::Operation& operation);
// One on numbers alone: code.
bool is_number_operation(const ir::Graph& graph, const ir::Operation& operation);
// How many instructions an elementwise operation takes, and whether it can fail on some numbers: emitted once to see.
struct Weight {
  uint32_t instructions = 0;
  bool fails = false;
};
Weight weigh(const ir::Graph& graph, const ir::Operation& operation);
// Whether its operands' shapes may turn out not to fit together.
bool shapes_may_fail(const ir::Graph& graph, const ir::Operation& operation);
// Calls f(Id) for every value that an operation reads itself.
void each_use(const ir::Operation& operation, const std::function<void(ir::Id)>& f);

}  // namespace covec::loops
