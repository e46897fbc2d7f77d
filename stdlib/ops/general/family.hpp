// The files of the general family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family general_entries();
Family general_check_names_entries();
Family general_display_entries();
Family general_lists_entries();
Family general_maps_entries();
Family general_sequences_entries();
Family general_spreads_entries();
Family general_staged_entries();
Family general_tree_vector_entries();
Family general_trees_entries();

Family general_family();

}  // namespace covec::ops
