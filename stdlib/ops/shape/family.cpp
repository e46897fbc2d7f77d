// All operators of the family, file by file.
#include "stdlib/ops/shape/family.hpp"

namespace covec::ops {

Family shape_family() {
  static const std::vector<const Entry*> all =
      joined({shape_broadcast_entries(), shape_compose_entries(), shape_fit_entries(), shape_join_entries(),
              shape_move_entries(), shape_narrow_entries(), shape_permute_entries(), shape_reshape_entries(),
              shape_windows_entries()});
  return all;
}

}  // namespace covec::ops
