// All operators of the family, file by file.
#include "stdlib/ops/create/family.hpp"

namespace covec::ops {

Family create_family() {
  static const std::vector<const Entry*> all =
      joined({create_entries(), create_grid_entries(), create_compose_entries(), create_literal_entries(),
              create_matrix_entries()});
  return all;
}

}  // namespace covec::ops
