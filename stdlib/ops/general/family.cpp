// All operators of the family, file by file.
#include "stdlib/ops/general/family.hpp"

namespace covec::ops {

Family general_family() {
  static const std::vector<const Entry*> all =
      joined({general_entries(), general_check_names_entries(), general_display_entries(), general_lists_entries(),
              general_maps_entries(), general_sequences_entries(), general_spreads_entries(), general_staged_entries(),
              general_tree_vector_entries(), general_trees_entries()});
  return all;
}

}  // namespace covec::ops
