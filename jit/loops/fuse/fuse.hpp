// Decides which operations of a region run together, and when each value is used last. Connected elementwise operations
// become one unit, a kernel, by merging a consumer's group with its producers'. Then library operations join a kernel:
// a reduction of its result, the matrix product whose epilogue it is, or the update that stores its result into a
// slice. At last, units that can run row by row are put next to each other (row_tiles.hpp). Start at schedule().
//
// Four invariants hold for the groups from the first state (each operation by itself) to the last. Every merge checks
// them:
//
//   place   A group runs as a whole at the position of one operation (Group::position). Its inputs are made before that
//           position, and its results are used after it. So a producer joins its consumer in two cases: nothing between
//           the two positions uses its result (it sinks), or its consumer's inputs are already there (it rises).
//   order   Two operations that may fail or have an effect keep the program's order, since the first error is the
//           program's error, and prints before it are made. A group with such a member moves past no other. Within a
//           group members stay in program order. If an element fails, the launch is replayed and finds the first error.
//   shape   The kernel's loop runs over one shape. Values that are needed outside have it. A member that only the group
//           reads may be smaller; it is computed again for each row, if that is cheap. Extents that may be equal at run
//           time are assumed equal. The price: a launch checks them, and is replayed if they differ.
//   size    A kernel's arrays and values fit the registers, and long operations that wait for each other are apart.
//
// Merging is greedy: it takes each operation in program order, with its latest producer first. Finding the best
// partition is known to be hard. This one takes one pass, and place() looks at a bounded number of operations, so that
// long functions do not take quadratic time.
#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "jit/loops/fuse/device_numbers.hpp"
#include "jit/loops/plan.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::loops {

struct Block;

// Operations of a region that are one piece of code: one operation, or the elementwise ones of a kernel in program
// order, with the reduction of the last one, if any.
struct Unit {
  static constexpr uint32_t alone = UINT32_MAX;
  std::vector<const ir::Operation*> operations;
  std::vector<Boundary> boundaries;  // of each, when it is a kernel
  bool kernel = false;
  bool can_fail = false;  // an element of the kernel
  const ir::Operation* reduction = nullptr;
  const ir::Operation* product = nullptr;  // of matrices, which the kernel goes on with
  const ir::Operation* update = nullptr;   // stores the kernel's only result into a part of a tensor
  uint32_t row_tile = alone;               // of Block::row_tiles
  std::vector<Block> blocks;               // its regions
};

// What a unit has to do with tensors, where rows can go through it: it goes along the first axis of all that it makes.
struct RowMember {
  struct Made {
    ir::Id id;
    uint32_t rank;
    bool whole;  // of as many elements as the unit goes over
    Dtype dtype;
  };
  uint32_t rank = 0;  // of the elements that it goes over
  std::optional<Launch::Reduction> reduction = {};
  std::vector<Value> reads = {};  // tensors: symbols and constants
  std::vector<Made> made = {};
};

// Units that follow each other, and whose rows may go through all of them.
struct RowTile {
  std::vector<RowMember> members;
};

struct Block {
  const ir::Region* region = nullptr;
  std::vector<Unit> units;
  std::vector<RowTile> row_tiles;
  std::unordered_map<ir::Id, uint32_t> last;  // the unit that uses a value last; units.size(): the region's results do
  std::vector<std::vector<ir::Id>> dead_values;  // the other way round
};

struct FuseLimits {
  bool fuse = true;
  // No kernel is joined with a product or an update, no rows go through several units, and one operation of a kernel
  // can fail at most.
  bool plain = false;
  bool eager_kernels = true;  // the library's kernel for a long body that stands alone
  uint32_t inputs = 12;
  uint32_t arrays = 16;  // inputs and constant tensors: no more than a launch has room for
  uint32_t instructions = 300;
  uint32_t members = 64;
  DeviceNumbers device = {};  // whose operations are kernels of their own, of one element
};

// A fault of the units, "" for none: each operation of each region in one unit, behind all that it needs.
std::string verify(const Block& block);
// The last use of each value, by the units as they stand.
void find_last_uses(Block& block);
// A region's operations as units, in the order in which they run.
std::vector<Unit> fuse(const ir::Graph& graph, const ir::Region& region, const FuseLimits& limits);
// The same with the row tiles, the last uses, and all regions inside.
Block schedule(const ir::Graph& graph, const ir::Region& region, const FuseLimits& limits);
// The operations of a unit: of its kernel, and what has joined it. In the order in which they run.
std::vector<const ir::Operation*> operations_of(const Unit& unit);

// An elementwise operation over tensors that a kernel can hold.
bool is_elementwise(const ir::Graph& graph, const ir::Operation& operation);
// One on numbers alone: code.
bool is_number_operation(const ir::Graph& graph, const ir::Operation& operation);
// How many instructions an elementwise operation takes, and whether it can fail on some numbers: emitted once to see.
struct Weight {
  uint32_t instructions = 0;
  uint32_t slow = 0;  // of these: divisions, roots, which take a vector unit many cycles
  bool fails = false;
  // May be computed again for each row of what uses it.
  bool cheap() const { return instructions <= 4 && slow == 0; }
};
Weight weight_of(std::span<const KernelInstruction> code);
Weight weigh(const ir::Graph& graph, const ir::Operation& operation);
// Whether its operands' shapes may turn out not to fit together.
bool shapes_may_fail(const ir::Graph& graph, const ir::Operation& operation);
// Calls f(Id) for every value that an operation reads itself.
void each_use(const ir::Operation& operation, FunctionRef<void(ir::Id)> f);

}  // namespace covec::loops
