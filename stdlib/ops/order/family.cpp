// All operators of the family, file by file.
#include "stdlib/ops/order/family.hpp"

namespace covec::ops {

Family order_family() {
  static const std::vector<const Entry*> all =
      joined({order_items_entries(), order_sort_entries(), order_set_entries()});
  return all;
}

}  // namespace covec::ops
