// The files of the shape family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family shape_broadcast_entries();
Family shape_compose_entries();
Family shape_fit_entries();
Family shape_join_entries();
Family shape_move_entries();
Family shape_narrow_entries();
Family shape_permute_entries();
Family shape_reshape_entries();
Family shape_windows_entries();

Family shape_family();

}  // namespace covec::ops
