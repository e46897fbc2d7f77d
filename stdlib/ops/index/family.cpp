// All operators of the family, file by file.
#include "stdlib/ops/index/family.hpp"

namespace covec::ops {

Family index_family() {
  static const std::vector<const Entry*> all =
      joined({index_gather_entries(), index_nonzero_entries(), index_unravel_entries(), index_entries()});
  return all;
}

}  // namespace covec::ops
