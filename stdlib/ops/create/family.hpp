// The files of the create family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family create_entries();
Family create_compose_entries();
Family create_grid_entries();
Family create_literal_entries();
Family create_matrix_entries();

Family create_family();

}  // namespace covec::ops
