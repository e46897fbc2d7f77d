// Orders the units of a region so that each comes after its inputs, and finds the last use of every value.
#include <algorithm>

#include "jit/loops/fuse/row_tiles.hpp"

namespace covec::loops {

using ir::Id;

namespace {

// Every value that a unit reads, in its regions as well.
void each_use_of_unit(const Unit& unit, FunctionRef<void(Id)> f) {
  for (const ir::Operation* operation : operations_of(unit)) each_use(*operation, f);
  for (const Block& block : unit.blocks) {
    for (const auto& [id, at] : block.last) f(id);
  }
}

}  // namespace

std::vector<const ir::Operation*> operations_of(const Unit& unit) {
  std::vector<const ir::Operation*> all;
  if (unit.product != nullptr) all.push_back(unit.product);
  all.insert(all.end(), unit.operations.begin(), unit.operations.end());
  if (unit.reduction != nullptr) all.push_back(unit.reduction);
  if (unit.update != nullptr) all.push_back(unit.update);
  return all;
}

void find_last_uses(Block& block) {
  for (uint32_t at = 0; at < block.units.size(); ++at) {
    each_use_of_unit(block.units[at], [&](Id id) { block.last[id] = at; });
  }
  const auto end = static_cast<uint32_t>(block.units.size());
  for (const Value& result : block.region->results) {
    ir::each_symbol(result, [&](Id id) { block.last[id] = end; });
  }
  block.dead_values.resize(end + 1);
  for (const auto& [id, at] : block.last) block.dead_values[at].push_back(id);
  for (auto& dead_values : block.dead_values) std::sort(dead_values.begin(), dead_values.end());
}

Block schedule(const ir::Graph& graph, const ir::Region& region, const FuseLimits& limits) {
  Block block;
  block.region = &region;
  block.units = fuse(graph, region, limits);
  if (limits.fuse && !limits.plain) find_row_tiles(graph, block);
  for (Unit& unit : block.units) {
    if (unit.kernel) continue;
    for (const ir::Region& inner : unit.operations[0]->regions) {
      unit.blocks.push_back(schedule(graph, inner, limits));
    }
  }
  find_last_uses(block);
  return block;
}

}  // namespace covec::loops
