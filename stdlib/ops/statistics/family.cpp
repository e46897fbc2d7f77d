// All operators of the family, file by file.
#include "stdlib/ops/statistics/family.hpp"

namespace covec::ops {

Family statistics_family() {
  static const std::vector<const Entry*> all = joined({statistics_quantile_entries(), statistics_nan_entries(),
                                                       statistics_relation_entries(), statistics_count_entries()});
  return all;
}

}  // namespace covec::ops
