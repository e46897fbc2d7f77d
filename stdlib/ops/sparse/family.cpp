// All operators of the family, file by file.
#include "stdlib/ops/sparse/family.hpp"

namespace covec::ops {

Family sparse_family() {
  static const std::vector<const Entry*> all =
      joined({sparse_incomplete_entries(), sparse_pattern_entries(), sparse_product_entries(),
              sparse_sparse_product_entries(), sparse_record_entries(), sparse_solve_entries()});
  return all;
}

}  // namespace covec::ops
