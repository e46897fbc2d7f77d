// All operators of the family, file by file.
#include "stdlib/ops/reduce/family.hpp"

namespace covec::ops {

Family reduce_family() {
  static const std::vector<const Entry*> all =
      joined({reduce_complex_entries(), reduce_compose_entries(), reduce_entries(), reduce_norm_entries(),
              reduce_rules_entries(), reduce_running_entries(), reduce_scan_entries(), reduce_weighted_entries()});
  return all;
}

}  // namespace covec::ops
