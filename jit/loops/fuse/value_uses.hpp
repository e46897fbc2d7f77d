// Records who makes and who uses the values of a region, by the numbers of its operations. A use inside a nested region
// counts as a use by the operation that holds the region. A use by the region's results has the number after the last
// operation's.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "jit/ir/graph.hpp"

namespace covec::loops {

class ValueUses {
 public:
  explicit ValueUses(const ir::Region& region);
  std::optional<uint32_t> maker(ir::Id id) const;       // none: the value comes from outside
  const std::vector<uint32_t>& users(ir::Id id) const;  // ascending

 private:
  void note(ir::Id id, uint32_t by);
  void note_all(const ir::Operation& operation, uint32_t by);
  void note_results(const ir::Region& region, uint32_t by);

  std::unordered_map<ir::Id, uint32_t> made_by_;
  std::unordered_map<ir::Id, std::vector<uint32_t>> users_;
  const std::vector<uint32_t> nobody_;
};

}  // namespace covec::loops
